"""One question, three ways: on the shell, in Python, and on the page; and what help() shows."""

import inspect
import itertools
import json
import math
import pickle
import re

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import dpviz
from dpviz import __main__ as command
from dpviz.maths import calculator, coin_tests, comparison
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.results.folders import ASSETS
from dpviz.results.limit import NoFileError
from dpviz.results.parameters import ParameterError
from dpviz.results.version import VERSION
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.serve.link_results import computed
from tests.support.declarations import page
from tests.support.examples import by_ring

TEN = [
    (0.1, 1e-10, 10**6),
    (0.1, 1e-10, 1),
    (0.5, 1e-6, 10),
    (1.0, 1e-6, 100),
    (2.0, 1e-8, 1000),
    (0.01, 1e-12, 10**4),
    (5.0, 1e-5, 10**5),
    (0.3, 1e-30, 10**7),
    (1.0, 1e-3, 30),
    (8.0, 1e-9, 10**9),
]


def on_the_shell(capsys, name, **asked):
    flags = [f"--{key.replace('_', '-')}={value}" for key, value in asked.items()]
    assert command.main([name, *flags, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command_reads_numbers_as_the_page_does(capsys):
    typed = on_the_shell(capsys, "sigma", epsilon="10^-3", delta="1 × 10⁻⁶", queries="10^2")
    assert typed["value"] == dpviz.sigma(epsilon=1e-3, delta=1e-6, queries=100).value


TEN_COINS = [
    # p, tosses of each user, ε, success
    (0.35, 3, 0.5, 2 / 3),
    (0.45, 1, 1.0, 0.75),
    (0.05, 100, 0.1, 0.9),
    (0.2, 10, 0.1, 0.6),
    (0.45, 100, 0.3, 0.8),
    (0.4, 30, 0.3, 0.9),
    (0.3, 2, 3.0, 0.85),
    (0.25, 20, 1.0, 0.7),
    (0.1, 5, 0.2, 0.85),
    (0.45, 60, 2.0, 0.89),
]


def opened(slug, view, **asked):
    declared = page(slug)
    usual = {p.key: p.default for p in declared.url_parameters}
    return Scene.opened(declared, usual | asked | {"view": view})


def first(scene):
    computation = Computation(scene)
    computation.advance()
    return computation.result


@pytest.mark.parametrize(("epsilon", "delta", "queries"), TEN)
def test_shell_python_and_page_agree_on_radius_and_sigma(epsilon, delta, queries, capsys):
    asked = {"epsilon": epsilon, "delta": delta, "queries": queries}
    shown = computed(opened("bounded_noise", "noise", **asked)).result.noise
    radius, sigma = dpviz.radius(**asked), dpviz.sigma(**asked)
    assert shown.radius == radius.value == on_the_shell(capsys, "radius", **asked)["value"]
    assert shown.sigma == sigma.value == on_the_shell(capsys, "sigma", **asked)["value"]
    assert radius.lower <= radius.upper == radius.value


@pytest.mark.parametrize(("epsilon", "delta", "queries"), TEN)
def test_shell_python_and_page_agree_on_epsilon_and_delta(epsilon, delta, queries, capsys):
    radius = dpviz.radius(epsilon=epsilon, delta=delta, queries=queries).value
    at = {"delta": delta, "queries": queries}
    found = dpviz.epsilon(radius=radius, **at)
    assert found.value == on_the_shell(capsys, "epsilon", radius=radius, **at)["value"]
    shown = first(opened("bounded_noise", "turned", solve_for="epsilon", target=radius, **at))
    # The page begins its search elsewhere: both know the truth to lie between their bounds.
    assert shown.certain.lower <= found.upper
    assert found.lower <= shown.certain.upper
    assert shown.certain.upper == pytest.approx(found.value, rel=5e-3)
    asked = {"epsilon": epsilon, "queries": queries, "radius": radius}
    least = dpviz.delta(**asked)  # which no page shows
    assert least.value == on_the_shell(capsys, "delta", **asked)["value"]


@pytest.mark.parametrize(("coin", "tosses", "epsilon", "success"), TEN_COINS)
def test_shell_python_and_page_agree_on_users(coin, tosses, epsilon, success, capsys):
    asked = {"bias": 0.5 - coin, "examples_per_user": tosses, "epsilon": epsilon}
    found = dpviz.users(**asked, success=success)
    typed = on_the_shell(capsys, "users", **asked, success=success)
    assert (typed["lower"], typed["value"]) == (found.lower, found.value)
    scene = opened(
        "user_complexity",
        "truth",
        task="two",
        coin=coin,
        tosses=tosses,
        task_epsilon=epsilon,
        success=success,
    )
    shown = first(scene)  # before linear programs, which may find what lies between
    assert (shown.proven, shown.laplace) == (found.lower, found.value)


@pytest.mark.parametrize(("epsilon", "delta", "queries"), by_ring(TEN[:3], TEN, TEN))
def test_shell_python_and_page_agree_on_all_mechanisms(epsilon, delta, queries, capsys):
    asked = {"epsilon": epsilon, "delta": delta, "queries": queries}
    found = dpviz.compare(**asked)
    assert on_the_shell(capsys, "compare", **asked) == json.loads(json.dumps(found.as_dict()))
    shown = computed(opened("bounded_noise", "compare", **asked)).result.comparison
    assert shown.as_dict() == found.as_dict()


@pytest.mark.parametrize(("epsilon", "delta", "queries"), TEN[:5])
@pytest.mark.parametrize("noise", ["radius", "sigma"])
def test_what_is_found_leads_back(noise, epsilon, delta, queries):
    size = {noise: getattr(dpviz, noise)(epsilon=epsilon, delta=delta, queries=queries).value}
    back = dpviz.delta(**size, epsilon=epsilon, queries=queries)
    assert back.lower <= delta * (1 + 1e-9)
    assert back.value == pytest.approx(delta, rel=0.05)
    smallest = dpviz.epsilon(**size, delta=delta, queries=queries)
    assert smallest.lower <= epsilon
    assert smallest.value == pytest.approx(epsilon, rel=2e-3)


def test_shell_and_python_agree_on_mechanisms_and_promises(capsys):
    typed = ["gaussian:sigma=2,count=3", "laplace:scale=1"]
    assert command.main(["compose", *typed, "--delta", "1e-6", "--json"]) == 0
    found = dpviz.compose(typed, delta=1e-6)
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.as_dict()))
    for asked in ({"rho": 0.1, "delta": 1e-6}, {"renyi": "8:0.5,16:1.1", "delta": 1e-5}):
        found = dpviz.convert(**asked)
        assert on_the_shell(capsys, "convert", **asked) == json.loads(json.dumps(found.as_dict()))
        assert len(found.beside) == 1
        assert str(found.beside[0]) in repr(found)
        assert found.beside[0].formula in found._repr_html_()


def test_what_fits_in_is_rounded_down():
    found = dpviz.compose([], epsilon=1, delta=0, more="pure:epsilon=1.23456789e-7")
    assert found.value == 8100000  # ⌊10⁷/1.23456789⌋ is 8100000.07…
    many = dpviz.compose([], epsilon=10, delta=0.01, more="gaussian:sigma=12345.6")
    assert 1e8 < float(many.equation.split()[2].replace(",", "")) < many.value


def test_an_answer_has_the_unit_of_the_sensitivity():
    asked = {"epsilon": 1.0, "delta": 1e-6, "queries": 100}
    one, seven = (dpviz.radius(**asked, sensitivity=unit) for unit in (1.0, 7.0))
    assert seven.value == pytest.approx(7 * one.value)
    assert (one.unit, seven.unit) == ("Δ", "")
    same = dpviz.delta(radius=seven.value, epsilon=1.0, queries=100, sensitivity=7.0)
    assert same.upper <= 1e-6 * (1 + 1e-9)
    back = dpviz.epsilon(radius=seven.value, delta=1e-6, queries=100, sensitivity=7.0)
    assert back.value == pytest.approx(1.0, rel=1e-3)


def test_a_search_that_cannot_succeed_is_not_begun(monkeypatch):
    monkeypatch.setattr(coin_tests, "least_users_clipped", None)
    found = dpviz.users(bias=0.1, examples_per_user=1000, epsilon=1e-7)
    assert repr(found).startswith("n is more than 20,000 users at bias = 0.1")
    assert (found.as_dict()["lower"], found.as_dict()["upper"]) == (20_000, None)


def test_users_lie_between_what_is_proven_and_what_succeeds():
    found = dpviz.users(bias=0.1, examples_per_user=5, epsilon=0.5)
    assert 1 <= found.lower <= found.upper < math.inf
    more = dpviz.users(bias=0.1, examples_per_user=50, epsilon=0.5)
    assert more.upper < found.upper


def test_an_answer_is_printed_with_bounds_evidence_and_version():
    found = dpviz.radius(epsilon=0.1, delta=1e-10, queries=10**6)
    for text in (repr(found), found._repr_html_()):
        assert "R = 210,755.5 Δ" in text  # rounded up: it is private
        assert "210,742.7" in text  # rounded down
        assert "certified bounds" in text
        assert "Lemma 10.2" in text
        assert VERSION in text
    tuned = dpviz.radius(epsilon=0.1, delta=1e-10, queries=10**6, noise="tuned")
    assert "barrier = " in repr(tuned)
    assert tuned.value < found.value


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "said"),
    [
        (0.1, 1e-10, 2, "R = 232.2382 Δ at "),
        (0.1, 1e-10, 10, "R = 406.0803 Δ at "),
        (0.1, 1e-10, 100, "R = 1,684.939 Δ at "),
        (0.3, 1e-30, 10, "R = 318.5171 Δ at "),
        (1.0, 1e-5, 10, "R = 28.56956 Δ at "),
    ],
)
def test_noise_drawn_together_is_asked_for_and_leads_back(epsilon, delta, queries, said, capsys):
    asked = {"epsilon": epsilon, "delta": delta, "queries": queries, "noise": "joint"}
    found = dpviz.radius(**asked)
    assert repr(found).startswith(said)
    assert on_the_shell(capsys, "radius", **asked) == json.loads(json.dumps(found.as_dict()))
    at = {"queries": queries, "noise": "joint", "sensitivity": 3.0, "radius": 3 * found.value}
    kept = dpviz.delta(epsilon=epsilon, **at)
    assert kept.value == pytest.approx(delta, rel=1e-9)
    assert on_the_shell(capsys, "delta", epsilon=epsilon, **at)["value"] == kept.value
    least = dpviz.epsilon(delta=delta, **at)
    assert least.value == pytest.approx(epsilon, rel=1e-9)
    assert on_the_shell(capsys, "epsilon", delta=delta, **at)["value"] == least.value
    assert dpviz.delta(epsilon=1e-7, radius=1e-9, queries=queries, noise="joint").value == 1


def test_a_version_is_printed(capsys):
    with pytest.raises(SystemExit) as end:
        command.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"dpviz {VERSION}\n"
    assert dpviz.__version__ == VERSION


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("sigma --epsilon 1e999 --delta 1e-10 --queries 3", "got inf"),
        ("radius --epsilon 1 --delta 1e-10 --queries 0.5", "--queries must be"),
        ("radius --epsilon 1 --delta 1e-10 --queries 5 --noise pink", "--noise must be"),
        ("epsilon --delta 1e-10 --queries 5", "--radius must be given, or sigma"),
        ("epsilon --delta 1e-10 --queries 1e6 --sigma 1", "--sigma must be large enough"),
        ("epsilon --delta 1e-10 --queries 1e6 --radius 2", "--radius must be large enough"),
        ("delta --epsilon 1 --queries 5 --radius 9 --noise tuned", "--noise must be"),
        ("epsilon --delta 1e-6 --queries 1 --radius 0.5", "--radius must be large enough"),
        (
            "epsilon --delta 1e-6 --queries 1 --radius 0.51 --noise iterated",
            "--radius must be large",
        ),
        (
            "radius --epsilon 1 --delta 0.1 --queries 5 --noise pink",
            "power, iterated, tuned, joint, truncated_laplace, end_staircase or truncated_discrete",
        ),
        (
            "delta --epsilon 1 --queries 5 --radius 9 --noise pink",
            "must be power, iterated, joint, truncated_laplace, end_staircase or truncated",
        ),
        ("radius --epsilon 1 --delta 0.1 --queries 1e6 --noise joint", "at most 100,000 here"),
        ("radius --epsilon 1 --delta 0.1 --queries 5 --noise joint --power 3", "--power must be"),
        ("epsilon --delta 0.1 --queries 5 --radius 0.5 --noise joint", "--radius must be large"),
        ("delta --epsilon 1 --queries 5 --radius 1e16 --noise joint", "at most 1e15"),
        ("radius --epsilon -1e-3 --delta 0.1 --queries 5", "--epsilon must be a number from 1e-7"),
        (
            "radius --epsilon 1 --delta 0.1 --queries 5 --noise tuned --power 3",
            "--power must be left",
        ),
        ("delta --epsilon 1 --queries 5 --sigma 9 --noise iterated", "gaussian, laplace, "),
        ("epsilon --delta 0.1 --queries 5 --sigma 9 --power 3", "--power must be left out"),
        ("compose gauss:sigma=2 --delta 1e-6", "mechanisms must be one of gaussian, laplace, "),
        ("compose gaussian:sigma=-2 --delta 1e-6", "sigma must be a number"),
        ("compose pure:epsilon=1 --delta 1e-6 --epsilon 1", "--delta must be given, or epsilon"),
        ("compose --more pure:epsilon=1,count=2 --delta 0 --epsilon 1", "--more must be one mech"),
        ("convert --rho 1", "--delta must be given, or epsilon"),
        ("convert --renyi 8 --delta 1e-6", "--renyi must be orders with their ε, as in 8:0.5"),
        ("convert --epsilon 1 --to pink", "--to must be one of epsilon, delta, rho, mu, renyi"),
        ("error --queries 10 --sigma 1 --noise tuned", "--noise must be gaussian, laplace, "),
        ("epsilon --delta 1e-6 --queries 5 --sigma 9 --scale 3", "--scale must be left out"),
        ("users --bias 0.7 --examples-per-user 3 --epsilon 1", "--bias must be"),
        ("users --bias 0.1 --examples-per-user 1e9 --epsilon 1", "--examples-per-user must be"),
    ],
)
def test_a_mistake_says_what_to_type(typed, words, capsys):
    assert command.main(typed.split()) == 2
    said = capsys.readouterr().err
    assert words in said
    assert f"as in: dpviz {typed.split()[0]} {command.QUESTIONS[typed.split()[0]][2]}" in said


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("radius --epsilon 1", "required: --delta, --queries; as in: dpviz radius --epsilon"),
        ("sigma --epsilon one --delta 1e-3", "--epsilon: 'one' is no number; as in: dpviz sigma"),
        ("sigma --epsilon nan --delta 1e-3", "--epsilon: 'nan' is no number; as in: dpviz sigma"),
        ("sigma --epsilon 0,1 --delta 1e-3", "write a decimal point, as in 0.1; as in: dpviz"),
        ("radius --epsilon 1 --querys 3", "there is no option --querys; perhaps --queries; as in"),
        ("radius --epsilon 1 --colour 3", "there is no option --colour; there are --epsilon, --"),
        ("radius --epsilon 1 --querys=3", "there is no option --querys; perhaps --queries; as in"),
        ("figure a -o a.svg --drak", "dpviz figure: there is no option --drak; perhaps --dark\n"),
        ("radios --epsilon 1", "dpviz: there is no command radios; perhaps radius\n"),
        ("--verison", "dpviz: there is no option --verison; perhaps --version\n"),
        ("--server.port 80 --clas", "dpviz: there is no option --clas; perhaps --class\n"),
        (
            "--class users --bias 0.1",
            "required: --examples-per-user, --epsilon; as in: dpviz users",
        ),
        (f"--class sigma {command.QUESTIONS['sigma'][2]}", "--class has no effect on sigma"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_to_type(typed, words, capsys):
    with pytest.raises(SystemExit) as end:
        command.main(typed.split())
    assert end.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries"),
    [*itertools.product((1e-7, 10.0), (1e-300, 0.5), (1, 10**10)), (0.1, 1e-10, 10**6)],
)
@pytest.mark.parametrize("noise", ["power", "iterated"])
def test_every_radius_that_is_printed_can_be_asked_about(noise, epsilon, delta, queries):
    at = {"delta": delta, "queries": queries, "noise": noise, "sensitivity": 1e-9}
    radius = dpviz.radius(epsilon=epsilon, **at)
    found = dpviz.epsilon(radius=radius.value, **at)
    assert found.lower <= epsilon <= found.upper * 1.01
    assert found.upper <= epsilon * 1.001


@pytest.mark.parametrize("noise", ["power", "iterated"])
@pytest.mark.parametrize("queries", [1, 2, 100])
@pytest.mark.parametrize("radius", [1e-12, 0.5, 0.5000001, 0.51])
def test_of_two_data_sets_whose_answers_have_nothing_in_common_delta_is_1(noise, queries, radius):
    found = dpviz.delta(epsilon=10, queries=queries, radius=radius, noise=noise)
    assert found.upper == 1
    density = calculator._shaped(noise, 2.0)
    told = 1 - np.exp(density.log_tail_from_edge(max(2 - 1 / radius, 0.0)))  # by the support alone
    assert found.lower >= told - 1e-15
    with pytest.raises(ParameterError, match="radius must be large enough"):
        dpviz.epsilon(delta=0.5, queries=queries, radius=radius, noise=noise)


@pytest.mark.parametrize("name", command.QUESTIONS)
def test_what_can_be_typed_is_what_python_takes(name):
    needed, more, example = command.QUESTIONS[name]
    taken = inspect.signature(getattr(dpviz, name)).parameters.values()
    required = [p.name for p in taken if p.default is inspect.Parameter.empty]
    assert [flag.replace("-", "_") for flag in needed] == required
    assert {flag.replace("-", "_") for flag in more} == {p.name for p in taken} - set(required)
    assert command.main([name, *example.split()]) == 0


SCHEMA = Draft202012Validator(json.loads((ASSETS / "schemas" / "answer.json").read_text("utf-8")))


@pytest.mark.parametrize("name", command.QUESTIONS)
def test_what_is_printed_as_json_is_what_its_schema_says(name, capsys):
    assert command.main([name, *command.QUESTIONS[name][2].split(), "--json"]) == 0
    SCHEMA.validate(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("name", command.QUESTIONS)
def test_help_names_each_option_with_its_range(name, capsys):
    needed, more, _ = command.QUESTIONS[name]
    with pytest.raises(SystemExit):
        command.main([name, "--help"])
    said = " ".join(capsys.readouterr().out.partition("options:")[2].split())
    for flag in {*needed, *more} - {"mechanisms"}:
        told = re.search(
            rf"--{flag} (\{{[^}}]*\}}|[A-Z:,.]+) ([^-].*?)(?= --[a-z0-9-]+ [A-Z{{]| --json)", said
        )
        assert told, flag
        if told[1] == "NUMBER":
            assert re.search(r"from \S+ to \S+|between \S+ and \S+", told[2]), flag


RANGES = [
    ("sigma", "epsilon", 100, "--delta 1e-6 --queries 1"),
    ("radius", "epsilon", 10, "--delta 1e-6 --queries 1"),
    ("users", "examples-per-user", 1000, "--bias 0.1 --epsilon 9"),
    ("convert", "rows", 10**6, "--epsilon 1e-7"),
    ("sensitivity", "cells", 1e10, "--touched 1 --most 1 --neighbours substitute"),
    ("delta", "l2", 1e9, "--epsilon 1 --sigma 1e9"),
]


@pytest.mark.parametrize(("name", "flag", "most", "rest"), RANGES)
def test_a_range_in_help_is_the_one_that_holds(name, flag, most, rest, capsys):
    with pytest.raises(SystemExit):
        command.main([name, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    told = re.search(rf"--{flag} NUMBER .*? to (\S+?)[; ]", said)
    assert float(told[1]) == most
    assert command.main([name, *rest.split(), f"--{flag}={most}"]) == 0
    assert command.main([name, *rest.split(), f"--{flag}={2 * most}"]) == 2
    assert f"--{flag} must be" in capsys.readouterr().err


def test_an_answer_is_a_number_where_one_is_needed():
    least = dpviz.sigma(epsilon=1, delta=1e-6, queries=100)
    assert least.value == pytest.approx(42.2468, rel=1e-5)
    assert f"{least:.2f}" == "42.25"  # up, also where the nearest is below:
    assert float(f"{least:.4f}") >= least.value
    assert f"{least:,.1e}" == "4.3e+1"
    assert f"{least}" == repr(least)
    many = dpviz.compose([], epsilon=1, delta=0, more="pure:epsilon=0.3")
    assert f"{many:.0f}" == "3"
    assert f"{dpviz.users(bias=0.1, examples_per_user=1000, epsilon=1e-7):.1f}" == "inf"
    with pytest.raises(ValueError, match=r"as \.3f is"):
        f"{least:pink}"
    more = dpviz.sigma(epsilon=0.5, delta=1e-6, queries=100)
    assert least < more <= more > least >= least == least.value != more
    assert 1 < least < np.float64(43) and least != "42"  # noqa: PT018
    with pytest.raises(TypeError, match=r"compare \.value"):
        assert least < dpviz.radius(epsilon=1, delta=1e-6, queries=100)
    with pytest.raises(TypeError):
        assert least < "43"


def test_answers_and_errors_travel_between_processes():
    asked = {"epsilon": 1.0, "delta": 1e-6, "queries": 10}
    found, table = dpviz.sigma(**asked), dpviz.compare(**asked)
    assert pickle.loads(pickle.dumps(found)).as_dict() == found.as_dict()
    assert pickle.loads(pickle.dumps(table)).as_dict() == table.as_dict()
    for error in (ParameterError("epsilon", "small", 3.0), NoFileError("data")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize(
    ("name", "asked", "words"),
    [
        ("sigma", {"epsilon": 1, "delta": 1e-6}, "dpviz.minimal_sigma takes arrays"),
        ("radius", {"epsilon": 1, "delta": 1e-6}, "dpviz.minimal_radii and dpviz.tuned_noises"),
        ("epsilon", {"delta": 1e-6, "sigma": 9}, "call it once for each"),
        ("delta", {"epsilon": 1, "sigma": 9}, "privacy_delta in dpviz.maths.gaussian"),
        ("error", {"sigma": 9}, "max_error in dpviz.maths.gaussian"),
        ("compare", {"epsilon": 1, "delta": 1e-6}, "dpviz.minimal_sigma and dpviz.minimal_radii"),
    ],
)
@pytest.mark.parametrize("many", [[1, 10], np.array([1.0, 10.0]), np.ones(1)])
def test_an_array_is_refused_with_the_name_of_what_takes_arrays(name, asked, words, many):
    with pytest.raises(ParameterError, match=f"queries must be one number here; {words}"):
        getattr(dpviz, name)(**asked, queries=many)


def test_noises_have_the_same_names_for_one_and_for_many():
    at = {"epsilon": 1.0, "delta": 1e-6, "queries": 100}
    for name, noise in (("power", PowerNoise(2.0)), ("iterated", IteratedExponentialNoise())):
        ends = {
            float(found)
            for each in (name, noise)
            for found in (dpviz.radius(**at, noise=each), dpviz.minimal_radii(each, **at).upper)
        }
        assert max(ends) <= min(ends) * (1 + 1e-4)
        assert dpviz.radius(**at, noise=name).value == dpviz.radius(**at, noise=noise).value
    other = dpviz.radius(**at, noise=PowerNoise(3.0))
    assert other.value == dpviz.radius(**at, noise="power", power=3.0).value
    with pytest.raises(ParameterError, match=r"dpviz\.tuned_noises"):
        dpviz.minimal_radii("tuned", **at)


def test_a_row_that_is_missing_is_named_beside_those_there_are():
    with pytest.raises(KeyError, match="no row 'gauss'; there are textbook_gaussian, gaussian"):
        dpviz.compare(epsilon=1, delta=1e-6, queries=1).row("gauss")


@pytest.mark.parametrize("name", dpviz.__all__)
def test_the_public_names_are_few_and_say_what_they_are(name):
    offered = getattr(dpviz, name)
    assert name in dir(dpviz)
    assert f"``{name}``" in dpviz.__doc__
    if name != "__version__":
        assert offered.__doc__
        assert len(f"{name}{inspect.signature(offered)}") < 300
        assert "Union" not in str(inspect.signature(offered))


def test_a_name_that_is_not_offered_is_an_error_that_lists_what_is():
    with pytest.raises(AttributeError, match="it offers radius"):
        dpviz.raduis  # noqa: B018
    assert calculator.NOISES
    assert comparison.NAMES
    with pytest.raises(ParameterError):
        dpviz.sigma(epsilon=0.0, delta=1e-6, queries=1)
