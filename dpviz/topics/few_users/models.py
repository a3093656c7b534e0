"""The four models of privacy: what each releases from the users' picks, and what theorems say."""

import math

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
from dpviz.results.evidence import FloatArray, Subject
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.few_users.learners import NOTHING

MODELS = {
    "approximate": "central, (ε, δ)",
    "pure": "central, δ = 0",
    "local": "local, δ = 0",
    "shuffle": "shuffle, (ε, δ)",
}
"""The models by name: Algorithm 2, Theorem 30, Algorithm 4, Theorem 35."""

THEOREMS = {"approximate": "Thm 1", "pure": "Thm 3", "local": "Thm 2", "shuffle": "Thm 35"}
"""The theorem of each model in Ghazi, Kumar & Manurangsi 2021."""

SUBJECTS = {
    "approximate": Subject.USER_LEVEL,
    "pure": Subject.BOUNDED,
    "local": Subject.GAUSSIAN,
    "shuffle": Subject.EARLIER,
}
"""The colour of each model."""

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
    values, counts = np.unique(votes, return_counts=True)
    match model:
        case "approximate":
            place = StableHistogram(epsilon, delta).select(counts, rng)
            return NOTHING if place < 0 else int(values[place])
        case "pure":
            return CountExponential(epsilon, hypotheses).select(values, counts, rng)
        case "local":
            return HadamardHistogram(epsilon, hypotheses).select(votes, rng)
        case "shuffle":
            mixed = ShuffleSelection(epsilon, delta, hypotheses, dispersion)
            return mixed.select(np.bincount(votes, minlength=hypotheses), rng)
    raise ParameterError("model", f"one of {', '.join(MODELS)}", model)


def grown(chance: float, steps: ArrayLike, *, epsilon: float, delta: float) -> FloatArray:
    """Return what the probability of an event grows to at most over so many neighbours.

    One step takes a to e^ε·a + δ at most, and 1 − a to e^−ε(1 − a − δ) at least; so does the next.
    That is the tightest form of group privacy (Lemma 34), which knows the first of the two only.
    """
    counts = np.atleast_1d(np.asarray(steps, dtype=int))
    eps = validate("epsilon", epsilon)
    allowed = delta if delta == 0 else validate("delta", delta)
    path, value = [min(chance, 1.0)], chance
    loss = math.exp(eps)
    for _ in range(int(counts.max(initial=0))):
        before, value = value, _one_step(value, loss, allowed)
        path.append(value)
        if value == before:  # as it stays
            break
    within = np.minimum(counts, len(path) - 1)
    return np.asarray(np.array(path)[within].reshape(np.shape(steps)))


def _one_step(chance: float, loss: float, slack: float) -> float:
    return min(loss * chance + slack, 1 - max(1 - chance - slack, 0.0) / loss, 1.0)


def least_users_exchanged(
    *, targets: float, served: float, epsilon: float, delta: float, beta: float
) -> int:
    """Return how many users every learner needs that is private when a user is exchanged.

    No function is good for more than `served` = k of N = `targets`. With success p = 1 − β on all
    targets, the outputs on one target's data serve k − p others on average, so one of them with
    probability (k − p)/(N − 1) at most; from that target's data to the other's are n steps
    (`grown`). Of learners proper or not, however many examples users hold. For k = 1 and
    δ = 0 so many are enough where users know their targets (`best_vote`, with the proof). 0 where
    one output may serve all.
    """
    goal = 1 - validate("failure_probability", beta)
    return _steps_to((served - goal) / (targets - 1), goal, epsilon=epsilon, delta=delta)


def _steps_to(chance: float, goal: float, *, epsilon: float, delta: float) -> int:
    """Return how many steps it takes a probability to grow to the goal."""
    loss = math.exp(validate("epsilon", epsilon))
    slack = delta if delta == 0 else validate("delta", delta)
    steps = 0
    while chance < goal:
        chance = _one_step(chance, loss, slack)
        steps += 1
    return steps


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
