"""View: the noise of DelStab beside plain noise, along m."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from dpviz.maths.local_deletion import EXAMPLES
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.plain import (
    Comparison,
    least_examples,
    on_well_behaved_users,
    proof_examples,
    proven_examples,
)
from dpviz.topics.propose_test_release.users_needed import UsersNeeded, users_needed

_POINTS = 49  # along the page's own range of m
_FEWER = 4  # points for each tenfold beyond


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseChart(Chart):
    """The noise of DelStab and of plain noise on the sum, against m, on well-behaved users.

    at: the comparison at the reader's m. break_even: the m from which DelStab's noise is the
    smaller one, 0 if it is everywhere and infinite if not up to a billion; at c = 1 it is from
    proven on for 95% of data sets (Hoeffding's inequality), from proof on with the constants of the
    proof of Theorem 17.
    """

    at: Comparison
    break_even: float
    proven: float
    proof: float
    users: int
    kappa: int


class ModelSetting(TypedDict):
    """What `against_plain_noise` takes: `Setting` without the data and their randomness."""

    users: float
    examples_per_user: float
    rate: float
    noise: str
    noise_factor: float
    epsilon: float
    delta: float


def against_plain_noise(**setting: Unpack[ModelSetting]) -> NoiseChart | UsersNeeded:
    """Return `noise_chart` for well-behaved users. Raises `ParameterError`."""
    users = int(validate("users", setting["users"]))
    needed = users_needed(users, Budget(setting["epsilon"], setting["delta"]))
    return noise_chart(**setting) if needed is None else needed


def noise_chart(**setting: Unpack[ModelSetting]) -> NoiseChart:
    """Return the standard deviations of the noise on the sum of n users, along m.

    DelStab's noise is that of `on_well_behaved_users`. users: more than 4κ. Raises
    `ParameterError`.
    """
    n = int(validate("users", setting["users"]))
    here = int(EXAMPLES.validate(setting["examples_per_user"]))
    budget = Budget(setting["epsilon"], setting["delta"])
    compared = on_well_behaved_users(
        users=n,
        rate=validate("rate", setting["rate"]),
        noise=setting["noise"],
        noise_factor=validate("noise_factor", setting["noise_factor"]),
        budget=budget,
    )
    break_even = least_examples(compared)
    sizes, at = _sizes(here, break_even), compared(here)
    return NoiseChart(
        x=Axis("examples_per_user", "Examples each user holds, m"),
        y=Axis("deviation", "Standard deviation of the noise, at the same ε and δ"),
        curves=_curves(sizes, [compared(int(m)) for m in sizes]),
        landmarks=_mark(break_even, compared),
        here=float(here),
        in_headline=("delstab", at.plain[0].lower()),
        at=at,
        break_even=break_even,
        proven=proven_examples(n, budget),
        proof=proof_examples(n, budget),
        users=n,
        kappa=budget.kappa,
    )


def _sizes(here: int, break_even: float) -> FloatArray:
    """Return values of m: those of the page, and beyond them until the curves have crossed."""
    most = EXAMPLES.maximum
    sizes = [here, *np.geomspace(1, most, _POINTS)]
    if most < 3 * break_even < math.inf:
        steps = math.ceil(_FEWER * math.log10(3 * break_even / most)) + 1
        sizes += [break_even, *np.geomspace(most, 3 * break_even, steps)]
    return np.unique(np.rint(sizes))


def _mark(break_even: float, compared: Callable[[int], Comparison]) -> tuple[Landmark, ...]:
    if not 0 < break_even < math.inf:
        return ()
    height = compared(int(break_even)).delstab
    return (Landmark(break_even, height, "testing adds less from here on", Subject.USER_LEVEL),)


def _curves(sizes: FloatArray, known: list[Comparison]) -> tuple[Curve, ...]:
    laplace = Source("dpviz.topics.propose_test_release", "Laplace mechanism, closed form")
    gaussian = Source("Balle & Wang 2018", "Theorem 8")
    drawn = (
        ("delstab", "testing first", Subject.USER_LEVEL, Source(UL, "Algorithm 1")),
        ("laplace", "plain Laplace", Subject.LAPLACE, laplace),
        ("gaussian", "plain Gaussian", Subject.GAUSSIAN, gaussian),
    )
    return tuple(
        Curve(
            key,
            label,
            subject,
            Evidence.EXACT,
            source,
            sizes,
            np.array([getattr(comparison, key) for comparison in known]),
        )
        for key, label, subject, source in drawn
    )
