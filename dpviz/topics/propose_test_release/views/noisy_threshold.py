"""View: the noisy threshold, by which chance decides how many users the test may leave out."""

from typing import Unpack

from dpviz.results.evidence import Axis, Curve, Evidence, Source, Subject
from dpviz.results.papers import UL
from dpviz.topics.propose_test_release.data import Setting, release
from dpviz.topics.propose_test_release.delstab import DelStab
from dpviz.topics.propose_test_release.passing_sizes import (
    SIZES,
    PassingSizes,
    passing_mark,
    some_sizes,
)
from dpviz.topics.propose_test_release.users_needed import UsersNeeded


def noisy_threshold(**setting: Unpack[Setting]) -> PassingSizes | UsersNeeded:
    """Return `threshold_law` on the data. Raises `ParameterError`."""
    algorithm = release(setting)
    return algorithm if isinstance(algorithm, UsersNeeded) else threshold_law(algorithm)


def threshold_law(release: DelStab) -> PassingSizes:
    """Return the law of R₁; `holds` is False where the test fails, so that ⊥ is the answer."""
    law, least, sizes = release.budget.threshold, release.least_size, some_sizes(release)
    curve = Curve(
        key="pmf",
        label="noisy threshold R₁",
        subject=Subject.USER_LEVEL,
        evidence=Evidence.EXACT,
        source=Source(UL, "Definition 8"),
        x=sizes,
        y=law.pmf(sizes),
        holds=sizes >= least,
        assumption="a stable set of R₁ users exists; otherwise the answer is ⊥",
    )
    return PassingSizes(
        x=SIZES,
        y=Axis("probability", "probability of R₁", log=False),
        curves=(curve,),
        marks=passing_mark(release, float(law.pmf(least))),
        least_size=least,
        refusal=release.refusal_probability,
        kappa=release.budget.kappa,
    )
