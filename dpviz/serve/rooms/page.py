"""The figures of a class, declared as a page declares its own; no page of the app shows them.

Like every figure they are functions of their addresses, which hold what the class has sent.
"""

from dataclasses import dataclass

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import ChartResult
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.codec import Number, Value
from dpviz.scene.page import Page, View
from dpviz.topics.classroom import words
from dpviz.topics.classroom.attack import GUESSES
from dpviz.topics.classroom.views.answers import MOST_ANSWERS, class_shuffle, class_survey
from dpviz.topics.classroom.views.attack import class_attack

MOST_MESSAGES = 10**6
_GUESSES = MOST_ANSWERS * GUESSES


@dataclass(frozen=True)
class Bits:
    """Zeros and ones, one from each who has answered."""

    key: str = "bits"
    default: str = "1"

    def read(self, text: str, otherwise: Value) -> tuple[Value, str]:
        """Accept 1 to 500 zeros and ones."""
        if 1 <= len(text) <= MOST_ANSWERS and not set(text) - {"0", "1"}:
            return text, ""
        return otherwise, f"is not 1 to {MOST_ANSWERS} zeros and ones"

    def write(self, value: Value) -> str:
        """Write them as they are."""
        return str(value)


def _count(name: str, meaning: str, most: int, least: int = 0) -> Number:
    return Number(Limit(name, name, meaning, least, most, least, integer=True, log=False))


def _drawn(result: ChartResult, theme: Theme) -> Figure:
    return draw(result.chart, theme)


CLASS = Page(
    slug="class",
    parameters=(
        Bits(),
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=1)),
        Number(LIMITS["delta"].narrowed(minimum=1e-12, maximum=0.1, default=1e-4)),
        _count("hits", "rightly accused", _GUESSES),
        _count("present", "answers with the person", _GUESSES),
        _count("alarms", "wrongly accused", _GUESSES),
        _count("absent", "answers without the person", _GUESSES),
        _count("total", "messages in all", MOST_MESSAGES),
        _count("answers", "phones that have answered", MOST_ANSWERS, 1),
        _count("users", "phones in the room", MOST_ANSWERS, 1),
    ),
    views=(
        View(
            key="survey",
            title="The class is the data set",
            compute=class_survey,
            figure=_drawn,
            takeaway=words.survey_takeaway,
            notes=words.survey_notes,
            parameters=("bits", "epsilon"),
        ),
        View(
            key="worlds",
            title="The class is the attacker",
            compute=class_attack,
            figure=_drawn,
            takeaway=words.attack_takeaway,
            notes=words.attack_notes,
            parameters=("hits", "present", "alarms", "absent", "epsilon"),
        ),
        View(
            key="shuffle",
            title="Shuffled on the spot",
            compute=class_shuffle,
            figure=_drawn,
            takeaway=words.shuffle_takeaway,
            notes=words.shuffle_notes,
            detail=lambda result: words.shuffle_notes(result)[0],
            parameters=("total", "answers", "users", "epsilon", "delta"),
        ),
    ),
)
