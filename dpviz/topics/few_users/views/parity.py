"""View: parity, where user-level local privacy needs d/ε² users and item-level 2^Ω(d)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import CS
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners_by_name import ALPHA, BETA, BITS, EPSILON, M, settle
from dpviz.topics.few_users.models import least_users, release, theorem_users

_ITEM_POWER = 0.5  # drawn for the unspecified Ω
_LONGEST = 16  # of the shapes; simulated up to BITS.maximum
_STEPS = 4  # group sizes for every doubling
_MOST = 4000
_APART = 0.5  # of all points, on which any two parities differ


@dataclass(frozen=True, eq=False, kw_only=True)
class ParityChart(Chart):
    """Users needed to learn parity with local privacy, against d.

    needed: at the reader's d, the least simulated n with success 1 − β, between fewest and most
    (95%); NaN and infinite as long as too few runs are known. shape: the theorem's number times C.
    item: 2^(d/2), a drawing of the item-level lower bound 2^Ω(d).
    """

    needed: float
    fewest: float
    most: float
    shape: float
    item: float
    beta: float
    done: float


def parity(
    *,
    bits: float,
    examples_per_user: float,
    alpha: float,
    failure_probability: float,
    epsilon: float,
    constant: float,
    runs: float,
    rng: np.random.Generator,
) -> Iterator[ParityChart]:
    """Yield the users that suffice in the local model for parities on d = 2, …, 8 bits.

    Algorithm 3 on every user's examples, then Algorithm 4's vote, for groups of growing size; the
    number shown is the least from which on a share 1 − β of the runs succeeds, and its interval
    goes from where success 1 − β can't be excluded to where it is certain (95% each). The
    item-level curve is a shape: 2^(d/2) for 2^Ω(d). The lower bound is drawn for α < 1/4, where no
    function whatever is good for two parities. Raises `ParameterError`.
    """
    here, m = int(BITS.validate(bits)), int(M.validate(examples_per_user))
    eps, scale = EPSILON.validate(epsilon), validate("constant", constant)
    count = int(validate("runs", runs))
    a, beta = ALPHA.validate(alpha), BETA.validate(failure_probability)
    dims = [int(d) for d in BITS.grid]
    sizes = [_sizes(d, eps, beta) for d in dims]
    sets = [
        settle(
            {
                "learner": "gibbs",
                "concept": "parities",
                "bits": d,
                "alpha": a,
                "failure_probability": beta,
            },
            examples=m,
        )
        for d in dims
    ]
    hits = [np.zeros(size.size) for size in sizes]
    tries = [0 for _ in dims]
    pace = Pace()
    for run in range(1, count + 1):
        for i, settled in enumerate(sets):
            learner, seed = settled.draw(rng), int(rng.integers(2**31))
            good = settled.good(learner)
            picks = learner.picks(int(sizes[i][-1]), examples=m, seed=seed, rng=rng)
            for j, n in enumerate(sizes[i].astype(int)):
                chosen = release(
                    "local",
                    picks[:n],
                    hypotheses=settled.hypotheses,
                    epsilon=eps,
                    delta=0.1,  # the local model has none
                    rng=rng,
                )
                hits[i][j] += good[chosen]
            tries[i] += 1
            end = (run, i) in ((1, 0), (count, len(dims) - 1))
            if end or pace.due():
                done = (run - 1 + (i + 1) / len(dims)) / count
                yield _chart(dims, sizes, hits, tries, here, eps, a, beta, scale, done)


def _sizes(bits: int, epsilon: float, beta: float) -> FloatArray:
    """Return group sizes that reach beyond what Hoeffding's inequality asks for."""
    noise = 1 / math.tanh(epsilon / 2)
    most = min(4 * noise**2 * math.log(2 ** (bits + 1) / beta), _MOST)
    steps = math.ceil(_STEPS * math.log2(most / 2)) + 1
    return np.unique(np.rint(np.geomspace(2, most, steps)))


def _needed(sizes: FloatArray, shares: FloatArray, goal: float) -> float:
    """Return the least size from which on no share is below the goal; infinite if there is none."""
    short = np.flatnonzero(~(shares >= goal))
    first = 0 if not short.size else int(short[-1]) + 1
    return float(sizes[first]) if first < sizes.size else math.inf


def _chart(
    dims: list[int],
    sizes: list[FloatArray],
    hits: list[FloatArray],
    tries: list[int],
    here: int,
    epsilon: float,
    alpha: float,
    beta: float,
    constant: float,
    done: float,
) -> ParityChart:
    rows = np.full((3, len(dims)), math.nan)
    for i, count in enumerate(tries):
        if count:
            low, high = clopper_pearson(hits[i], count)
            shares = (hits[i] / count, high, low)
            rows[:, i] = [_needed(sizes[i], share, 1 - beta) for share in shares]
    needed, fewest, most = rows
    known = np.isfinite(needed)
    x = np.array(dims, dtype=float)
    wide = np.arange(2, _LONGEST + 1, dtype=float)
    shape = np.array([_shape(d, epsilon, beta, constant) for d in wide])
    item = constant * 2 ** (_ITEM_POWER * wide)
    # An upper end that is not known yet is drawn at the largest group.
    largest = np.array([size[-1] for size in sizes])
    curves = (
        Curve(
            "simulated",
            "user level, local: simulated",
            Subject.GAUSSIAN,
            Evidence.SIMULATED,
            Source("dpviz.topics.few_users", "simulation, 95% intervals"),
            x,
            np.where(known, needed, np.nan),
            np.where(known, fewest, np.nan),
            np.where(known, np.minimum(most, largest), np.nan),
        ),
        Curve(
            "shape",
            "user level: (d + ln(1/β))/ε²",
            Subject.GAUSSIAN,
            Evidence.ASYMPTOTIC,
            Source(CS, "Theorem 2"),
            wide,
            shape,
        ),
        Curve(
            "item",
            "item level: 2^Ω(d), as 2^(d/2)",
            Subject.ITEM_LEVEL,
            Evidence.ASYMPTOTIC,
            Source(CS, "Section 1.1, after Kasiviswanathan et al. 2011"),
            wide,
            item,
        ),
        *_fewest(wide, epsilon, alpha, beta),
    )
    at = dims.index(here)
    return ParityChart(
        x=Axis("bits", "bits d (2^d parities)", log=False),
        y=Axis("users", "users n"),
        curves=curves,
        here=float(here),
        needed=float(needed[at]) if known[at] else math.nan,
        fewest=float(fewest[at]),
        most=float(most[at]),
        shape=_shape(here, epsilon, beta, constant),
        item=float(constant * 2 ** (_ITEM_POWER * here)),
        beta=beta,
        done=done,
    )


def _fewest(wide: FloatArray, epsilon: float, alpha: float, beta: float) -> tuple[Curve, ...]:
    """Return the fewest users of any ε-private learner, or nothing where the argument lapses.

    A function that errs at most α on two parities, which differ on half of all points, exists from
    α = 1/4 on.
    """
    if 2 * alpha >= _APART:
        return ()
    fewest = [
        max(least_users(targets=2 ** int(d), epsilon=epsilon, delta=0, beta=beta), 1) for d in wide
    ]
    return (
        Curve(
            "least",
            "fewest of any ε-private learner",
            Subject.LOWER_BOUND,
            Evidence.EXACT,
            Source(CS, "Lemma 34, group privacy over all parities"),
            wide,
            np.array(fewest, dtype=float),
        ),
    )


def _shape(bits: float, epsilon: float, beta: float, constant: float) -> float:
    """Return C·(d·ln 2 + ln(1/β))/ε²; the delta of `theorem_users` plays no part here."""
    dimension = bits * math.log(2)
    return constant * theorem_users(
        "local", dimension=dimension, epsilon=epsilon, delta=0.1, beta=beta
    )
