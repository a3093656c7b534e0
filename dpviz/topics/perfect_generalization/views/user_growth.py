"""View: change one user's m examples at a time (Theorem 17), and √m appears."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths.generalization_bounds import SMALL, group_privacy
from dpviz.maths.local_deletion import EXAMPLES, range_law, theorem_17_derived, theorem_17_shape
from dpviz.maths.sum_mechanisms import SumMechanism
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.perfect_generalization.item_privacy import item_privacy


@dataclass(frozen=True, eq=False, kw_only=True)
class UserChart(Chart):
    """The ε at which a mechanism is (1, ε, δ)-local-deletion DP with probability 1 − β, along m.

    needed: at the reader's m, exactly; slope: d ln ε/d ln m over the decade around it.
    """

    needed: float
    slope: float
    finished: bool


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
    near = [float(round(here * f)) for f in (10**-0.5, 10**0.5)]
    grid = [here, *near, *np.rint(np.geomspace(1, EXAMPLES.maximum, 25))]
    known: dict[float, float] = {}
    values = [m for m in dict.fromkeys(grid) if 1 <= m <= EXAMPLES.maximum]
    for i, m in enumerate(values):
        width = range_law(int(n), examples_per_user=int(m), rate=p).quantile(beta)
        known[m] = float(mechanism.least_epsilon(width, delta=allowed))
        finished = i == len(values) - 1
        if finished or i % 5 == 4:
            yield _chart(mechanism, known, n, here, allowed, beta, constant, item_delta, finished)


def _chart(
    mechanism: SumMechanism,
    known: dict[float, float],
    users: float,
    here: float,
    delta: float,
    beta: float,
    constant: float,
    item_delta: float | None,
    finished: bool,
) -> UserChart:
    m = np.array(sorted(known))
    exact = np.array([known[x] for x in m])
    privacy = item_privacy(mechanism, m, delta=delta, item_delta=item_delta)
    group = group_privacy(m, epsilon=privacy.epsilon, log_delta=privacy.log_delta)
    shape = theorem_17_shape(
        users,
        r=1,
        examples_per_user=m,
        epsilon=privacy.epsilon,
        log_delta=privacy.log_shape_delta,
        failure_probability=beta,
    )
    derived = theorem_17_derived(
        users,
        r=1,
        examples_per_user=m,
        epsilon=privacy.epsilon,
        log_delta=privacy.log_delta,
        failure_probability=beta,
        delta=delta,
    )
    near = (m >= here / 3.5) & (m <= here * 3.5) & (exact > 0)
    slope = math.nan
    if np.count_nonzero(near) >= 2:
        slope = float(np.polyfit(np.log(m[near]), np.log(exact[near]), 1)[0])

    def curve(key: str, label: str, y: FloatArray, evidence: Evidence, item: str) -> Curve:
        holds = {
            "theorem_17": shape <= SMALL,
            "group": group.log_delta <= math.log(delta),
            "derived": np.isfinite(derived),
        }
        assumptions = {
            "theorem_17": "ε r √(m ln(n/(βδ))) is sufficiently small (drawn grey above 1)",
            "group": "δ covers that of a group of m",
            "derived": "2ε ≤ 1, and δ large enough for m times the mechanism's",
        }
        subjects = {"exact": Subject.ITEM_LEVEL, "group": Subject.EARLIER}
        return Curve(
            key=key,
            label=label,
            subject=subjects.get(key, Subject.USER_LEVEL),
            evidence=evidence,
            source=Source(UL if key != "exact" else "dpviz.maths.local_deletion", item),
            x=m,
            y=np.where((y > 0) & np.isfinite(y), y, np.nan),
            holds=holds.get(key),
            assumption=assumptions.get(key, ""),
        )

    return UserChart(
        x=Axis("examples_per_user", "examples each user holds, m"),
        y=Axis("epsilon", "privacy loss ε when one user's examples change"),
        curves=(
            curve("exact", "exact", exact, Evidence.EXACT, "law of the range"),
            curve("group", "group privacy, mε", group.epsilon, Evidence.EXACT, "Lemma 6"),
            curve(
                "theorem_17",
                "Theorem 17, constants dropped",
                constant * shape,
                Evidence.ASYMPTOTIC,
                "Theorem 17",
            ),
            curve(
                "derived",
                "Theorem 17, its proof's constants",
                derived,
                Evidence.UPPER,
                "proof of Theorem 17, constants reconstructed",
            ),
        ),
        here=here,
        needed=known.get(here, math.nan),
        slope=slope,
        finished=finished,
    )
