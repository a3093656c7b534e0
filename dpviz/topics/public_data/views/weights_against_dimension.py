"""What Gaussian weights give away, along the VC dimension, with enough public points."""

import math
from dataclasses import dataclass

import numpy as np

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
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.public_data import rich_class
from dpviz.topics.public_data.noise_levels import gaussian_weights, laplace_weights

_NEARLY = 0.95  # of guesses right, above which names stand close


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightsChart(Chart):
    """The chance to guess the one private label from what RRSPM releases.

    public_points: m at the reader's d; true_delta: δ(ε) with Gaussian weights there, exactly;
    broken_from: the least VC dimension at which the class breaks (ε, δ).
    """

    public_points: float
    true_delta: float
    broken_from: float
    epsilon: float
    delta: float
    constant: float


def weights_against_dimension(
    *,
    vc_dimension: float,
    alpha: float,
    beta: float,
    epsilon: float,
    delta: float,
    smoothness: float,
    constant: float,
) -> WeightsChart:
    """Return how well one private label can be guessed from RRSPM's output, along d.

    The class and the data: `dpviz.topics.public_data.rich_class`, with as many public points as
    Theorem 4 asks for; the best guess is the parity of what is released. Under (ε, δ)-DP a fair
    coin can be guessed with chance (e^ε + δ)/(1 + e^ε) at most. constant: the unspecified C of
    Theorem 4's Gaussian weights C·√(m·log(1/δ))/ε. Raises `ParameterError`.
    """
    here = validate("vc_dimension", vc_dimension)
    limit = LIMITS["vc_dimension"]
    grid = np.geomspace(limit.minimum, limit.maximum, 161)
    d = np.unique(np.rint(np.append(grid, here)))
    needs = {"alpha": alpha, "smoothness": smoothness, "beta": beta}
    copies = rich_class.points_at_each_place(d, **needs)
    privacy = {"epsilon": epsilon, "delta": delta, "constant": constant}
    scale = gaussian_weights(d * copies, **privacy)
    chance = rich_class.flip_chance(d, copies=copies, scale=scale)
    bound = rich_class.laplace_flip_bound(
        d, copies=copies, scale=laplace_weights(d * copies, epsilon=epsilon)
    )
    most = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
    broken_from = float(rich_class.least_broken_dimension(**needs, **privacy))
    at = np.searchsorted(d, here)
    own = Source("this app", "the parity of all labellings")

    def curve(
        key: str, label: str, y: FloatArray, subject: Subject, evidence: Evidence, source: Source
    ) -> Curve:
        return Curve(key, label, subject, evidence, source, x=d, y=y)

    words = f"breaks at about {float(f'{broken_from:.2g}'):,.0f}"
    near = most > _NEARLY  # there a phone has no room for its words between others
    broken = Landmark(broken_from, most, words, Subject.DANGER, roomy=near)
    return WeightsChart(
        x=Axis("vc_dimension", "VC dimension: how rich the class of rules is"),
        y=Axis("guess", "Right guesses of a private label", log=False, reach=1.0, chance=True),
        curves=(
            curve("gaussian", "Gaussian weights",
                  (1 + chance) / 2, Subject.DANGER, Evidence.EXACT, own),
            curve("laplace", "Laplace weights, at most", (1 + bound) / 2,
                  Subject.LAPLACE, Evidence.UPPER, own),
            curve("allowed", f"promise of ε = {epsilon:g}: at most this", np.full(d.shape, most),
                  Subject.LOWER_BOUND, Evidence.EXACT, Source(PD, "Definition 1")),
        ),
        landmarks=(broken,) if broken_from <= d[-1] else (),
        here=here,
        in_headline=("gaussian", "allowed"),
        public_points=float(here * copies[at]),
        true_delta=float(np.exp(rich_class.label_log_delta(chance[at], epsilon=epsilon))),
        broken_from=broken_from,
        epsilon=float(epsilon),
        delta=float(delta),
        constant=float(constant),
    )  # fmt: skip
