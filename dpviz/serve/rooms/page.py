"""The page of a class's figures, which the app shows in its rooms alone.

Like every figure they are functions of their addresses, which hold what the class has sent.
"""

from dataclasses import dataclass

from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.codec import Number, Value
from dpviz.scene.page import Page
from dpviz.topics.classroom.attack import GUESSES
from dpviz.topics.classroom.views import (
    class_attack_shown,
    class_shuffle_shown,
    class_survey_shown,
)
from dpviz.topics.classroom.views.class_survey import MOST_ANSWERS

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
    for_everyone=(class_survey_shown.VIEW, class_attack_shown.VIEW, class_shuffle_shown.VIEW),
)
