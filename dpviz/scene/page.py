"""What a page declares, and a result as a table.

No Streamlit here: `dpviz.ui.frame` draws what this module describes.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.linked import Linked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.csv_file import Table
from dpviz.results.evidence import Result
from dpviz.results.user_data import UserData, user_data
from dpviz.scene.codec import Choice, Number, Parameter, Seed, Value

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Prediction:
    """What a reader may guess before a view shows it.

    question: asked in place of the takeaway.
    applies: whether a state of the page is one where the question makes sense.
    guess: the number or the choice to be guessed; its key is none of the page's.
    hide: returns a result without the curves that would give the answer away.
    answer: the answer in words, from a whole result; "" where a state has none.
    value: the answer as one would guess it: a number, or the key of a choice; None for neither.
    mark: returns a result with the guess drawn into it.
    """

    question: str
    guess: Number | Choice
    hide: Callable[[Any], Any]
    answer: Callable[[Any], str]
    value: Callable[[Any], float | str | None]
    mark: Callable[[Any, Any], Any] = lambda result, _: result
    applies: Callable[[Mapping[str, Value]], bool] = lambda _: True


def _users_values(table: Table, user: str, value: str, bins: int) -> UserData:
    return user_data(table, user=user, value=value, bins=bins)


@dataclass(frozen=True)
class Sketch:
    """The curve of a view that a class may draw over its empty axes before it sees it.

    question: what to draw. curve: the key of that curve in the view's chart. applies: whether a
    state of the page is one where the question makes sense.
    """

    question: str
    curve: str
    applies: Callable[[Mapping[str, Value]], bool] = lambda _: True


@dataclass(frozen=True)
class Upload:
    """A reader's own data, which a view can be given; they never leave the session.

    keyword: by which `compute` takes them, or does without. applies: whether a state asks for
    them. imports, code: how the snippet loads a file, with {user}, {value} and {bins} for the names
    of its columns and the number of categories. bins: the parameter that says into how many
    categories numbers are sorted, "" if none does. make: what makes data of a table, the columns of
    users and of values, and the number of categories (0 without `bins`). label, questions: what
    the control asks for, of the file and of the two columns. alone: what stands for a column of
    users where each row is for itself; "" if that is not possible.
    """

    keyword: str
    applies: Callable[[Mapping[str, Value]], bool]
    imports: str
    code: str
    bins: str = ""
    make: Callable[[Table, str, str, int], object] = _users_values
    label: str = "CSV file with a header: one column for the user, one for the values"
    questions: tuple[str, str] = ("Which user a row belongs to", "The values")
    alone: str = ""

    def categories(self, values: Mapping[str, Value]) -> int:
        """Return the number of categories in a state, 0 if nothing says it."""
        return int(values[self.bins]) if self.bins else 0


@dataclass(frozen=True)
class Rounds:
    """Rounds in which a reader answers; the answers never leave the session.

    keyword: by which `compute` takes the answers so far, a letter each, or does without. count:
    how many rounds there are. answers: what each letter says, which is its key as well. again: the
    seed that another game raises.
    """

    keyword: str
    count: int
    answers: Mapping[str, str]
    again: str


@dataclass(frozen=True)
class View:
    """One figure of a page: one core function and one figure function.

    compute: a public function of the core, called with the keywords named in `parameters`; it
        returns a `dpviz.results.evidence.Result`, or is a generator of ever finer ones, each soon
        after the one before. If a `Seed` is among the parameters, the function gets ``rng``, a
        numpy Generator, in its place.
    figure: draws a result in a theme.
    takeaway: one sentence with one idea and few numbers. detail: the exact figures behind it, in
        smaller type; also the figure's text alternative, which is the takeaway if there is none.
    folded: those of the parameters whose controls wait in a fold, since few readers need them.
    essential: those of the parameters whose controls remain in front of a class, if not all that
        are not folded.
    idle: those of the parameters that a state leaves without effect; their controls are hidden.
    offers: the options a state leaves for a choice, by its key; others are not drawn, and a state
        with another one falls back on the first.
    notes: what a reader should know about the curves of a result, a sentence each.
    prediction: what may be guessed before it is shown, if anything.
    sketch: which curve a class may draw before it is shown, if any.
    upload: the reader's own data it can be given, if any.
    rounds: what the reader answers, round after round, if anything.
    first_seconds: of processor time, after which a generator continues only on a click.
    timed: whether it measures time where it runs, so that no two results are alike.
    deep: whether it is for those who want to check a proof: such views share a tab, the last.
    linked: draws a result as a figure to brush, which the page shows in place of the other; None
        where there is nothing to brush.
    """

    key: str
    title: str
    compute: Callable[..., Result | Iterator[Result]]
    figure: Callable[[Any, Theme], Figure]
    takeaway: Callable[[Any], str]
    parameters: tuple[str, ...]
    folded: tuple[str, ...] = ()
    essential: tuple[str, ...] = ()
    idle: Callable[[Mapping[str, Value]], Collection[str]] = lambda _: ()
    offers: Callable[[Mapping[str, Value]], Mapping[str, Sequence[str]]] = lambda _: {}
    notes: Callable[[Any], Collection[str]] = lambda _: ()
    prediction: Prediction | None = None
    upload: Upload | None = None
    rounds: Rounds | None = None
    first_seconds: float = 2.0
    detail: Callable[[Any], str] = lambda _: ""
    linked: Callable[[Any, Theme], Linked | None] | None = None
    sketch: Sketch | None = None
    timed: bool = False
    deep: bool = False


@dataclass(frozen=True)
class Preset:
    """A state worth seeing, one click away; parameters it does not name take their defaults."""

    label: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Promise:
    """What the ε of a state promises, to be said in odds beside its control.

    about: whom or what a suspicion is about. pure: whether it holds without exception, δ = 0; else
    the state has a δ.
    """

    about: str = "you"
    pure: bool = False


@dataclass(frozen=True)
class Page:
    """A page; `dpviz.scene.catalogue` has its title and question, assets/prose its prose.

    promise: what ε promises in a state, None where it is not the ε of something published.
    """

    slug: str
    parameters: tuple[Parameter, ...]
    views: tuple[View, ...]
    presets: tuple[Preset, ...] = ()
    promise: Callable[[Mapping[str, Value]], Promise | None] = lambda _: None

    @property
    def name(self) -> str:
        """What addresses and files call the page."""
        return self.slug or "home"

    @cached_property
    def url_parameters(self) -> tuple[Parameter, ...]:
        """Everything the page's URL holds: its parameters, and the open view if it has several."""
        if len(self.views) <= 1:
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

    def call(self, arguments: Mapping[str, Value]) -> dict[str, Any]:
        """Return the keywords for the core: `arguments`, with a Generator for the seed."""
        call: dict[str, Any] = {}
        for key, value in arguments.items():
            if isinstance(self.parameter(key), Seed):
                call["rng"] = np.random.default_rng(int(value))
            else:
                call[key] = value
        return call


def csv_text(columns: Columns) -> str:
    """Return the columns as CSV, every number exact, and no text that a spreadsheet would run."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_harmless, columns))
    cells = (map(_harmless, column.tolist()) for column in columns.values())
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue()


def _harmless(cell: object) -> object:
    """Put an apostrophe before text that begins like a formula; numbers stay numbers."""
    formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    return f"'{cell}" if formula else cell
