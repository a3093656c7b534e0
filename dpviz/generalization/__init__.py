"""Sample perfect generalization: how far apart the outputs on two fresh samples are.

Mechanisms, the exact law of how close their outputs are (`closeness_probability`,
`divergence_quantile`, `expected_divergence`), what the theorems promise (`bounds`), and the views
of the page. All of Ghazi, Kamath et al. 2023, Section 3.1 and Appendix C.
"""

from dpviz.generalization.bounds import (
    Promise,
    assumption_13,
    group_privacy,
    theorem_13_derived,
    theorem_13_shape,
    theorem_31_derived,
)
from dpviz.generalization.closeness import (
    closeness_probability,
    divergence_quantile,
    expected_divergence,
    log_expected_divergence,
    log_far_probability,
)
from dpviz.generalization.closeness_view import ClosenessChart, closeness_curve
from dpviz.generalization.growth_view import GrowthChart, growth
from dpviz.generalization.mechanisms import (
    MOST_CANDIDATES,
    MOST_SAMPLES,
    FiniteExponential,
    GaussianCount,
    GeometricCount,
    Mechanism,
    Outputs,
    Pair,
    RandomizedResponse,
    SumMechanism,
)
from dpviz.generalization.samples_view import Draw, LossHistogram, loss_histogram, two_samples

__all__ = [
    "MOST_CANDIDATES",
    "MOST_SAMPLES",
    "ClosenessChart",
    "Draw",
    "FiniteExponential",
    "GaussianCount",
    "GeometricCount",
    "GrowthChart",
    "LossHistogram",
    "Mechanism",
    "Outputs",
    "Pair",
    "Promise",
    "RandomizedResponse",
    "SumMechanism",
    "assumption_13",
    "closeness_curve",
    "closeness_probability",
    "divergence_quantile",
    "expected_divergence",
    "group_privacy",
    "growth",
    "log_expected_divergence",
    "log_far_probability",
    "loss_histogram",
    "theorem_13_derived",
    "theorem_13_shape",
    "theorem_31_derived",
    "two_samples",
]
