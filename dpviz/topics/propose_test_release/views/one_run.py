"""View: one run of DelStab, and what its test does with every user."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.topics.propose_test_release.data import Setting, release, unit_of_distance
from dpviz.topics.propose_test_release.delstab import DelStab, Outcome
from dpviz.topics.propose_test_release.plain import Comparison, compare, noise_deviation
from dpviz.topics.propose_test_release.roles import Role, roles
from dpviz.topics.propose_test_release.users_needed import UsersNeeded

_MOST_DOTS = 1500


@dataclass(frozen=True, eq=False)
class Run(Result):
    """One run of DelStab, and the part of every user in its test.

    release: the algorithm on its data; outcome: what happened; roles: the `Role` of each user in
    the search for the R₁ drawn; comparison: its noise beside plain noise, for sums cut off to
    [0, m], on the wage panel to the range of the panel's own sums. unit_of_data: whether the least
    noise for well-behaved users is taken from the data, too.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "sum": "sum of one user's examples, in the unit of the data",
            "part": "the user's part in the test",
        }
    )

    other_origins = (
        Origin(Evidence.SIMULATED, Source(UL, "Algorithm 1")),
        Origin(Evidence.EXACT, Source("Balle & Wang 2018", "Theorem 8, for the plain noise")),
    )

    release: DelStab
    outcome: Outcome
    roles: NDArray[np.int8]
    comparison: Comparison
    unit_of_data: bool

    def dots(self, role: Role) -> FloatArray:
        """Return the sums of users of this part, ascending: all, or evenly spread by rank."""
        sums = np.sort(self.release.sums[self.roles == role])
        if sums.size <= _MOST_DOTS:
            return sums
        places = np.linspace(0, sums.size - 1, _MOST_DOTS).round().astype(int)
        return np.asarray(sums[places])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the dots: sum and part."""
        dots = {role: self.dots(role) for role in Role}
        return {
            "sum": np.concatenate(list(dots.values())),
            "part": np.concatenate(
                [np.full(sums.size, role.name.lower()) for role, sums in dots.items()]
            ),
        }


def one_run(**setting: Unpack[Setting]) -> Run | UsersNeeded:
    """Return one run of DelStab on the data. Raises `ParameterError`."""
    algorithm = release(setting)
    if isinstance(algorithm, UsersNeeded):
        return algorithm
    outcome = algorithm.run(setting["rng"])
    comparison = _comparison(algorithm, setting)
    parts = roles(algorithm, outcome.threshold)
    return Run(algorithm, outcome, parts, comparison, unit_of_data=setting["data"] == "wages")


def _comparison(release: DelStab, setting: Setting) -> Comparison:
    """Return the run's noise beside plain noise on the sum of all users."""
    sums = release.sums
    wages = setting["data"] == "wages"
    low, high = (sums.min(), sums.max()) if wages else (0.0, unit_of_distance(setting, sums))
    return compare(
        noise_deviation(release.mechanism),
        users=release.users,
        bound=float(high - low),
        budget=release.budget,
        cut=float(sums.sum() - np.clip(sums, low, high).sum()),
    )
