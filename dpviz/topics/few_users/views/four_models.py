"""View: the users a vote, or a histogram, needs against the size of the class, in four models."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.results.refining import Pace
from dpviz.topics.few_users.enough_counts import enough_for_counts
from dpviz.topics.few_users.enough_users import LikeForLike, enough_users
from dpviz.topics.few_users.learners_by_name import ALPHA, BETA, DELTA, EPSILON
from dpviz.topics.few_users.models import MODELS, THEOREMS, least_users
from dpviz.topics.few_users.representation import representation_bits
from dpviz.topics.few_users.views.success import SUBJECTS

HASHED = {"pure": "points, hashed: pure", "local": "points, hashed: local"}
"""Models whose users grow with what is voted on: their labels where that is a representation."""

RELEASED = {"winner": "The winner", "counts": "Every count"}
"""What is released."""

COUNTED = {
    "approximate": Source(CS, "Lemma 11"),
    "pure": Source("Dwork et al. 2006", "noise on every count"),
    "local": Source(CS, "Lemma 13"),
    "shuffle": Source(CS, "Lemma 37"),
}
"""Whose histogram each model has."""

_PLACES = (1, 40, 20, 10, 30, 2, 4, 7, 15, 25, 35)


@dataclass(frozen=True, eq=False, kw_only=True)
class FourModelsChart(Chart):
    """The users from which a vote over 2^d items succeeds, or a histogram of them, by model.

    released: one of `RELEASED`. enough: by model, at the reader's d, between certified bounds;
    fewest: of any private vote. hashed: by model of `HASHED`, for points, whose representation has
    2^hashed_bits hypotheses. centre: κ of the stable histogram's noise; dispersion: r of a bucket
    in the shuffle model.
    """

    released: str
    enough: Mapping[str, Bracket]
    hashed: Mapping[str, Bracket]
    hashed_bits: int
    fewest: int
    epsilon: float
    delta: float
    beta: float
    centre: int
    dispersion: float


def four_models(
    *,
    class_bits: float,
    epsilon: float,
    delta: float,
    alpha: float,
    failure_probability: float,
    released: str = "winner",
) -> Iterator[FourModelsChart]:
    """Yield the users needed against d, from ever more places. Raises `ParameterError`.

    class_bits: the reader's d; released: the winner of the vote, or every count; epsilon, delta: of
    every model, for one user's item exchanged; alpha: α, on which the representation of the points
    depends alone.
    """
    if released not in RELEASED:
        raise ParameterError("released", f"one of {', '.join(RELEASED)}", released)
    enough = enough_users if released == "winner" else enough_for_counts
    here = int(LIMITS["class_bits"].validate(class_bits))
    beta = BETA.validate(failure_probability)
    vote = LikeForLike(EPSILON.validate(epsilon), DELTA.validate(delta))
    largest = representation_bits(max(_PLACES), alpha=ALPHA.validate(alpha), beta=beta)
    places = list(dict.fromkeys((here, largest, *_PLACES)))
    known: dict[int, dict[str, Bracket]] = {}
    fewest: dict[int, int] = {}
    pace = Pace()
    for number, bits in enumerate(places, 1):
        known[bits] = {model: enough(model, vote, bits=bits, beta=beta) for model in MODELS}
        fewest[bits] = least_users(
            targets=2**bits, epsilon=vote.epsilon, delta=vote.delta, beta=beta
        )
        if number in (4, len(places)) or (number > 4 and pace.due()):
            yield FourModelsChart(
                x=Axis("class_bits", "size of the class: 2^d hypotheses, d", log=False),
                y=Axis("users", "users n", least=1.0),
                curves=(*_curves(known, fewest, released), *_hashed(known, largest)),
                here=float(here),
                told=("approximate", "local"),
                released=released,
                enough=known[here],
                hashed={model: known[min(here, largest)][model] for model in HASHED},
                hashed_bits=min(here, largest),
                fewest=fewest[here],
                epsilon=vote.epsilon,
                delta=vote.delta,
                beta=beta,
                centre=vote.stable_noise.kappa,
                dispersion=vote.shuffle_noise.dispersion,
                done=number / len(places),
            )


def _curves(
    known: Mapping[int, Mapping[str, Bracket]], fewest: Mapping[int, int], released: str
) -> tuple[Curve, ...]:
    """Return a curve for each model, and what no private vote does better than.

    A histogram right to a tenth of the users names the item that four fifths hold.
    """
    order = sorted(known)
    bound = Curve(
        key="fewest",
        label="fewest of any private vote",
        subject=Subject.LOWER_BOUND,
        evidence=Evidence.LOWER,
        source=Source(CS, "Lemma 34, group privacy over all items"),
        x=np.array(order, dtype=float),
        y=np.array([max(fewest[d], 1) for d in order], dtype=float),
    )
    curves = [
        _curve(
            model,
            name,
            Source(CS, THEOREMS[model]) if released == "winner" else COUNTED[model],
            order,
            [known[d][model] for d in order],
        )
        for model, name in MODELS.items()
    ]
    return (*curves, bound)


def _hashed(known: Mapping[int, Mapping[str, Bracket]], largest: int) -> list[Curve]:
    """Return the users where the vote is about a representation of at most 2^largest points."""
    order = sorted(known)
    return [
        replace(
            _curve(
                model,
                name,
                Source(CS, "Corollary 27, for points"),
                order,
                [known[min(d, largest)][model] for d in order],
            ),
            key=f"{model}_hashed",
            weight=0.6,
        )
        for model, name in HASHED.items()
    ]


def _curve(model: str, name: str, source: Source, order: list[int], found: list[Bracket]) -> Curve:
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("lower", "upper"))
    certified = model == "local"
    return Curve(
        key=model,
        label=name,
        subject=SUBJECTS[model],
        evidence=Evidence.CERTIFIED if certified else Evidence.EXACT,
        source=source,
        x=np.array(order, dtype=float),
        y=_finite(high),
        lower=_finite(low) if certified else None,
        upper=_finite(high) if certified else None,
    )


def _finite(values: FloatArray) -> FloatArray:
    """Return NaN where no group tried is large enough."""
    return np.where(np.isfinite(values), values, np.nan)
