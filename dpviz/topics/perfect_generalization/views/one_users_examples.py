"""View: change one user's m examples at a time (Theorem 17), and √m appears."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths.generalization_bounds import SMALL, group_privacy
from dpviz.maths.local_deletion import EXAMPLES, range_law, theorem_17_derived, theorem_17_shape
from dpviz.maths.sum_mechanisms import SumMechanism
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.refining import coarse_to_fine
from dpviz.topics.perfect_generalization.closeness import surely_within
from dpviz.topics.perfect_generalization.item_privacy import (
    covered,
    item_privacy,
    slope_around,
    where_positive,
)
from dpviz.topics.perfect_generalization.named_mechanisms import named_noise

LARGEST = EXAMPLES.maximum
"""The most examples of a user that are computed, at the end of the axis."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UserChart(Chart):
    """The ε at which a mechanism is (1, ε, δ)-local-deletion DP with probability 1 − β, along m.

    needed: at the reader's m, exactly; surely: one that holds without δ, inf if none;
    users: how many; slope: d ln ε/d ln m over the decade around it. delta: δ′;
    failure_probability: β, a share of the data sets.
    """

    delta: float
    failure_probability: float
    needed: float
    surely: float
    users: float
    group: float
    slope: float


def one_users_examples(
    *,
    noise: str,
    users: float,
    examples_per_user: float,
    epsilon: float,
    sigma: float,
    delta: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
    constant: float,
) -> Iterator[UserChart]:
    """Yield `user_growth` for a named noise.

    The other arguments are those of `how_close_how_likely`.
    """
    yield from user_growth(
        named_noise(noise, epsilon=epsilon, sigma=sigma),
        users=users,
        examples_per_user=examples_per_user,
        rate=rate,
        delta=closeness_delta,
        failure_probability=failure_probability,
        constant=constant,
        item_delta=delta,
    )


def user_growth(
    mechanism: SumMechanism,
    *,
    users: float,
    examples_per_user: float,
    rate: float,
    delta: float,
    failure_probability: float,
    constant: float = 1.0,
    item_delta: float | None = None,
) -> Iterator[UserChart]:
    """Yield the exact ε of local-deletion DP along m, beside Theorem 17 and group privacy, m·ε.

    Each of the n users holds m Bernoulli(rate) bits. The outputs without one user and without
    another differ by the difference of these two users' sums, so ε belongs to the quantile of
    largest − smallest sum, whose law is exact (`dpviz.maths.local_deletion.range_law`).
    examples_per_user: the reader's m, up to 1e6; delta: δ. Raises `ParameterError`.
    """
    n, here = validate("users", users), EXAMPLES.validate(examples_per_user)
    p, allowed = validate("rate", rate), validate("closeness_delta", delta)
    beta = validate("failure_probability", failure_probability)
    view = _View(mechanism, n, here, allowed, beta, constant, item_delta)
    near = [float(round(here * f)) for f in (10**-0.5, 10**0.5)]
    even = np.rint(np.geomspace(1, EXAMPLES.maximum, 25))
    grid = [here, *near, *even[coarse_to_fine(even.size, 4)]]
    known: dict[float, float] = {}
    surely = math.nan
    values = [m for m in dict.fromkeys(grid) if 1 <= m <= EXAMPLES.maximum]
    for i, m in enumerate(values):
        width = range_law(int(n), examples_per_user=int(m), rate=p).quantile(beta)
        known[m] = float(mechanism.least_epsilon(width, delta=allowed))
        if m == here:
            surely = surely_within(mechanism, width)
        if i % 5 == 4 or m == values[-1]:
            yield view.chart(known, surely, done=(i + 1) / len(values))


@dataclass(frozen=True)
class _View:
    mechanism: SumMechanism
    users: float
    here: float
    delta: float
    failure_probability: float
    constant: float
    item_delta: float | None

    def chart(self, known: dict[float, float], surely: float, *, done: float) -> UserChart:
        """Return what is known so far, ε by m; done: which part of it all that is."""
        m = np.array(sorted(known))
        exact = np.array([known[x] for x in m])
        promises = self._promises(m)
        return UserChart(
            x=Axis("examples_per_user", "Examples each user holds, m"),
            y=Axis("epsilon", "ε′ when one user is exchanged"),
            curves=(
                Curve(
                    key="exact",
                    label="one user for another, exactly",
                    subject=Subject.ITEM_LEVEL,
                    evidence=Evidence.EXACT,
                    source=Source("dpviz.maths.local_deletion", "law of the range"),
                    x=m,
                    y=where_positive(exact),
                ),
                *(replace(curve, y=where_positive(curve.y)) for curve in promises),
            ),
            here=self.here,
            done=done,
            in_headline=("exact", "group"),
            delta=self.delta,
            failure_probability=self.failure_probability,
            needed=known.get(self.here, math.nan),
            surely=surely,
            users=self.users,
            group=float(promises[0].y[np.searchsorted(m, self.here)]),
            slope=slope_around(self.here, m, exact),
        )

    def _promises(self, m: FloatArray) -> tuple[Curve, ...]:
        """Return group privacy and both versions of Theorem 17."""
        own = item_privacy(self.mechanism, m, delta=self.delta, item_delta=self.item_delta)
        group = group_privacy(m, epsilon=own.epsilon, log_delta=own.log_delta)
        shape = theorem_17_shape(
            self.users,
            r=1,
            examples_per_user=m,
            epsilon=own.epsilon,
            log_delta=own.log_shape_delta,
            failure_probability=self.failure_probability,
        )
        derived = theorem_17_derived(
            self.users,
            r=1,
            examples_per_user=m,
            epsilon=own.epsilon,
            log_delta=own.log_delta,
            failure_probability=self.failure_probability,
            delta=self.delta,
        )
        return (
            Curve(
                key="group",
                label="group privacy, mε",
                subject=Subject.EARLIER,
                evidence=Evidence.PUBLISHED,
                source=Source(UL, "Lemma 6"),
                x=m,
                y=group.epsilon,
                holds=group.log_delta <= math.log(self.delta),
                assumption="δ covers that of a group of m",
            ),
            Curve(
                key="theorem_17",
                label="Theorem 17, up to constants",
                subject=Subject.USER_LEVEL,
                evidence=Evidence.ASYMPTOTIC,
                source=Source(UL, "Theorem 17"),
                x=m,
                y=self.constant * shape,
                holds=(shape <= SMALL) & covered(own.log_shape_delta + np.log(m), self.delta),
                assumption="ε r √(m ln(n/(βδ))) is sufficiently small (drawn grey above 1), and δ "
                "covers m times the mechanism's",
            ),
            Curve(
                key="derived",
                label="Theorem 17, its proof's constants",
                subject=Subject.USER_LEVEL,
                evidence=Evidence.UPPER,
                source=Source(UL, "proof of Theorem 17, constants reconstructed"),
                x=m,
                y=derived,
                holds=np.isfinite(derived),
                assumption="2ε ≤ 1, and δ large enough for m times the mechanism's",
            ),
        )
