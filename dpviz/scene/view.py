"""What a view declares: what it computes, how that is said and drawn, what may be asked of it.

It lies below the topics, so that each view declares itself: `views/<view>.py` of a topic computes,
`views/<view>_shown.py` beside it says, draws and ends with ``VIEW = View(...)``.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpviz.plot.spec import Figure
from dpviz.plot.text import so_far
from dpviz.plot.theme import Theme
from dpviz.results.csv_file import Table
from dpviz.results.evidence import FloatArray, Result
from dpviz.results.user_data import UserData, user_data
from dpviz.scene.codec import Choice, Number, Value

IN_SIGHT = 3  # controls of a view, at most


@dataclass(frozen=True)
class Prediction:
    """What a reader may guess before a view shows it.

    question: asked in place of the takeaway.
    applies: whether a state of the page is one where the question makes sense; otherwise: what may
    be guessed where it makes none, if anything.
    guess: the number or the choice to be guessed; its key is none of the page's.
    hide: returns a result without the curves that would give the answer away.
    answer: the answer in words, from a whole result; "" where a state has none.
    value: the answer as one would guess it: a number, or the key of a choice; None for neither.
    mark: returns a result with the guess drawn into it.
    when_moved: says of a result what the answer is here, once it was revealed in another state; ""
    where the takeaway says so.
    """

    question: str
    guess: Number | Choice
    hide: Callable[[Any], Any]
    answer: Callable[[Any], str]
    value: Callable[[Any], float | str | None]
    mark: Callable[[Any, Any], Any] = lambda result, _: result
    when_moved: Callable[[Any], str] = lambda _: ""
    applies: Callable[[Mapping[str, Value]], bool] = lambda _: True
    otherwise: "Prediction | None" = None


def _users_values(table: Table, user: str, value: str, bins: int) -> UserData:
    return user_data(table, user=user, value=value, bins=bins)


def _remarks(data: UserData) -> Sequence[str]:
    return data.remarks


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
    users and of values, and the number of categories (0 without `bins`). remarks: says of such data
    what a reader might not expect of how the rows were read. label, questions: what
    the control asks for, of the file and of the two columns. alone: what stands for a column of
    users where each row is for itself; "" if that is not possible.
    """

    keyword: str
    applies: Callable[[Mapping[str, Value]], bool]
    imports: str
    code: str
    bins: str = ""
    make: Callable[[Table, str, str, int], object] = _users_values
    remarks: Callable[[Any], Sequence[str]] = _remarks
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
    seed that another game raises. right: which letter was right in each round of a result that is
    over. asks: what ends the takeaway while a round is to be answered. dares: what a reader passes
    on with a link to the same game, once it is over. A figure tells of each round
    whether its answer was right; its words tell how many were, and whether the last was; in the end
    all tell how often each letter was right.
    """

    keyword: str
    count: int
    answers: Mapping[str, str]
    again: str
    right: Callable[[Any], str]
    asks: Callable[[Any], str]
    dares: Callable[[Any], str]

    def read(self, text: str) -> str:
        """Return the answers that a text has, a letter each, "" if they cannot be some."""
        given = "".join(letter for letter in text[: self.count] if letter in self.answers)
        return given if given == text else ""


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
        Both speak of a result as if it were whole; `headline` and `exactly` say how far it is.
    opening: what is said before the takeaway, of what a reader did and not of the result alone.
    in_sight: those of the parameters whose controls are in sight, at most three in any state; the
        first three where nothing is said. The others wait behind "more", and not at all in front of
        a class.
    pulled: numbers of the headline that are parameters, which a reader can pull there: by the key,
        the words around the number, which is #.
    why: why the figure is as it is, in two or three sentences for a reader who is new to it.
        why_here: what is said in its place in some states, "" in others.
    idle: those of the parameters that a state leaves without effect; their controls are hidden, and
        no link has them. Like all that is told a state, it is told what is usual of other views'
        parameters, whatever they are.
    offers: the options a state leaves for a choice, by its key; others are not drawn, and a state
        with another one falls back on the first.
    most: the largest value of a number that a state can use, by its key, where that is less than
        the page allows: as many rows as the data have, say. Controls end there, and a state with
        more is set to it, with a note. It is given the state, and a reader's own data by the
        keyword of `upload`.
    defaults: what its parameters are where a link does not name them, in place of the page's: a
        view opens in a state in which something happens.
    notes: what a reader should know about the curves of a result, a sentence each. sources: what
        stands below the table of its sources, as Markdown: a paper's whole table, say.
    prediction: what may be guessed before it is shown, if anything.
    sketch: which curve a class may draw before it is shown, if any.
    upload: the reader's own data it can be given, if any.
    rounds: what the reader answers, round after round, if anything.
    first_seconds: of processor time, after which a generator continues only on a click.
    still: whether a result, which takes no time to compute, says that nothing happens: what a
        reader brings along from another page leads to none such; None where something always does.
    people: values of each person in a result, by what they are called, to be explored with a brush;
        None where it is not about people one by one.
    """

    key: str
    title: str
    compute: Callable[..., Result | Iterator[Result]]
    figure: Callable[[Any, Theme], Figure]
    takeaway: Callable[[Any], str]
    parameters: tuple[str, ...]
    in_sight: tuple[str, ...] = ()
    pulled: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    why_here: Callable[[Mapping[str, Value]], str] = lambda _: ""
    idle: Callable[[Mapping[str, Value]], Collection[str]] = lambda _: ()
    offers: Callable[[Mapping[str, Value]], Mapping[str, Sequence[str]]] = lambda _: {}
    most: Callable[[Mapping[str, Any]], Mapping[str, float]] = lambda _: {}
    defaults: Mapping[str, Value] = field(default_factory=dict)
    notes: Callable[[Any], Collection[str]] = lambda _: ()
    sources: Callable[[Any], str] = lambda _: ""
    prediction: Prediction | None = None
    upload: Upload | None = None
    rounds: Rounds | None = None
    first_seconds: float = 2.0
    detail: Callable[[Any], str] = lambda _: ""
    opening: Callable[[Any], str] = lambda _: ""
    sketch: Sketch | None = None
    still: Callable[[Any], bool] | None = None
    people: Callable[[Any], Mapping[str, FloatArray]] | None = None

    def __post_init__(self) -> None:
        if not self.in_sight:
            object.__setattr__(self, "in_sight", self.parameters[:IN_SIGHT])

    @property
    def predictions(self) -> Iterator[Prediction]:
        """All that may be guessed, in one state or another."""
        prediction = self.prediction
        while prediction is not None:
            yield prediction
            prediction = prediction.otherwise

    @property
    def in_parts(self) -> bool:
        """Whether there are results coarse and fine."""
        return inspect.isgeneratorfunction(self.compute)

    def headline(self, result: Result) -> str:
        """Say what a reader is to take away, and of how many runs where more will come."""
        sentence = so_far(self.takeaway(result), result.so_far)
        return " ".join(filter(None, (self.opening(result), sentence)))

    def exactly(self, result: Result) -> str:
        """Say the exact figures, and of how many runs where more will come."""
        return so_far(self.detail(result), result.so_far)
