"""How far the outputs on samples are from the average output, along n: Theorem 31."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths.generalization_bounds import group_privacy, theorem_31_derived
from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.perfect_generalization.closeness import divergence_quantile
from dpviz.topics.perfect_generalization.item_privacy import PROOF_ASSUMPTION, where_positive
from dpviz.topics.perfect_generalization.losses_to_average import average_quantile

_PATIENCE = 0.05  # seconds; one more n takes as long


@dataclass(frozen=True, eq=False, kw_only=True)
class AverageChart(Chart):
    """The exact ε′ along n against the average output, and against that on a second sample.

    failure_probability: β. needed, second: at the reader's n. proven: by Theorem 31 with the
    constants of its proof, +inf where it gives nothing.
    """

    failure_probability: float
    needed: float
    second: float
    proven: float


def average_output(
    *,
    samples: float,
    epsilon: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
) -> Iterator[AverageChart]:
    """Yield the ε′ within which all but a share β of outputs are of the average output, along n.

    The sum of n coins plus geometric noise of `epsilon`, compared with what this outputs on a
    sample nobody has seen: Definition 29. closeness_delta: δ′. Raises `ParameterError`.
    """
    here = validate("samples", samples)
    mechanism = GeometricCount(epsilon)
    setting = {
        "rate": validate("rate", rate),
        "delta": validate("closeness_delta", closeness_delta),
        "failure_probability": validate("failure_probability", failure_probability),
    }
    even = np.rint(np.geomspace(1, LIMITS["samples"].maximum, 25))
    grid = list(dict.fromkeys([here, *even[coarse_to_fine(even.size, 4)].tolist()]))
    computed: dict[float, tuple[float, float]] = {}
    pace = Pace(_PATIENCE)
    for n in grid:
        computed[n] = (
            average_quantile(samples=n, epsilon=mechanism.epsilon, **setting),
            divergence_quantile(mechanism, samples=n, **setting),
        )
        if (n == here or pace.due()) and len(computed) < len(grid):
            yield _chart(computed, here, mechanism, setting)
    yield _chart(computed, here, mechanism, setting)


def _chart(
    computed: dict[float, tuple[float, float]],
    here: float,
    mechanism: GeometricCount,
    setting: dict[str, float],
) -> AverageChart:
    n = np.array(sorted(computed))
    average, second = (np.array([computed[x][i] for x in n]) for i in (0, 1))
    epsilon, delta = mechanism.epsilon, setting["delta"]
    group = group_privacy(n, epsilon=epsilon, log_delta=-math.inf)
    derived = theorem_31_derived(
        n,
        epsilon=epsilon,
        log_delta=-math.inf,
        log_failure=math.log(setting["failure_probability"]),
        delta=delta,
    )
    item, exact, printed = Subject.ITEM_LEVEL, Evidence.EXACT, Evidence.PUBLISHED
    own, lemma = Source("dpviz.topics.perfect_generalization"), Source(UL, "Lemma 6")
    apart, second_sample = "from the average output", "from a second sample's"
    return AverageChart(
        x=Axis("samples", "Samples in one data set, n", base=1.0, reach=LIMITS["samples"].maximum),
        y=Axis("epsilon", "ε′ that suffices"),
        curves=(  # the upper one first, so that its number is written above
            Curve("second", second_sample, item, exact, own, n, where_positive(second), weight=0.6),
            Curve("average", apart, item, exact, own, n, where_positive(average), weight=1.4),
            Curve("group", "group privacy, nε", Subject.EARLIER, printed, lemma, n, group.epsilon),
            Curve(
                key="derived",
                label="Theorem 31, its proof's constants",
                subject=Subject.USER_LEVEL,
                evidence=Evidence.UPPER,
                source=Source(UL, "Theorem 31 by Lemma 30, constants reconstructed"),
                x=n,
                y=where_positive(derived),
                holds=np.isfinite(derived),
                assumption=PROOF_ASSUMPTION,
            ),
        ),
        here=here,
        in_headline=("average", "second"),
        failure_probability=setting["failure_probability"],
        needed=computed[here][0],
        second=computed[here][1],
        proven=float(derived[n == here][0]),
    )
