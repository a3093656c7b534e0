"""The odds beside ε: true of the mechanisms that attain the promise, silent where none is made."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.text import at_most_in_hundred, in_hundred
from dpviz.scene.codec import Choice
from dpviz.scene.odds import HITS, PRIOR, odds_line
from dpviz.scene.page import Promise
from dpviz.scene.scene import Scene
from dpviz.topics.promise.views import odds_after_answers_shown
from dpviz.topics.promise.views.odds_after_answers import odds_after_answers
from tests.support.declarations import SLUGS, page


def line(slug="clipping", **changes):
    declared = page(slug)
    values = {p.key: p.default for p in declared.url_parameters} | changes
    return odds_line(Scene.opened(declared, values))


def said(text):
    """The probability a line ends with."""
    return float(re.search(r"at most (\d+(?:\.\d+)?) in 100", text)[1]) / 100


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0, 4.0])
def test_a_pure_promise_is_attained_by_randomised_response(epsilon):
    kept, prior = math.exp(epsilon) / (1 + math.exp(epsilon)), PRIOR
    after = prior * kept / (prior * kept + (1 - prior) * (1 - kept))
    assert said(line(epsilon=epsilon)) == pytest.approx(after, abs=5e-3)
    assert "δ" not in line(epsilon=epsilon)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 0.01), (2.0, 0.2)])
def test_no_accuser_of_half_beats_the_line_on_the_pair_that_attains_epsilon_and_delta(
    epsilon, delta
):
    """Four outcomes: one gives away each world with probability δ, two tell as ε allows."""
    kept = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    inside = np.array([delta, kept, 1 - delta - kept, 0.0])
    outside = inside[::-1]
    best = 0.0
    for share in np.linspace(0, 1, 2001):  # accuse at the first outcome, and at part of the next
        first, second = min(2 * share, 1.0), max(2 * share - 1, 0.0)
        weights = np.array([1.0, first, second, 0.0])
        hits, alarms = weights @ inside, weights @ outside
        if hits >= HITS:
            best = max(best, PRIOR * hits / (PRIOR * hits + (1 - PRIOR) * alarms))
    sentence = line("bounded_noise", epsilon=epsilon, delta=delta)
    assert best <= said(sentence) + 5e-3
    assert best == pytest.approx(said(sentence), rel=0.02)
    assert "Some answers may tell more" in sentence


RARE = "Some answers may tell more"
PURE = ("laplace", "response", "geometric")


@pytest.mark.parametrize("view", ["play", "attackers", "rows"])
@pytest.mark.parametrize("mechanism", ["gaussian", "bounded", *PURE])
@pytest.mark.parametrize("queries", [1, 100, 1000])
def test_only_noise_without_a_largest_loss_is_said_to_need_delta(view, mechanism, queries):
    """Pure noise promises something after every answer, and it is what the view Odds tells."""
    asked = {"mechanism": mechanism, "epsilon": 1.0, "delta": 0.05, "queries": queries}
    sentence = line("promise", view=view, **asked)
    assert (RARE in sentence) == (mechanism not in PURE)
    assert ("δ" in sentence) == (mechanism not in PURE)
    if mechanism in PURE:
        once = asked | ({"queries": 1} if view == "play" else {})
        *_, result = odds_after_answers(**once, power=2.0, prior=PRIOR, hit_rate=0.2)
        most = at_most_in_hundred(result.worst)
        certain = in_hundred(result.worst) == "certainty"
        always = "make it near certainty" if certain else f"{most}, whatever is"
        assert always in sentence
        assert RARE not in " ".join(odds_after_answers_shown.notes(result))
        assert "no limit" not in " ".join(odds_after_answers_shown.notes(result))


def test_the_limit_after_every_answer_is_that_of_the_bit_itself():
    epsilon, delta = 1.0, 0.05
    kept = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))  # p − e^ε·(1 − p) = δ
    after = PRIOR * kept / (PRIOR * kept + (1 - PRIOR) * (1 - kept))
    sentence = line("promise", view="play", mechanism="response", epsilon=epsilon, delta=delta)
    assert said(sentence) == pytest.approx(after, abs=5e-3)
    assert sentence.endswith("whatever is published.")


@pytest.mark.parametrize("slug", SLUGS)
def test_delta_is_told_only_where_a_state_has_one(slug):
    declared = page(slug)
    choices = [p for p in declared.parameters if isinstance(p, Choice)]
    for view in declared.views:
        for choice in choices:
            for option in choice.options:
                sentence = line(slug, view=view.key, **{choice.key: option})
                if RARE not in sentence and "δ" not in sentence:
                    continue
                values = {p.key: p.default for p in declared.url_parameters}
                scene = Scene.opened(declared, values | {"view": view.key, choice.key: option})
                assert "delta" in view.parameters, (view.key, choice.key, option)
                assert "delta" not in scene.idle, (view.key, choice.key, option)


def test_the_ends_are_told_in_words():
    assert "hardly grows" in line("bounded_noise", epsilon=1e-7)
    assert "may become near certainty" in line(epsilon=10.0)
    assert "may become near certainty" in line("bounded_noise", epsilon=1.0, delta=0.5)


def test_pages_say_whose_promise_it_is_and_where_there_is_none():
    assert "about you becomes" in line("user_complexity", privacy="pure", epsilon=1.0)
    assert "δ" in line("user_complexity", privacy="approximate", epsilon=1.0)
    assert "one of the examples" in line("perfect_generalization")
    assert line("perfect_generalization", mechanism="gaussian") == ""
    assert line("public_data", view="points", noise="gaussian", learner="rrspm") == ""
    assert "δ" not in line("public_data", view="points", noise="laplace", learner="rrspm")
    assert line("promise", view="odds") == line("promise", view="again") == ""
    assert "one row of yours" in line("promise", view="rows")


@pytest.mark.parametrize("slug", SLUGS)
def test_every_page_with_epsilon_says_something_and_the_others_nothing(slug):
    declared = page(slug)
    lines = [line(slug, view=view.key) for view in declared.views]
    has = any("epsilon" in view.parameters for view in declared.views)
    has = has and slug != ""  # there the figure and its sentence say it themselves
    assert any(lines) == has


def test_a_page_without_a_promise_is_silent():
    declared = replace(page("clipping"), promise=lambda _: None)
    values = {p.key: p.default for p in declared.url_parameters}
    assert odds_line(Scene.opened(declared, values)) == ""
    assert odds_line(Scene.opened(replace(declared, promise=lambda _: Promise(pure=True)), values))
