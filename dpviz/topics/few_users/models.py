"""The four models of privacy: what each releases from the users' picks, and what theorems say."""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.local import HadamardHistogram
from dpviz.maths.selection.shuffle import (
    ShuffleSelection,
    least_dispersion,
    proof_dispersion,
    theorem_dispersion,
)
from dpviz.maths.selection.stable import StableHistogram
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.few_users.learners import NOTHING

MODELS = {
    "approximate": "central, (ε, δ)",
    "pure": "central, pure",
    "local": "local, pure",
    "shuffle": "shuffle, (ε, δ)",
}
"""The models by name: Algorithm 2, Theorem 30, Algorithm 4, Theorem 35."""

THEOREMS = {"approximate": "Thm 1", "pure": "Thm 3", "local": "Thm 2", "shuffle": "Thm 35"}
"""The theorem of each model in Ghazi, Kumar & Manurangsi 2021."""

DISPERSIONS = {
    "theorem": "Theorem 39",
    "least": "least, exactly",
    "proof": "proof of Cor. 40",
}
"""Where the r of the shuffle model comes from."""


def dispersion_by_name(name: str, *, epsilon: float, delta: float, beta: float) -> float:
    """Return r for counting bits with (ε, δ)-privacy. Raises `ParameterError`."""
    match name:
        case "theorem":
            return theorem_dispersion(delta)
        case "least":
            return least_dispersion(epsilon, delta)
        case "proof":
            return proof_dispersion(delta, beta)
    raise ParameterError("dispersion", f"one of {', '.join(DISPERSIONS)}", name)


def release(
    model: str,
    picks: ArrayLike,
    *,
    hypotheses: int,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    dispersion: float | None = None,
) -> int:
    """Return the hypothesis a private vote over the users' picks releases.

    hypotheses: how many there are; the central models list those only that somebody picked. Who
    picked nothing votes for hypothesis 0. The answer is `NOTHING` if the stable histogram is
    empty. ε is that of the whole release; dispersion: r of the shuffle model, that of Theorem 39
    unless given. Neighbouring data sets differ in one user, who is added or removed (central
    models) or substituted (local, shuffle). Raises `ParameterError`.
    """
    votes = np.maximum(np.asarray(picks, dtype=np.int64), 0)
    held, counts = np.unique(votes, return_counts=True)
    match model:
        case "approximate":
            place = StableHistogram(epsilon, delta).select(counts, rng)
            return NOTHING if place < 0 else int(held[place])
        case "pure":
            return CountExponential(epsilon, hypotheses).select(held, counts, rng)
        case "local":
            return HadamardHistogram(epsilon, hypotheses).select(votes, rng)
        case "shuffle":
            mixed = ShuffleSelection(epsilon, delta, hypotheses, dispersion)
            return mixed.select(np.bincount(votes, minlength=hypotheses), rng)
    raise ParameterError("model", f"one of {', '.join(MODELS)}", model)


def theorem_users(
    model: str, *, dimension: float, epsilon: float, delta: float, beta: float
) -> float:
    """Return the shape of the theorem's number of users, constants dropped.

    ln(1/(δβ))/ε for the approximate and the shuffle model (Theorems 25 and 35), (d + ln(1/β))/ε for
    the pure central one (30), (d + ln(1/β))/ε² for the local one (29). dimension: d, natural
    logarithm of the size of the representation. Raises `ParameterError`.
    """
    eps, b = validate("epsilon", epsilon), validate("failure_probability", beta)
    allowed = validate("delta", delta)
    if not dimension >= 0:
        raise ParameterError("dimension", "a number from 0", dimension)
    shapes: Mapping[str, Callable[[], float]] = {
        "approximate": lambda: -(math.log(allowed) + math.log(b)) / eps,
        "shuffle": lambda: -(math.log(allowed) + math.log(b)) / eps,
        "pure": lambda: (dimension - math.log(b)) / eps,
        "local": lambda: (dimension - math.log(b)) / eps**2,
    }
    if model not in shapes:
        raise ParameterError("model", f"one of {', '.join(MODELS)}", model)
    return shapes[model]()


def success_ceiling(
    users: ArrayLike, *, targets: float, epsilon: float, delta: float
) -> FloatArray:
    """Return what no (ε, δ)-private learner's success on `targets` targets exceeds on average.

    No output is good for two of the targets, so with no users at all (or with users who all hold
    the same) the probabilities of success sum to at most 1. Group privacy (Lemma 34) over n users
    then allows e^(nε)/N + δ·(e^(nε) − 1)/(e^ε − 1) on average over N targets, whether users are
    added or substituted. This is Lemma 4's idea for a packing: for the targets of
    `problems.packing` it binds proper learners, which output hypotheses of the class, and others
    only where `problems.most_served` is 1. (Lemma 4 itself covers all learners, by covering
    instead of packing, and without constants.) The same holds of all learners if no function is
    good for more than k of M targets, with N = M/k.
    """
    n = np.asarray(users, dtype=float)
    eps = validate("epsilon", epsilon)
    allowed = delta if delta == 0 else validate("delta", delta)
    grown = np.minimum(n * eps, 700.0)
    lost = allowed * np.expm1(grown) / math.expm1(eps)
    return np.asarray(np.minimum(np.exp(grown - math.log(targets)) + lost, 1.0))


def least_users(*, targets: float, epsilon: float, delta: float, beta: float) -> int:
    """Return the fewest users for which `success_ceiling` allows success 1 − β."""
    b = validate("failure_probability", beta)
    n = 0
    while success_ceiling(n, targets=targets, epsilon=epsilon, delta=delta) < 1 - b:
        n += 1
    return n


def substitution_budget(*, epsilon: float, delta: float) -> tuple[float, float]:
    """Return what (ε, δ) for adding or removing a user promises for substituting one.

    To substitute is to remove one user and to add another, two steps of group privacy (Lemma 34):
    (2ε, (1 + e^ε)·δ). So at the same ε a central model, which is for adding and removing, has it up
    to twice as easy as the local and the shuffle model, which are for substituting. Raises
    `ParameterError`.
    """
    eps = validate("epsilon", epsilon)
    allowed = delta if delta == 0 else validate("delta", delta)
    return 2 * eps, (1 + math.exp(eps)) * allowed
