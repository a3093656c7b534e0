"""View: the search for a stable set, the least spread for each R₁."""

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from dpviz.results.evidence import Axis, Curve, Evidence, FloatArray, Source, Subject
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


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastSpreads(PassingSizes):
    """The least spread for each R₁ against the limit: the spread up to which outputs are close."""

    limit: float


def stable_set(**setting: Unpack[Setting]) -> LeastSpreads | UsersNeeded:
    """Return `least_spreads` of the data. Raises `ParameterError`."""
    algorithm = release(setting)
    return algorithm if isinstance(algorithm, UsersNeeded) else least_spreads(algorithm)


def least_spreads(release: DelStab) -> LeastSpreads:
    """Return the least spread along R₁, the limit below which it must be, and where it gets there.

    The test fails left of `least_size` and passes from there on, as a stable set stays stable
    when a user is added.
    """
    sizes = some_sizes(release)
    spreads = np.array([release.search(int(size)).spread for size in sizes])
    limits = np.full(sizes.shape, release.limit)
    return LeastSpreads(
        x=SIZES,
        y=Axis("spread", "spread of the sums that are left", log=False),
        curves=(
            _exact("spread", "least spread of any set", sizes, spreads),
            replace(_exact("limit", "close up to here", sizes, limits), second=True, weight=0.6),
        ),
        marks=passing_mark(release, release.limit),
        least_size=release.least_size,
        refusal=release.refusal_probability,
        kappa=release.budget.kappa,
        limit=release.limit,
    )


def _exact(key: str, label: str, x: FloatArray, y: FloatArray) -> Curve:
    return Curve(
        key=key,
        label=label,
        subject=Subject.USER_LEVEL,
        evidence=Evidence.EXACT,
        source=Source(UL, "Algorithm 1"),
        x=x,
        y=y,
    )
