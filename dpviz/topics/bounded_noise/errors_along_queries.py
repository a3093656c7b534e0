"""The noise of least error along k, and how far it is from the best possible."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.tuning import TunedChoice, tuned_noise
from dpviz.maths.bounded_noise import MINIMAL_FISHER_INFORMATION, PowerNoise
from dpviz.maths.laplace_rivals import MOST_QUERIES, truncated_laplace_noise
from dpviz.maths.least_noise import rivals_at
from dpviz.maths.noise_converse import people_needed
from dpviz.maths.one_pair_converse import MOST_ANSWERS
from dpviz.maths.optimal_noise import optimal_noise
from dpviz.maths.rivals import RIVALS, Noise
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Source,
    Subject,
)
from dpviz.results.refining import Steps
from dpviz.topics.bounded_noise.tuned_and_converse import (
    CONVERSE,
    TUNED,
    converse_radius,
    pair_radius,
    scores_radius,
    together_curve,
    together_radius,
)

COUNTS = (1.0, 1e10, 100.0, 1e4, 1e6, 10.0, 1e3)
"""The k at which noises are compared beside the reader's: both ends first."""
FEW = (2.0, 30.0)
"""Those besides at which the bounds on what is possible turn."""

# The k of the bounds on what is possible: more of them where those are likely to turn.
_SPREAD = (*np.geomspace(5, 5e3, 7), *np.geomspace(1e4, 1e5, 12), *np.geomspace(1e5, 1e10, 12))
_BOUNDED = np.unique(np.round([*COUNTS, *FEW, *_SPREAD]))
_COARSE = 20.0  # Δ: a radius that is proven below steps by parts of Δ that can be seen
_STEP = 1.04  # times as much: a step that is looked for
_POWER = Source("dpviz.maths.accounting", "exact version of Dagan & Kur, Lemma 10.2")
_SCORES = Source("dpviz.maths.score_converse", "sums of scores of all answers, by Berry and Esseen")
LIMIT = Source("Huber 1974", "for one shape; for all independent noise dpviz.maths.score_converse")
"""Where πσ comes from."""
_LAPLACE = Source("dpviz.maths.laplace_rivals", "exactly composed")
_BALLE = Source("Balle & Wang 2018", "Algorithm 1")
_PAIR = Source("dpviz.maths.one_pair_converse", "counts of large answers, one pair of neighbours")
_POSSIBLE = Source("dpviz.maths.optimal_noise", "the least noise here, and what none can do")
NAMES = {
    "tuned": "tuned noise",
    **{key: rival.noun for key, rival in RIVALS.items()},
    "gaussian": "Gaussian noise",
    "two": "the paper's noise with p = 2",
}
_AS_PLAIN = 0.99  # times the measure of Laplace noise, above which cutting it off gains nothing

DRAFT = 2e-2
"""About the relative width of the bounds on a noise that is soon left for a better one."""


@dataclass(frozen=True)
class Compared:
    """The noises of equal privacy at one k: certified measures, and those of the rivals, in Δ.

    choice: the tuned noise, None while it is looked for. rivals: those of `dpviz.maths.rivals`, by
    name, and "gaussian", each where it has a measure. For the hard
    bound: chain and pair, radii that no independent noise is below, the second NaN where it is that
    of fewer answers and the smaller one; people: that the first needs; scores: the same by sums of
    scores, NaN where it says less, and by how many people its data sets differ; optimum: bounds on
    the least radius of all.
    """

    choice: TunedChoice | None
    sigma: float
    rivals: Mapping[str, float]
    chain: float = math.nan
    pair: float = math.nan
    people: int = 0
    scores: tuple[float, int] = (math.nan, 0)
    optimum: Bracket | None = None

    @property
    def least(self) -> float:
        """The least measure of a noise, in Δ."""
        return min(self._measures.values())

    @property
    def winner(self) -> str:
        """The name of the noise of least measure."""
        return min(self._measures, key=lambda name: self._measures[name])

    @property
    def _measures(self) -> dict[str, float]:
        tuned = {} if self.choice is None else {"tuned": self.choice.best.measure.upper}
        return {**tuned, **self.rivals}


@dataclass(frozen=True)
class AlongQueries:
    """What is measured along k, in units of the Gaussian σ of the same privacy."""

    epsilon: float
    delta: float
    objective: str
    failure_probability: float
    axis: str

    def soon(self, queries: float) -> Steps[Compared]:
        """Compute what is known at one k within moments: one noise, and what none can do."""
        privacy = self._privacy(queries)
        sigma = float(gaussian.minimal_sigma(**privacy))
        if self.objective != "hard":
            return Compared(None, sigma, {"gaussian": self._gaussian(sigma, queries)})
        if queries <= MOST_QUERIES:
            truncated = yield from truncated_laplace_noise.steps(**privacy)
            rivals = {"truncated_laplace": truncated.radius}
        else:
            two = yield from minimal_radius.steps(PowerNoise(2.0), width=DRAFT, **privacy)
            rivals = {"two": two.upper}
        chain = converse_radius(self.epsilon, self.delta, queries)
        found = Compared(None, sigma, rivals, chain=chain, people=people_needed(**privacy))
        return replace(found, optimum=Bracket(min(chain, found.least), found.least))

    def _gaussian(self, sigma: float, queries: float) -> float:
        """Return the measure of Gaussian noise."""
        likely = self.objective == "quantile"
        return float(gaussian.max_error(sigma, **self._tail(queries))) if likely else sigma

    def at(self, queries: float) -> Steps[Compared]:
        """Compute the noises at one k."""
        privacy = self._privacy(queries)
        choice = yield from tuned_noise.steps(
            **privacy, objective=self.objective, failure_probability=self.failure_probability
        )
        sigma = float(gaussian.minimal_sigma(**privacy))
        bounded = self.objective == "hard"
        rivals = {} if bounded else {"gaussian": self._gaussian(sigma, queries)}
        noises = yield from rivals_at.steps(**privacy)
        rivals |= {key: self._measure(noise, queries) for key, noise in noises.items()}
        known = {key: error for key, error in rivals.items() if error < math.inf}
        if known.get("truncated_laplace", 0.0) > _AS_PLAIN * known.get("laplace", math.inf):
            del known["truncated_laplace"]
        others = Compared(choice, sigma, known)
        return (yield from self._bounded(others, privacy)) if bounded else others

    def _measure(self, noise: Noise, queries: float) -> float:
        if self.objective == "hard":
            return noise.radius
        likely = self.objective == "quantile"
        return noise.max_error(**self._tail(queries)) if likely else noise.standard_deviation

    def _bounded(self, others: Compared, privacy: dict[str, float]) -> Steps[Compared]:
        """Compute what no independent bounded noise can do."""
        queries = privacy["queries"]
        yield
        chain = converse_radius(self.epsilon, self.delta, queries)
        pair = pair_radius(self.epsilon, self.delta, queries)
        if queries > MOST_ANSWERS and pair < chain:
            pair = math.nan
        scores = scores_radius(self.epsilon, self.delta, queries)
        proven = float(np.fmax(np.fmax(chain, pair), scores[0]))
        if queries == 1:
            yield
            one = yield from optimal_noise.steps(epsilon=self.epsilon, delta=self.delta)
            proven = max(proven, one.radius.lower)
        people = people_needed(**privacy)
        found = replace(others, chain=chain, pair=pair, people=people, scores=scores)
        return replace(found, optimum=Bracket(min(proven, found.least), found.least))

    def _privacy(self, queries: float) -> dict[str, float]:
        return {"epsilon": self.epsilon, "delta": self.delta, "queries": queries}

    def _tail(self, queries: float) -> dict[str, float]:
        return {"queries": queries, "failure_probability": self.failure_probability}

    def borders(self, known: dict[float, Compared]) -> Steps[None]:
        """Add the k next to which the winner changes, with pauses.

        Exactly up to k = 10, within a tenth above.
        By bisection: between two known k a winner is taken to change once.
        """
        counts = sorted(known)
        for low, high in itertools.pairwise(counts):
            while known[low].winner != known[high].winner and not _settled(low, high):
                middle = float(round(math.sqrt(low * high)))
                middle = min(max(middle, low + 1), high - 1)
                yield
                known[middle] = yield from self.at(middle)
                same = known[middle].winner == known[low].winner
                low, high = (middle, high) if same else (low, middle)

    def chart(self, known: Mapping[float, Compared], here: float) -> Chart:
        """Return the chart of all that is known, by k; all of it `at`, or one k, `soon`."""
        counts = np.array(sorted(known))
        compared = [known[k] for k in sorted(known)]
        sigma = np.array([c.sigma for c in compared])
        choices = [c.choice for c in compared if c.choice is not None]
        curves = []
        if choices:
            tuned = [choice.best.measure for choice in choices]
            power = [choice.power.measure for choice in choices]
            curves += [
                _certified("tuned", "Tuned", TUNED, counts, tuned, sigma),
                _certified("power", "(1 − u²)^−p, best p", _POWER, counts, power, sigma),
            ]
        looks = {
            "truncated_laplace": ("Truncated Laplace", Subject.LAPLACE, Evidence.UPPER, _LAPLACE),
            "laplace": ("Laplace", Subject.LAPLACE, Evidence.UPPER, _LAPLACE),
            "gaussian": ("Gaussian", Subject.GAUSSIAN, Evidence.EXACT, _BALLE),
        }
        for name, look in looks.items():
            values = np.array([c.rivals.get(name, math.nan) for c in compared])
            if np.isfinite(values).any():
                label, subject, evidence, source = look
                curves.append(Curve(name, label, subject, evidence, source, counts, values / sigma))
        said: tuple[str, ...] = tuple(
            dict.fromkeys(known[k].winner for k in (min(known), max(known)))
        )
        if self.objective == "hard":
            proven = [
                (k, c) for k, c in zip(counts, compared, strict=True) if c.optimum is not None
            ]
            curves += [*_possible(proven), *self._floors(by_pairs=len(proven) > 1)]
            curves.append(self._together(counts, compared))
            said = ("possible",) if proven else ("tuned",)
        marks = tuple(
            Mark(k, known[k].least / known[k].sigma, f"from here {who}")
            for k, who in first_wins(known)[1:]
            if _settled(max(count for count in known if count < k), k)  # else it may begin before
        )
        axis = Axis("ratio", self.axis, unit="σ", base=0.9)
        across = Axis("queries", "Queries answered, k")
        return Chart(across, axis, tuple(curves), marks, here, said)

    def _together(self, counts: FloatArray, compared: Sequence[Compared]) -> Curve:
        """Return the radius of noise drawn together, in units of σ."""
        radii = [together_radius(self.epsilon, self.delta, k) for k in counts.tolist()]
        pairs = zip(radii, compared, strict=True)
        ratios = [r and Bracket(r.lower / c.sigma, r.upper / c.sigma) for r, c in pairs]
        return together_curve(counts, ratios, np.array([c.least / c.sigma for c in compared]))

    def _turns(self) -> FloatArray:
        """Return the k between which the bounds on what is possible are drawn straight.

        Both sides of each step are among them where the radius is a few times Δ.
        """

        def proven(queries: float) -> float:
            at = (self.epsilon, self.delta, queries)
            return max(converse_radius(*at), pair_radius(*at))

        known = {k: proven(k) for k in _BOUNDED.tolist()}
        between = list(itertools.pairwise(sorted(known)))
        while between:
            low, high = between.pop()
            if high - low < 2 or known[low] > _COARSE or known[high] <= _STEP * known[low]:
                continue
            middle = min(max(float(round(math.sqrt(low * high))), low + 1), high - 1)
            known[middle] = proven(middle)
            between += [(low, middle), (middle, high)]
        return np.array(sorted(known))

    def _floors(self, *, by_pairs: bool) -> list[Curve]:
        """Return what no independent noise comes below, proven and as k → ∞, between the ends of k.

        by_pairs: whether by two data sets, too, which takes longer.
        """
        k = self._turns() if by_pairs else _BOUNDED
        sigma = gaussian.minimal_sigma(epsilon=self.epsilon, delta=self.delta, queries=k)

        def floor(key: str, label: str, kind: Evidence, source: Source, y: FloatArray) -> Curve:
            return Curve(key, label, Subject.LOWER_BOUND, kind, source, k, y)

        def along(radius: Callable[[float, float, float], float]) -> FloatArray:
            return np.array([radius(self.epsilon, self.delta, float(x)) for x in k]) / sigma

        chains = along(converse_radius)
        limit: FloatArray = np.full(k.shape, math.sqrt(MINIMAL_FISHER_INFORMATION))
        curves = [
            floor(
                "converse",
                "No independent noise below, by chains",
                Evidence.LOWER,
                CONVERSE,
                chains,
            ),
            floor("floor", "π, limit for all independent noise", Evidence.LIMIT, LIMIT, limit),
        ]
        if by_pairs:
            pairs = along(pair_radius)
            pairs[(k > MOST_ANSWERS) & (pairs < chains)] = math.nan
            label = "No independent noise below, by pairs"
            pair = floor("pair", label, Evidence.LOWER, _PAIR, pairs)
            curves.insert(0, replace(pair, second=True))
            scores = along(lambda *at: scores_radius(*at)[0])
            if np.isfinite(scores).any():
                label = "No independent noise below, by scores"
                curves.insert(0, floor("scores", label, Evidence.LOWER, _SCORES, scores))
        return curves


def _possible(proven: list[tuple[float, Compared]]) -> list[Curve]:
    """Return between what the least radius of all independent noise lies."""
    if not proven:
        return []
    k = np.array([count for count, _ in proven])
    sigma = np.array([at.sigma for _, at in proven])
    optima = [at.optimum for _, at in proven if at.optimum is not None]
    curve = _certified("possible", "Best independent noise here", _POSSIBLE, k, optima, sigma)
    return [replace(curve, weight=1.4)]


def gap(chart: Chart) -> tuple[FloatArray, FloatArray] | None:
    """Return x and y around all between the best noise here and what is proven impossible.

    Both are known at every k of the curve; what is impossible in between, too, where it may step.
    None where it is not drawn.
    """
    known = {curve.key: curve for curve in chart.curves}
    if "pair" not in known:
        return None
    best, chains = known["possible"], known["converse"]
    inside = (chains.x >= best.x[0]) & (chains.x <= best.x[-1])
    x = np.concatenate([best.x, chains.x[inside]])
    bounds = [known[key].y for key in ("converse", "pair", "scores") if key in known]
    low = np.concatenate([best.part("_lower"), np.fmax.reduce(bounds)[inside]])
    back = np.lexsort((low, x))[::-1]
    return np.concatenate([best.x, x[back]]), np.concatenate([best.y, low[back]])


def _settled(low: float, high: float) -> bool:
    """Return whether a change between two k is known as exactly as it is looked for."""
    return high <= max(low + 1, 1.1 * low)


def first_wins(known: Mapping[float, Compared]) -> list[tuple[float, str]]:
    """Return the k from which on each noise has the least error, and its name, ordered by k."""
    wins: list[tuple[float, str]] = []
    for k in sorted(known):
        name = NAMES[known[k].winner]
        if not wins or wins[-1][1] != name:
            wins.append((k, name))
    return wins


def _certified(
    key: str,
    label: str,
    source: Source,
    x: FloatArray,
    brackets: list[Bracket],
    unit: FloatArray,
) -> Curve:
    """Return a curve through certified bounds, drawn at the private end."""
    lower, upper = (np.array([getattr(b, end) for b in brackets]) for end in ("lower", "upper"))
    weight = 1.4 if key == "tuned" else 0.7
    ends = upper / unit, lower / unit, upper / unit
    return Curve(key, label, Subject.BOUNDED, Evidence.CERTIFIED, source, x, *ends, weight=weight)
