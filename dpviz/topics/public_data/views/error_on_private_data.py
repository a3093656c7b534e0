"""What an error on public data can become on private data, under σ and under weaker measures."""

from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.papers import PD
from dpviz.topics.public_data.rates import ALPHA
from dpviz.topics.public_data.shift import chi_square_limit, entropy_limit, shifted


@dataclass(frozen=True, eq=False, kw_only=True)
class TransferChart(Chart):
    """Errors under the private distribution along those under the public one.

    smoothness, relative_entropy, chi_square: σ, KL and χ² of the pair.
    """

    smoothness: float
    relative_entropy: float
    chi_square: float


def error_on_private_data(*, family: str, smoothness: float, alpha: float) -> TransferChart:
    """Return the most that an error of α under the public distribution can be under the private.

    An error is the mass of the set where two functions differ. family, smoothness: the pair of
    distributions, see `dpviz.topics.public_data.shift`; alpha: the reader's error. The most is
    exact; beside it stand its bound by σ (Definition 3 of Block et al. 2024), and those by two
    f-divergences, which the paper says may replace σ. Raises `ParameterError`.
    """
    here, pair = ALPHA.validate(alpha), shifted(family, smoothness)
    p = np.unique(np.append(np.geomspace(ALPHA.minimum, 1.0, 121), here))
    sigma, entropy, chi = pair.smoothness, pair.relative_entropy, pair.chi_square
    curves = tuple(
        Curve(key, label, subject, evidence, source, p, y)
        for key, label, subject, evidence, source, y in (
            ("density", "allowed by σ", Subject.LAPLACE, Evidence.UPPER,
             Source(PD, "Definition 3"), np.minimum(p / sigma, 1.0)),
            ("entropy", "allowed by KL", Subject.GAUSSIAN, Evidence.UPPER,
             Source("Block & Polyanskiy 2023"), entropy_limit(p, entropy)),
            ("variance", "allowed by χ²", Subject.PERTURBED, Evidence.UPPER,
             Source("Block & Polyanskiy 2023"), chi_square_limit(p, chi)),
            ("exact", "the worst set", Subject.LOWER_BOUND, Evidence.EXACT,
             Source("this app", "Neyman-Pearson sets"), pair.most_private_mass(p)),
        )
    )  # fmt: skip
    return TransferChart(
        x=Axis("alpha", "Error on public data, α"),
        y=Axis("private_error", "Error on private data", reach=1.0),
        curves=curves,
        here=here,
        in_headline=("exact", "density"),
        smoothness=sigma,
        relative_entropy=entropy,
        chi_square=chi,
    )
