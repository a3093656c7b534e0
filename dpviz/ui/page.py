"""What a page declares, and the computation, table and snippet that follow from it.

No Streamlit here: `dpviz.ui.frame` draws what this module describes.
"""

import contextlib
import csv
import inspect
import io
import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from dpviz.figures.theme import Theme
from dpviz.ui.codec import Choice, Parameter, Seed, Value

Columns = Mapping[str, NDArray[Any]]


class Result(Protocol):
    """What a view computes: frozen, and able to say what it plots."""

    def columns(self) -> Columns:
        """Return the plotted numbers as equally long columns."""


@dataclass(frozen=True)
class View:
    """One figure of a page: one core function and one figure function.

    compute: a public function of the core, called with the keywords named in `parameters`; it
        returns a `Result`, or is a generator of ever finer ones. If a `Seed` is among the
        parameters, the function gets ``rng``, a numpy Generator, in its place.
    figure: draws a result in a theme.
    takeaway: one sentence with the numbers of a result; also the figure's text alternative.
    folded: those of the parameters whose controls wait in a fold, since few readers need them.
    idle: those of the parameters that a state leaves without effect; their controls are hidden.
    notes: what a reader should know about the curves of a result, a sentence each.
    """

    key: str
    title: str
    compute: Callable[..., Any]
    figure: Callable[[Any, Theme], go.Figure]
    takeaway: Callable[[Any], str]
    parameters: tuple[str, ...]
    folded: tuple[str, ...] = ()
    idle: Callable[[Mapping[str, Value]], Collection[str]] = lambda _: ()
    notes: Callable[[Any], Collection[str]] = lambda _: ()


@dataclass(frozen=True)
class Preset:
    """A state worth seeing, one click away; parameters it does not name take their defaults."""

    label: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Page:
    """A page; its title and question stand in `dpviz.ui.navigation`, its prose in assets/prose."""

    slug: str
    parameters: tuple[Parameter, ...]
    views: tuple[View, ...]
    presets: tuple[Preset, ...] = ()

    @cached_property
    def url_parameters(self) -> tuple[Parameter, ...]:
        """Everything the page's URL holds: its parameters, and the open view if it has several."""
        if len(self.views) == 1:
            return self.parameters
        titles = {view.key: view.title for view in self.views}
        return (*self.parameters, Choice("view", "View", titles, self.views[0].key))

    def parameter(self, key: str) -> Parameter:
        """Return the parameter `key`."""
        return next(p for p in self.url_parameters if p.key == key)

    def open_view(self, values: Mapping[str, Value]) -> View:
        """Return the view that `values` open."""
        key = values.get("view", self.views[0].key)
        return next(view for view in self.views if view.key == key)

    def preset_values(self, preset: Preset) -> dict[str, Value]:
        """Return the whole state a preset stands for."""
        return {p.key: preset.values.get(p.key, p.default) for p in self.url_parameters}

    def arguments(self, view: View, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the values the view depends on, the seed still as a number."""
        return {key: values[key] for key in view.parameters}


# Seconds after which no finer result is begun, and after which none is waited for.
_PATIENCE, _LONGEST = 0.1, 0.4
_MOST_SECONDS = 2.0  # of processor time for one state; what is drawn by then has to do
_RECENT = 128
_recent: OrderedDict[tuple[object, ...], Result] = OrderedDict()
_recent_lock = threading.Lock()


def results(page: Page, view: View, values: Mapping[str, Value]) -> Iterator[Result]:
    """Yield the results of a view, coarse to fine; a state seen lately comes at once.

    The last results are kept for all readers: a class that opens one link computes it once, and
    a change that does not concern the view (theme, fold, another control) costs nothing. Where
    finer results take too long they end early, so that no link keeps the server busy.
    """
    state = _state(page, view, values)
    with _recent_lock:
        known = _recent.get(state)
    if known is not None:
        yield known
        return
    outcome = view.compute(**_call(page, page.arguments(view, values)))
    if not inspect.isgeneratorfunction(view.compute):
        _remember(state, outcome)
        yield outcome
        return
    result, spent = None, 0.0
    while spent < _MOST_SECONDS:
        begin = time.thread_time()
        finer = next(outcome, None)
        spent += time.thread_time() - begin
        if finer is None:
            if result is not None:
                _remember(state, result)
            return
        result = finer
        yield result


def is_whole(page: Page, view: View, values: Mapping[str, Value]) -> bool:
    """Return whether the results of a view have come to their end, not long ago."""
    with _recent_lock:
        return _state(page, view, values) in _recent


class Hasty:
    """The results of a view while a control is moved, for one reader.

    The next value is then more welcome than a finer figure of this one. But a first result can
    be a single point; so a finer one gets a little time, and more only in the background. As
    long as one is computed there, first results have to do: a reader never occupies more.
    """

    def __init__(self) -> None:
        self._finer = threading.Thread()

    def results(self, page: Page, view: View, values: Mapping[str, Value]) -> Iterator[Result]:
        """Yield one result: the finest that takes little time, or the first there is."""
        begin = time.monotonic()
        stages = results(page, view, values)
        found = list(itertools.islice(stages, 1))

        def refine() -> None:
            # What goes wrong will be told when the movement has ended.
            with contextlib.suppress(Exception):
                for result in stages:
                    found.append(result)
                    if time.monotonic() - begin > _PATIENCE:
                        break

        several = inspect.isgeneratorfunction(view.compute)
        if several and not self._finer.is_alive() and time.monotonic() - begin < _PATIENCE:
            self._finer = threading.Thread(target=refine, name="finer", daemon=True)
            self._finer.start()
            self._finer.join(_LONGEST)
        yield from found[-1:]


def _state(page: Page, view: View, values: Mapping[str, Value]) -> tuple[object, ...]:
    arguments = page.arguments(view, values)
    return (view.compute.__module__, view.compute.__qualname__, *arguments.items())


def _remember(state: tuple[object, ...], result: Result) -> None:
    with _recent_lock:
        _recent[state] = result
        while len(_recent) > _RECENT:
            _recent.popitem(last=False)


def _call(page: Page, arguments: Mapping[str, Value]) -> dict[str, Any]:
    call: dict[str, Any] = {}
    for key, value in arguments.items():
        if isinstance(page.parameter(key), Seed):
            call["rng"] = np.random.default_rng(int(value))
        else:
            call[key] = value
    return call


def snippet(page: Page, view: View, values: Mapping[str, Value]) -> str:
    """Return Python code that computes the numbers of the figure, without the app."""
    module, name = view.compute.__module__, view.compute.__name__
    imports, keywords = f"from {module} import {name}", []
    for key, value in page.arguments(view, values).items():
        if isinstance(page.parameter(key), Seed):
            imports = f"import numpy as np\n\n{imports}"
            keywords.append(f"    rng=np.random.default_rng({value!r}),")
        else:
            keywords.append(f"    {key}={value!r},")
    target = "*_, result" if inspect.isgeneratorfunction(view.compute) else "result"
    call = "\n".join([f"{target} = {name}(", *keywords, ")"])
    return f"{imports}\n\n{call}\ntable = result.columns()\n"


def csv_text(columns: Columns) -> str:
    """Return the columns as CSV, every number exact."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
