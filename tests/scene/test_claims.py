"""What the shipped lectures say of their figures is so: each claim is computed at its link.

A scene's `checks`, beside its words in assets/lectures, pair what is claimed, word for word, with
an expression that must be true: see `Said` for the names it may use. An app that opens a lecture
never looks at them. A number, or a word of comparison, that no check covers fails.
"""

import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from dpviz.maths.distance_mechanism import Outputs
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Result
from dpviz.results.folders import ASSETS
from dpviz.results.user_data import wage_panel
from dpviz.scene.codec import Number, Value, decode
from dpviz.scene.scene import Scene
from dpviz.serve import solving
from dpviz.topics.classroom.survey import survey_interval
from dpviz.topics.shared_darts.views.one_board import Board
from tests.support.declarations import begun, every, last, page

SCENES = [
    pytest.param(scene, id=f"{file.stem}-{number}")
    for file in sorted((ASSETS / "lectures").glob("*.json"))
    for number, scene in enumerate(json.loads(file.read_text("utf-8"))["scenes"], 1)
]
QUESTIONS = [
    pytest.param(question, content["scenes"][question["scene"] - 1], id=f"{file.stem}-q{number}")
    for file in sorted((ASSETS / "lectures").glob("*.json"))
    for content in [json.loads(file.read_text("utf-8"))]
    for number, question in enumerate(content.get("questions", ()), 1)
]
every_scene = pytest.mark.parametrize("scene", SCENES)
pytestmark = pytest.mark.xdist_group("claims")  # many are about one result
NO_CLAIM = "# "
"""How what takes the place of an expression begins where there is nothing to compute, and why."""

_SMALL = "three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty"
_NUMBER = re.compile(
    rf"\d+(?:[.,]\d+)*|\b(?:{_SMALL}|hundred|thousand|million|billion|half|twice)\b", re.I
)
_COMPARED = re.compile(
    r"\b(?:larger|largest|smaller|fewe[rs]t?|less|wider|narrower|better|weaker|best|nearly|hardly"
    r"|never|always|cannot|keeps|grows?|falls?|halves|doubles|below|beyond|flat|root|square"
    r"|no longer|at most|only|alike)\b",
    re.I,
)
_SENTENCE = re.compile(r"[^.?!:]+[.?!:]?")


def claims(words: str) -> list[tuple[int, int]]:
    """Where in these words something stands that a figure can contradict.

    Numbers, wherever; words of comparison in what is no question.
    """
    found = [match.span() for match in _NUMBER.finditer(words)]
    for sentence in _SENTENCE.finditer(words):
        if not sentence[0].endswith("?"):
            start = sentence.start()
            compared = _COMPARED.finditer(sentence[0])
            found += [(start + m.start(), start + m.end()) for m in compared]
    return found


def uncovered(words: str, checks: dict[str, str]) -> list[str]:
    """The claims in these words of a scene that no check covers, with a little around them."""
    covered = [m.span() for said in checks for m in re.finditer(re.escape(said), words)]
    return [
        words[max(start - 20, 0) : end + 20]
        for start, end in claims(words)
        if not any(low <= start and end <= high for low, high in covered)
    ]


class Said(dict[str, object]):
    """The names that a check can use, computed when they are asked for.

    Any parameter of the link, by its key. result: what is computed at the link, to the end. first:
    its first, coarse state, where that is enough. reached: the values of some curves, as soon as
    the first of each and that at the reader's place are known. at: the result with some parameters
    changed. of: the result of another view of the page. answer: of the scene's prediction. drawn:
    the points of a trace of the figure.
    """

    def __init__(self, scene: Scene) -> None:
        helpers = (records, parts_between, overlap, interval, wage_panel)
        super().__init__({helper.__name__: helper for helper in helpers}, np=np, math=math)
        self.scene = scene
        self |= {"at": self.at, "of": self.of, "reached": self.reached, "drawn": self.drawn}

    def __missing__(self, name: str) -> object:
        scene = self.scene
        if name == "result":
            self[name] = _computed(scene.page.slug, scene.view.key, tuple(scene.values.items()))
        elif name == "first":
            self[name] = begun(scene.page, scene.view, scene.values)
        elif name == "answer":
            self[name] = scene.prediction.value(self["result"])
        else:
            return scene.values[name]  # a KeyError: the name of a builtin, perhaps
        return self[name]

    def at(self, **changes: Value) -> Result:
        changed = Scene.opened(self.scene.page, {**self.scene.values, **changes})
        return _computed(changed.page.slug, changed.view.key, tuple(changed.values.items()))

    def of(self, view: str, **changes: Value) -> Result:
        return last(self.scene.page, view, **changes)

    def reached(self, *keys: str) -> dict[str, np.ndarray]:
        for result in every(self.scene.page, self.scene.view, self.scene.values):
            curves = [curve for curve in result.curves if curve.key in keys]
            if len(curves) == len(keys) and all(
                curve.y[0] > 0 and result.value(curve.key) > 0 for curve in curves
            ):
                return {curve.key: curve.y for curve in curves}
        raise AssertionError(f"nothing is known of {keys}")

    def drawn(self, trace: int) -> np.ndarray:
        return self.scene.view.figure(self["result"], LIGHT).data[trace]["x"]


@lru_cache(maxsize=64)
def _computed(slug: str, key: str, values: tuple[tuple[str, Value], ...]) -> Result:
    """What is computed at a link, to its end: several checks of a scene, or two scenes, ask."""
    return last(page(slug), key, **dict(values))


def records(errors: np.ndarray) -> np.ndarray:
    """The places of the errors that are larger than all before them."""
    sizes = np.abs(errors)
    return np.flatnonzero(np.r_[True, sizes[1:] > np.maximum.accumulate(sizes)[:-1]])


def parts_between(board: Board) -> bool:
    """Whether the picks differ only where the first dart below a curve is not below the other."""
    dart = min(board.first, board.second)
    return all(hits[dart] for hits in board.below) <= (board.picks[0] == board.picks[1])


def overlap(outputs: Outputs) -> float:
    """What two laws have in common, of the outputs shown."""
    both = np.minimum(outputs.first, outputs.second).sum()
    return float(both / np.maximum(outputs.first, outputs.second).sum())


def interval(sent: int, answers: int, epsilon: float) -> int:
    """How wide the interval of a survey is where a class sent so many ones."""
    low, high = survey_interval(sent, answers, epsilon=epsilon)
    return high - low


def opened(scene: dict[str, Any]) -> Scene:
    """The state in which a scene opens, or which its exercise is about."""
    if "exercise" in scene:
        topic, _, name = scene["exercise"].partition(".")
        [exercise] = [one for one in page(topic).exercises if one.name == name]
        return solving.scene(page(topic), exercise)
    declared = page(scene["page"])
    query = {key: [text] for key, text in scene["state"].items() if key != "class"}
    return Scene.opened(declared, decode(query, declared.url_parameters)[0])


def words_of(scene: dict[str, Any]) -> tuple[str, ...]:
    return scene["prompt"], *(scene.get(part, "") for part in ("notes", "after", "text"))


@every_scene
def test_every_claim_has_a_check(scene):
    checks = scene.get("checks", {})
    assert not [claim for words in words_of(scene) for claim in uncovered(words, checks)]
    for said in checks:
        assert any(said in words for words in words_of(scene)), f"nobody says {said!r} here"


EXPLAINED = [case for case in SCENES if case.values[0].get("after") and case.values[0]["control"]]


def elsewhere(scene: Scene, control: str) -> Iterator[Scene]:
    """The scene with its control moved: a third of its way from either end."""
    parameter = scene.page.parameter(control)
    assert isinstance(parameter, Number)
    most = scene.most.get(control, parameter.limit.maximum)
    low = max(parameter.limit.minimum, 1 if parameter.limit.integer else most / 1e3)
    for share in (1 / 3, 2 / 3):
        value = low * (most / low) ** share
        text = parameter.write(round(value) if parameter.limit.integer else value)
        yield Scene.opened(scene.page, {**scene.values, control: parameter.read(text, 0)[0]})


@pytest.mark.parametrize("scene", EXPLAINED)
def test_what_is_explained_below_a_figure_stays_true_when_its_control_is_moved(scene):
    """Numbers in it are no numbers of the state in which the scene opens."""
    words, control = scene["after"], scene["control"]
    moved = [Said(one) for one in elsewhere(opened(scene), control)]
    stands = [
        match.span()
        for said, check in scene["checks"].items()
        if _NUMBER.search(said) and said in words
        if check.startswith(NO_CLAIM) or all(eval(check, names) for names in moved)
        for match in re.finditer(re.escape(said), words)
    ]
    for number in _NUMBER.finditer(words):
        assert any(a <= number.start() and number.end() <= b for a, b in stands), number[0]


CHECKS = [
    pytest.param(scene, said, id=f"{case.id}: {said}")
    for case in SCENES
    for scene in case.values
    for said, check in scene.get("checks", {}).items()
    if not check.startswith(NO_CLAIM)
]


@pytest.mark.parametrize(("scene", "said"), CHECKS)
def test_what_a_scene_says_is_so(scene, said):
    assert eval(scene["checks"][said], Said(opened(scene)))


@pytest.mark.parametrize(("question", "scene"), QUESTIONS)
def test_the_right_answer_is_what_its_scene_shows(question, scene):
    right = question["answers"][question["right"]]
    words = (question["question"], right, *question["because"])
    checks = question["checks"]
    assert not [claim for said in words for claim in uncovered(said, checks)]
    assert any(not check.startswith(NO_CLAIM) for check in checks.values())
    for said, check in checks.items():
        assert any(said in one for one in words), f"nobody says {said!r} here"
        assert check.startswith(NO_CLAIM) or eval(check, Said(opened(scene)))


def test_a_claim_that_nobody_checks_is_found():
    words = "A thousand answers. The blue one keeps growing. Is it larger?"
    assert len(claims(words)) == 2
    assert not uncovered(words, {"A thousand answers": "", "blue one keeps growing": ""})
    [missed] = uncovered(words, {"A thousand answers": ""})
    assert "keeps growing" in missed


def test_a_false_claim_is_found():
    [scene] = [case.values[0] for case in SCENES if case.id == "why-bounded-noise-2"]
    check = scene["checks"]["which of the two largest errors keeps growing"]
    assert eval(check, Said(opened(scene)))
    without = {key: text for key, text in scene["state"].items() if key != "seed"}
    assert not eval(check, Said(opened(scene | {"state": without})))
