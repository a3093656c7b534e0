"""Every bound of the papers' tables on the number of users, live over m."""

from collections.abc import Iterable, Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.plot.text import counted
from dpviz.results.parameters import LIMITS, Limit, ParameterError
from dpviz.scene.asking import value_at_here
from dpviz.scene.codec import Choice, Flag, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise, View
from dpviz.topics.user_complexity import coin_words, figures, learning_words, words
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.comparing import is_user_upper, one_example_each
from dpviz.topics.user_complexity.learning_tasks import COVERS, LEARNED
from dpviz.topics.user_complexity.monomials import PARAMETERS
from dpviz.topics.user_complexity.rows import select
from dpviz.topics.user_complexity.views.budget import budget_against_m
from dpviz.topics.user_complexity.views.hidden_constants import hidden_constants
from dpviz.topics.user_complexity.views.learning import users_to_learn
from dpviz.topics.user_complexity.views.least_users import TASKS, least_users_against_m
from dpviz.topics.user_complexity.views.own_bound import own_bound
from dpviz.topics.user_complexity.views.pure_approximate import pure_against_approximate
from dpviz.topics.user_complexity.views.representation import users_against_domain
from dpviz.topics.user_complexity.views.users import users_against
from dpviz.ui.frame import render

_PROBLEMS = {
    "discrete": "Discrete distribution",
    "product": "Product distribution",
    "gaussian_known": "Gaussian, known Σ",
    "gaussian_bounded": "Gaussian, bounded Σ",
    "pac": "PAC",
    "agnostic": "Agnostic PAC",
    "selection": "Hypothesis selection",
}
_AXES = {"m": "m", "epsilon": "ε", "alpha": "α", "d": "d", "k": "k", "d_L": "d_L", "d_VC": "d_VC"}
_RARE = ("failure_probability", "littlestone_power", "sq_power", "examples_power")
_CENTRAL = (
    "examples_per_user",
    "epsilon",
    "delta",
    "alpha",
    "dimension",
    "domain_size",
    "littlestone_dimension",
    "littlestone_power",
    "examples_power",
)
_TABLES = (
    *_CENTRAL,
    "vc_dimension",
    "sq_dimension",
    "hypotheses",
    "failure_probability",
    "sq_power",
)
_WHICH = ("problem", "privacy", "model")
_OWN = ("n_priv", "n_stat", "c")
_COINS = ("tosses", "task_epsilon", "coin", "success")
_LEARNING = ("learned", "dimensions", "examples_held", "task_epsilon", "target_error")
_MEASURING = ("dimensions", "examples_held", "target_error")
_VARIANTS = ("clip_scale", "cover")
_DISPLAY = ("quantity", "constant", "item", "earlier", "lower")
_FEWEST = Limit("guess", "users", "with whom it can be told", 1, 1e5, 20, integer=True)


def rows(values: Mapping[str, Value], *privacies: Value, model: Value) -> list[Row]:
    """Return the bounds of the chosen problem, none if the papers leave out one of the kinds."""
    try:
        return [
            row
            for privacy in privacies
            for row in select(
                problem=str(values["problem"]), privacy=str(privacy), model=str(model)
            )
        ]
    except ParameterError:
        return []


def unused(bounds: Iterable[Row]) -> set[str]:
    """Name the parameters of the tables that none of the bounds depends on."""
    return {*_TABLES} - {PARAMETERS[symbol] for row in bounds for symbol in row.parameters}


def offered_axes(values: Mapping[str, Value]) -> dict[str, list[str]]:
    """Name the parameters along which some bound for the chosen problem moves."""
    bounds = rows(values, values["privacy"], model=values["model"])
    moving = [key for key in _AXES if any(key in row.parameters for row in bounds)]
    return {"axis": moving} if moving else {}


def against_one_each(bounds: list[Row]) -> list[Row]:
    """Return the bounds that say how many users are enough, with m examples or with one."""
    return [row for row in bounds if is_user_upper(row) or row is one_example_each(tuple(bounds))]


def idle_users(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the bounds for the chosen problem."""
    bounds = rows(values, values["privacy"], model=values["model"])
    idle = unused(bounds) | (set() if bounds else {"axis", *_DISPLAY})
    if sum(map(is_user_upper, bounds)) < 2:
        idle.add("earlier")
    return idle if any(row.bound == "lower" for row in bounds) else idle | {"lower"}


def idle_constants(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the new bound and its competitors; δ is in its logarithm."""
    bounds = against_one_each(rows(values, values["privacy"], model=values["model"]))
    if not bounds:
        return {*_TABLES, "constant", "log_power"}
    logarithm = values["privacy"] == "approximate" and values["log_power"]
    return unused(bounds) - ({"delta"} if logarithm else set())


def idle_pure(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the upper bounds of either kind of privacy."""
    kinds = [rows(values, privacy, model="central") for privacy in ("pure", "approximate")]
    return unused(row for bounds in kinds if all(kinds) for row in against_one_each(bounds))


def idle_learning(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the users measured: labels have no cover, correct ones no C."""
    return {"labels": {*_VARIANTS}, "noisy_labels": {"cover"}}.get(str(values["learned"]), set())


def users_are_needed(values: Mapping[str, Value]) -> bool:
    """Tell whether guessing does not do: it names one of two coins half the time."""
    return values["task"] != "two" or float(values["success"]) > 0.5


def promise(values: Mapping[str, Value]) -> Promise:
    """Say in odds what is asked of the algorithms, for a user with all examples."""
    return Promise(
        pure=values["view"] == "representation"
        or values["view"] == "learning"
        or (values["view"] in ("users", "constants") and values["privacy"] == "pure")
    )


PAGE = Page(
    slug="user_complexity",
    parameters=(
        Choice("problem", "Problem", _PROBLEMS, "discrete"),
        Choice("privacy", "Privacy", {"pure": "Pure", "approximate": "Approximate"}, "pure"),
        Choice("model", "Model", {"central": "Central", "local": "Local"}, "central"),
        Choice("axis", "Along", _AXES, "m"),
        Choice("quantity", "Count", {"users": "Users, n", "samples": "Examples, n·m"}, "users"),
        *(Number(LIMITS[name]) for name in (*_TABLES, "constant", "log_power", *_OWN)),
        Flag("item", "Item-level bounds", True),
        Flag("earlier", "Earlier work", True),
        Flag("lower", "Lower bounds", True),
        Choice("task", "To tell apart", TASKS, "two"),
        *(Number(LIMITS[name]) for name in _COINS),
        Choice("learned", "What is learned", LEARNED, "product"),
        *(Number(LIMITS[name]) for name in (*_MEASURING, "clip_scale")),
        Choice("cover", "Radius of the cover", COVERS, "half"),
        Seed(),
    ),
    views=(
        View(
            key="users",
            title="Users against m",
            compute=users_against,
            figure=figures.users_figure,
            takeaway=words.users_takeaway,
            detail=words.users_detail,
            parameters=(*_WHICH, "axis", *_TABLES, *_DISPLAY),
            folded=(*_RARE, *_DISPLAY),
            essential=("problem", "privacy", "examples_per_user", "epsilon", "alpha"),
            idle=idle_users,
            offers=offered_axes,
            notes=lambda chart: chart.notes,
        ),
        View(
            key="constants",
            title="What the constants hide",
            compute=hidden_constants,
            figure=draw,
            takeaway=words.constants_takeaway,
            detail=words.constants_detail,
            parameters=("constant", "log_power", *_WHICH, *_TABLES),
            folded=_RARE,
            essential=("constant", "log_power", "problem", "examples_per_user"),
            idle=idle_constants,
            notes=lambda chart: chart.notes,
        ),
        View(
            key="budget",
            title="Theorem 10",
            compute=budget_against_m,
            figure=draw,
            takeaway=words.budget_takeaway,
            detail=words.budget_detail,
            parameters=("examples_per_user", "epsilon", "delta"),
        ),
        View(
            key="own",
            title="Your own bound",
            compute=own_bound,
            figure=draw,
            takeaway=words.own_takeaway,
            detail=words.own_detail,
            parameters=(*_OWN, "examples_per_user", "epsilon", "delta", "constant"),
            folded=("constant",),
            essential=("examples_per_user", "epsilon", "delta"),
            notes=lambda chart: chart.notes,
        ),
        View(
            key="kinds",
            title="Pure against approximate",
            compute=pure_against_approximate,
            figure=draw,
            takeaway=words.pure_approximate_takeaway,
            detail=words.pure_approximate_detail,
            parameters=("problem", *_CENTRAL),
            folded=("littlestone_power", "examples_power"),
            essential=("problem", "examples_per_user", "epsilon", "alpha"),
            idle=idle_pure,
            notes=lambda chart: chart.notes,
        ),
        View(
            key="representation",
            title="What d counts",
            compute=users_against_domain,
            figure=draw,
            takeaway=words.representation_takeaway,
            detail=words.representation_detail,
            notes=words.representation_notes,
            parameters=("domain_size", "alpha", "epsilon", "examples_per_user"),
        ),
        View(
            key="truth",
            title="The fewest there can be",
            compute=least_users_against_m,
            figure=draw,
            takeaway=coin_words.truth_takeaway,
            detail=coin_words.truth_detail,
            parameters=("task", *_COINS),
            essential=("task", "tosses", "task_epsilon"),
            notes=coin_words.truth_notes,
            prediction=value_at_here(
                "Every user tosses the same coin. How many users does even the best private "
                "algorithm need to tell which coin it is?",
                _FEWEST,
                "optimum",
                hidden=("laplace", "exponential", "proven"),
                answer=lambda users: counted(users, "user"),
                otherwise=coin_words.truth_bounds,
                applies=users_are_needed,
            ),
        ),
        View(
            key="learning",
            title="Tasks in d dimensions",
            compute=users_to_learn,
            figure=draw,
            takeaway=learning_words.learning_takeaway,
            detail=learning_words.learning_detail,
            parameters=(*_LEARNING, "axis", *_VARIANTS, "seed"),
            folded=_VARIANTS,
            essential=_LEARNING,
            idle=idle_learning,
            offers=lambda _: {"axis": ["m", "d"]},
            notes=learning_words.learning_notes,
            first_seconds=1.0,
            prediction=value_at_here(
                "A private algorithm selects among candidates that cover all the distributions, or "
                "labellings, there can be. How many users does it need?",
                _FEWEST,
                "measured",
                hidden=("row", "plain", "proven"),
                answer=lambda users: counted(users, "user"),
            ),
        ),
    ),
    presets=(
        Preset(
            "The √m saving",
            {
                "epsilon": 0.001,
                "alpha": 0.01,
                "domain_size": 10,
                "examples_per_user": 100,
            },
        ),
        Preset("The fewest users there can be", {"view": "truth"}),
        Preset(
            "Six dimensions, measured",
            {"view": "learning", "axis": "d", "target_error": 0.3, "task_epsilon": 1.0},
        ),
        Preset(
            "Gaussians, many examples each",
            {"view": "learning", "learned": "known", "dimensions": 1, "task_epsilon": 2.0},
        ),
        Preset("Three coins", {"view": "truth", "task": "three", "task_epsilon": 1.0}),
        Preset(
            "Many examples: where earlier work starts to hold",
            {
                "problem": "pac",
                "dimension": 20.0,
                "epsilon": 0.5,
                "examples_per_user": 10**6,
            },
        ),
        Preset(
            "Pure equals approximate at intermediate m",
            {"view": "kinds", "epsilon": 0.01, "alpha": 0.001, "examples_per_user": 1000},
        ),
        Preset(
            "Local model",
            {
                "problem": "pac",
                "model": "local",
                "dimension": 20.0,
                "epsilon": 0.5,
                "examples_per_user": 10**7,
            },
        ),
        Preset(
            "Parity in the local model",
            {
                "problem": "pac",
                "model": "local",
                "dimension": 100.0,
                "sq_dimension": 1e20,
                "epsilon": 0.5,
                "examples_per_user": 10**9,
            },
        ),
        Preset(
            "Constants eat up the saving",
            {"view": "constants", "problem": "pac", "constant": 4.0, "log_power": 1.0},
        ),
    ),
    promise=promise,
)

if __name__ == "__main__":
    render(PAGE)
