"""What a page of a book shows of a result before any script has run, as HTML."""

from html import escape

from dpviz.plot import prose
from dpviz.plot.drawable import UnknownPartError
from dpviz.results.evidence import Curve, parts_of
from dpviz.scene.lectures import LectureScene
from dpviz.scene.pulled import pulled_in
from dpviz.scene.scene import Scene
from dpviz.serve import standing
from dpviz.serve.book.figures import looks
from dpviz.serve.computing import Progress
from dpviz.serve.lines import Drawn, Look, drawn

_NAMES = "wide", "narrow"


def figure(step: LectureScene, scene: Scene, progress: Progress) -> str:
    """Return the figure as it stands, for a phone and a wide window, in both schemes."""
    made: dict[Look, Drawn] = {}

    def drawn_as(look: Look) -> Drawn:
        if look not in made:
            pulled = pulled_in(scene)
            seen = drawn(scene.view, progress.result, look, whole=progress.whole, pulled=pulled)
            made[look] = seen
        return made[look]

    both = looks(step)
    windows = {
        standing.Window(name, look.width): look for name, look in zip(_NAMES, both, strict=True)
    }
    try:
        pictures = standing.drawings(windows, drawn_as)
    except UnknownPartError:
        return ""
    alt = escape(drawn_as(both[0]).alt)
    return f'<figure id="standing" role="img" aria-label="{alt}">{pictures}</figure>'


def sources(scene: Scene, progress: Progress) -> str:
    """Return where the curves of a figure come from, as HTML."""
    result = progress.result
    curves = {
        (curve.label, curve.evidence.value, str(curve.source)): curve.assumption
        for curve in parts_of(result, Curve)
    }
    others = {
        ("", origin.evidence.value, str(origin.source)): "" for origin in result.other_origins
    }
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in (*row, assumption))}</tr>"
        for row, assumption in (curves | others).items()
    )
    heads = "".join(f"<th>{head}</th>" for head in ("curve", "what it is", "source", "assumes"))
    more = scene.view.sources(result)
    table = f"<table><tr>{heads}</tr>{rows}</table>" if rows else ""
    return f"{table}{prose.html(more) if more else ''}"
