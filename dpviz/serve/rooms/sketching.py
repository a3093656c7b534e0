"""Draw the curve first: what a class draws over the empty axes of a view, and what it drew."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from dpviz.plot import converter
from dpviz.plot.captioned import WIDTH
from dpviz.plot.picture import svg
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Curve
from dpviz.scene.codec import Choice, Seed
from dpviz.scene.page import csv_text
from dpviz.scene.scene import Scene
from dpviz.scene.view import Sketch
from dpviz.serve.computing import Progress
from dpviz.serve.files import stated
from dpviz.serve.lines import headline
from dpviz.serve.links import finest
from dpviz.serve.rooms.asking import Phase, Prompt, Question, RoomError, counted
from dpviz.topics.classroom.sketches import COLUMNS, STEPS, Plane, Side, is_sketch
from dpviz.topics.classroom.sketches_shown import plane_of
from dpviz.topics.classroom.views.class_sketches import ClassSketches, class_sketches
from dpviz.topics.classroom.views.class_sketches_shown import VIEW

_POINTS = 200  # of the curve that are kept
_SCALE = 2  # pixels of a PNG for each of the figure


@dataclass(frozen=True)
class Sketched(Prompt):
    """The curve of a view, to be drawn before it is seen.

    state: the parameters and their values, in words. plane: the axes alone, which is all that
    phones get. curve: x and y of what is true, label: what it is, and sentence: what is said of it;
    these stay here until it is revealed.
    """

    question: str
    state: str
    plane: Plane
    curve: tuple[tuple[float, ...], tuple[float, ...]] = field(repr=False)
    label: str = field(repr=False)
    sentence: str = field(repr=False)
    kind = "sketch"
    sealed = True
    may_change = True

    def read(self, text: str) -> str:
        """Take a sketch."""
        if not is_sketch(text):
            raise RoomError("This is no curve; draw it from left to right.", 400)
        return text

    def stored(self) -> dict[str, Any]:
        """Keep what it was made of."""
        return asdict(self)

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> "Sketched":
        """Return what was asked in another replica."""
        plane = Plane(*(_side(stored["plane"][name]) for name in ("x", "y")))
        x, y = map(tuple, stored["curve"])
        return cls(**{**stored, "plane": plane, "curve": (x, y)})

    def for_phones(self) -> dict[str, Any]:
        """Tell what to draw, and over which axes."""
        axes = {"axes": asdict(self.plane), "columns": COLUMNS, "steps": STEPS}
        return {"question": self.question, "state": self.state} | axes

    def in_words(self, question: Question) -> str:
        """Return how many have drawn."""
        drawn = len(question.rounds[-1])
        return f"{counted(drawn, 'phone')} drew a curve" if drawn else ""

    def tally(self, answers: Sequence[str]) -> dict[str, int]:
        """Return how many have drawn: no two sketches are alike."""
        return {"sketches": len(answers)}


def _side(stored: Mapping[str, Any]) -> Side:
    return Side(**{**stored, "ticks": tuple((at, text) for at, text in stored["ticks"])})


def sketch_of(scene: Scene, seconds: float) -> Sketched | None:
    """Return what can be drawn in a scene before it is seen, computed within so many seconds."""
    progress = None if scene.sketch is None else finest(scene, seconds)
    return None if progress is None else sketched(scene, progress)


def sketched(scene: Scene, progress: Progress) -> Sketched | None:
    """Return what can be drawn before this result of a scene is seen, None for nothing."""
    sketch, chart = scene.sketch, progress.result.drawn_chart
    if sketch is None or chart is None:
        return None
    curves = [curve for curve in chart.curves if curve.key == sketch.curve]
    if not curves:
        return None
    return Sketched(
        question=sketch.question,
        state=f"{_caption(scene, sketch, chart.x.name)}.",
        plane=plane_of(chart, scene.view.figure(progress.result, LIGHT)),
        curve=_thinned(curves[0]),
        label=curves[0].label,
        sentence=" ".join(filter(None, (headline(scene.view, progress.result), progress.remark))),
    )


def _caption(scene: Scene, sketch: Sketch, along: str) -> str:
    """Return in which state a class draws: "Laplace noise, ε = 1".

    Only what it may see moved is named, and neither what lies along the axis nor what the question
    takes for granted.
    """
    kinds, numbers = [], []
    for key in scene.view.in_sight:
        parameter, value = scene.parameter(key), scene.values[key]
        if key in scene.idle or key == along or isinstance(parameter, Seed):
            continue
        if not isinstance(parameter, Choice):
            numbers.append(stated(parameter, value))
        elif all(sketch.applies({**scene.values, key: other}) for other in parameter.options):
            kinds.append(_in_words(parameter, str(value)))
    return ", ".join((*kinds, *numbers))


def _in_words(choice: Choice, value: str) -> str:
    """Return "Laplace noise" of a choice between kinds of noise, "Coin flips" for itself."""
    kind = choice.options[value]
    is_adjective = choice.label == "Noise" and " " not in kind
    return f"{kind} {choice.label.lower()}" if is_adjective else kind


def _thinned(curve: Curve) -> tuple[tuple[float, ...], tuple[float, ...]]:
    finite = np.isfinite(curve.x) & np.isfinite(curve.y)
    x, y = curve.x[finite], curve.y[finite]
    kept = np.unique(np.linspace(0, max(x.size - 1, 0), _POINTS).astype(int))[: x.size]
    return tuple(x[kept].tolist()), tuple(y[kept].tolist())


def drawn(question: Question) -> ClassSketches:
    """Return what the class's figure shows: axes, then sketches, then the curve as well."""
    prompt = question.prompt
    if not isinstance(prompt, Sketched):
        raise RoomError("Nothing is drawn at the moment.", 404)
    sealed, revealed = question.phase is Phase.OPEN, question.phase is Phase.REVEALED
    shown = question.rounds[:-1] if sealed else question.rounds
    x, y = (np.array(part) for part in prompt.curve)
    return class_sketches(
        prompt.plane,
        state=prompt.state,
        rounds=[list(answers.values()) for answers in shown],
        exact=(x, y) if revealed else None,
        label=prompt.label if revealed else "",
        sentence=prompt.sentence if revealed else "",
    )


def as_file(question: Question, kind: str) -> bytes:
    """Return what the class has drawn as a table (csv) or as a picture (png)."""
    result = drawn(question)
    if kind == "csv":
        return csv_text(result.columns()).encode()
    text = svg(VIEW.figure(result, LIGHT), LIGHT, WIDTH)
    return converter.apart(converter.png, text, _SCALE)
