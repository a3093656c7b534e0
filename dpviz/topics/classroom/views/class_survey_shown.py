"""The class is the data set: what its own randomised answers say."""

from dpviz.plot.chart import draw
from dpviz.plot.text import counted, from_to, readable
from dpviz.scene.view import View
from dpviz.topics.classroom.views.class_survey import ClassSurvey, class_survey


def takeaway(result: ClassSurvey) -> str:
    """State the interval, and what a trusted curator would know."""
    span = from_to(f"{result.low:,}", f"{result.high:,}")
    of = f"Of {counted(result.answers, 'answer', digits=7)}, **{span}** truly say yes"
    curator = f"within {result.central}" if result.central else "exactly, 19 times of 20"
    return (
        f"{of}: that much is known with 95% confidence, and everybody can deny their answer. A "
        f"trusted curator with the same ε would know the number {curator}."
    )


def notes(result: ClassSurvey) -> tuple[str, ...]:
    """Say what the interval is, and what it leaves out."""
    return (
        f"The best single guess is {readable(result.estimate, 2)}.",
        "The interval is exact at any size of the class: its randomness is the phones' coins. "
        "It is about those who have answered, and nobody else.",
        "The curator's interval is drawn around the same line to compare widths; a curator would "
        "have found another line.",
    )


VIEW = View(
    key="survey",
    title="The class is the data set",
    compute=class_survey,
    figure=draw,
    takeaway=takeaway,
    notes=notes,
    parameters=("bits", "epsilon"),
)
