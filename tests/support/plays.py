"""The figures that a button plays, and what each of their frames shows."""

from collections.abc import Iterator
from functools import cache

from dpviz.plot.spec import Figure, Trace, merged
from dpviz.plot.theme import LIGHT
from tests.support.declarations import last, page

# Each with parameters of a small computation, so that all of it is there: intervals, too.
PLAYS = {
    ("adaptive_analysis", "attack"): {"questions": 200, "sample_size": 101},
    ("bounded_noise", "noise"): {},
    ("perfect_generalization", "pairs"): {},
    ("shared_darts", "board"): {},
}


@cache
def played(slug: str, view: str) -> Figure:
    """The finest figure of a view that is played."""
    declared = page(slug)
    [shown] = [known for known in declared.views if known.key == view]
    return shown.figure(last(declared, view, **PLAYS[slug, view]), LIGHT)


def frames(figure: Figure) -> Iterator[list[Trace]]:
    """The traces of a figure as each of its frames leaves them."""
    shown = figure.data
    for frame in figure.frames:
        changes = dict(zip(frame["traces"], frame["data"], strict=True))
        shown = [merged(trace, changes.get(n, {})) for n, trace in enumerate(shown)]
        yield shown
