"""What is reached and what is proven impossible along k: against other proofs, and as drawn."""

import itertools
import math
import re

import numpy as np
import pytest

from dpviz.maths.joint_noise import joint_radius
from dpviz.maths.joint_optimality import bounded_radius
from dpviz.maths.laplace_rivals import TruncatedLaplace, truncated_laplace_noise
from dpviz.maths.least_noise import LeastNoise
from dpviz.maths.noise_converse import least_radius
from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.bounded_noise import limits_along_queries as module
from dpviz.topics.bounded_noise.limits_along_queries import limits_along_queries, settled_answers
from dpviz.topics.bounded_noise.limits_along_queries_shown import detail, figure, takeaway
from tests.support.examples import chosen

HERE = {"epsilon": 0.1, "delta": 1e-10}
ENDS = list(itertools.product((1e-7, 10.0), (1e-300, 0.5)))
FEW = {"epsilon": 3.0, "delta": 1e-6, "queries": 4}


@pytest.fixture
def unsearched(monkeypatch):
    """Noise drawn one by one that is not looked for."""

    def twice(epsilon, delta, queries):
        radius = 2 * module._limits(epsilon, delta, queries).floor
        return LeastNoise(radius, TruncatedLaplace(1 / radius, radius))

    monkeypatch.setattr(module, "drawn_one_by_one", twice)


@pytest.fixture(scope="module")
def ten():
    *_, result = limits_along_queries(**HERE, queries=10)
    return result


def whole(**asked):
    *_, result = limits_along_queries(**asked)
    return result


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize(("epsilon", "delta"), [*chosen(ENDS, ENDS[2:]), (0.1, 1e-10), (2.0, 0.01)])
def test_what_is_proven_at_every_k_is_what_its_modules_prove(epsilon, delta):
    """Nothing that is drawn as impossible is reached; and it never shrinks as k grows."""
    result = whole(epsilon=epsilon, delta=delta, queries=1e5)
    least, floor, together = (result.curve(key) for key in ("least", "floor", "together"))
    assert (np.diff(least.y) >= 0).all()
    assert (least.y <= floor.y).all()
    for k in (1, 3, 30, 1000):
        privacy = {"epsilon": epsilon, "delta": delta, "queries": k}
        at = list(least.x).index(k)
        known = bounded_radius(**privacy)
        assert 0.5 * known.lower <= least.y[at] <= known.lower  # the program is left out
        assert floor.y[at] >= least_radius(**privacy) * (1 - 1e-9)
        assert math.isnan(together.y[at]) or together.y[at] == joint_radius(**privacy).upper
    inside = np.isfinite(together.y)
    assert (least.y[inside] <= together.y[inside]).all()


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize(("epsilon", "delta"), chosen([*ENDS, (10.0, 0.1)], [(10.0, 0.1)]))
def test_the_walls_end_where_it_is_proven_between_the_k_that_are_looked_at(epsilon, delta):
    result = whole(epsilon=epsilon, delta=delta, queries=10)
    k, drawn = result.along()
    least = floor = 0.0  # what is proven for fewer answers holds for more
    for one in np.union1d(result.curve("floor").x, np.round(np.geomspace(1, 1000, 25))):
        at = module._limits(epsilon, delta, float(one))
        least, floor = max(least, at.least), max(floor, at.floor)
        for key, proven in (("least", least), ("floor", floor)):
            there = math.exp(np.interp(math.log(one), np.log(k), np.log(drawn[key])))
            assert 0.96 < there / proven < 1.04


def test_what_is_reached_is_what_its_modules_certify(ten):
    assert ten.at.together == joint_radius(**HERE, queries=10).upper
    assert ten.curve("apart").x[[0, -1]].tolist() == [1, 1000]
    assert ten.value("apart") == ten.at.apart < truncated_laplace_noise(**HERE, queries=10).radius
    two = list(ten.curve("apart").x).index(2)
    laplace = truncated_laplace_noise(**HERE, queries=2).radius
    assert ten.curve("apart").y[two] == pytest.approx(laplace)
    assert ten.at.reached == ten.at.together


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 1e-10), (1.0, 1e-5), (2.0, 0.01), (3.0, 1e-6), (10.0, 0.3)]
)
def test_up_to_where_it_is_called_settled_the_ends_are_a_unit_apart(epsilon, delta):
    settled = settled_answers(epsilon, delta)
    assert 2**settled * (1 - delta) - 1 <= math.exp(epsilon) < 2 ** (settled + 1) * (1 - delta) - 1
    for k in range(1, settled + 1):
        at = module._limits(epsilon, delta, float(k))
        assert at.least < at.together <= at.least + 1


def numbers(words):
    return {float(x.replace(",", "")) for x in re.findall(r"\d[\d,.]*\d|\d", words)}


def written(result, theme=LIGHT):
    return [
        re.sub("<[^>]*>", "", note["text"]) for note in figure(result, theme).layout["annotations"]
    ]


def test_the_numbers_of_the_sentence_are_in_the_picture(ten):
    said = takeaway(ten)
    assert numbers(said) == {10, 407, 350}  # as the comparison says it
    for theme, gap in ((LIGHT, "not known"), (DARK.narrow(), "open")):
        assert {"407 Δ", "350 Δ", gap} <= set(written(ten, theme))
    privacy = f"ε = {readable(HERE['epsilon'])}, δ = {readable(HERE['delta'])}"
    assert {
        f"proven impossible for any noise at {privacy}",
        "possible: drawn together",
    } <= set(written(ten))
    assert {407, 350, 597} <= numbers(detail(ten))


@pytest.mark.usefixtures("unsearched")
def test_where_joint_noise_is_settled_that_is_said_and_written():
    result = whole(**FEW)
    assert "proven the best, to within Δ" in takeaway(result)
    assert "Up to k = 4" in detail(result)
    assert "proven the best" not in takeaway(whole(**FEW | {"queries": 5}))


@pytest.mark.usefixtures("unsearched")
def test_many_answers_are_drawn_one_by_one():
    result = whole(**HERE, queries=1e6)
    said = takeaway(result)
    assert said.startswith("Noise drawn one by one for 1,000,000 answers keeps all errors within")
    least = re.search(r"no noise this private can keep them within ([\d,.]+) Δ\.$", said)
    assert float(least[1].replace(",", "")) > 0  # by chains of people
    assert result.ends[1][0] == 1e6
    assert whole(**HERE, queries=1001).ends[1][0] == 1e4


@pytest.mark.parametrize("queries", [1, 10, 100, 1000])
@pytest.mark.usefixtures("unsearched")
def test_the_handle_lies_on_no_word(queries):
    """It is at the foot of the reader's line, and lay on the word for what is impossible."""
    [word] = [
        note
        for note in figure(whole(**HERE, queries=queries), LIGHT.narrow()).layout["annotations"]
        if note["text"] == "impossible"
    ]
    assert abs(word["x"] - math.log10(queries)) > 1


def test_what_is_open_is_shaded_only_when_all_walls_are_known(ten):
    first = next(limits_along_queries(**HERE, queries=10))
    assert first.at.least == ten.at.least
    assert first.ends == ten.ends
    for result, shades in ((first, 1), (ten, 2)):
        data = figure(result, LIGHT).data
        assert len([trace for trace in data if trace.get("fill") == "toself"]) == shades


def test_what_is_reached_leaves_the_plot_nowhere_before_all_is_known():
    """Joint noise for a thousand answers is far wider than what drawn one by one will reach."""
    first = next(limits_along_queries(epsilon=1e-7, delta=1e-10, queries=10))
    (_, low), (_, high) = first.ends
    assert np.nanmax(first.curve("together").y) > high
    for line in (trace for trace in figure(first, LIGHT).data if trace["mode"] == "lines"):
        seen = np.asarray(line["y"], dtype=float)
        seen = seen[np.isfinite(seen)]
        assert np.all((low <= seen) & (seen <= high))


def test_where_nothing_is_reached_yet_what_is_impossible_is_told():
    first = next(limits_along_queries(**HERE, queries=1e8))
    assert first.at.reached == math.inf
    assert detail(first).startswith("At k = 10⁸ no noise at all")
