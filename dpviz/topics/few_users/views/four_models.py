"""View: the users a vote, or a histogram, needs against the size of the class, in four models."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

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
from dpviz.topics.few_users.best_learner import fewest_users
from dpviz.topics.few_users.enough_counts import enough_for_counts
from dpviz.topics.few_users.enough_users import LikeForLike, best_vote_users, enough_users
from dpviz.topics.few_users.learners_by_name import ALPHA, BETA, DELTA, EPSILON
from dpviz.topics.few_users.models import MODELS, SUBJECTS, THEOREMS, least_users_exchanged
from dpviz.topics.few_users.problems import points_served
from dpviz.topics.few_users.representation import representation_bits

HASHED = {"pure": "points, hashed: central", "local": "points, hashed: local"}
"""Models whose users grow with what is voted on: their labels where that is a representation."""

RELEASED = {"winner": "The winner", "counts": "Every count"}
"""What is released."""

COUNTED = {
    "approximate": Source(CS, "Lemma 11"),
    "pure": Source("Dwork & Roth 2014", "Example 3.2, with noise on whole numbers"),
    "local": Source(CS, "Lemma 13"),
    "shuffle": Source(CS, "Lemma 37"),
}
"""Whose histogram each model has."""

TRUSTED = ("approximate", "pure", "best_vote")
"""What a trusted server may do: two models, and the vote of `BestVote`, if a winner is released."""

MIXED = ("shuffle", "local")
"""What users may do who trust the mixing of their messages: those who trust nobody need none of it,
and their vote stays as private when it is mixed."""

_PROGRAM = "dpviz.topics.few_users.best_learner"
_BEST_VOTE = "dpviz.topics.few_users.best_vote"
_FIRST = 5  # places in the first result: without the third, a line would be seen off its curve
_PLACES = (1, 40, 4, 20, 10, 30, 2, 7, 15, 25, 35)


@dataclass(frozen=True, eq=False, kw_only=True)
class FourModelsChart(Chart):
    """The users from which a vote over 2^d items succeeds, or a histogram of them, by model.

    released: one of `RELEASED`. enough: by model, at the reader's d, between certified bounds;
    mixed: of `MIXED`, the model that takes the fewest there;
    best_vote: for `BestVote`, infinite if counts are released; trusted: which of `TRUSTED` takes
    the fewest there, and least, how many;
    fewest: of any private learner, if no function serves two hypotheses; fewest_pure: of any that
    is ε-private, and enough where all users agree.
    hashed: by model of `HASHED`, for points, whose representation has 2^hashed_bits hypotheses;
    points: of the best pure learner of points, or infinite where that is not known (as yet).
    centre: κ of the stable histogram's noise; dispersion: r of a bucket in the shuffle model.
    """

    released: str
    enough: Mapping[str, Bracket]
    mixed: str
    best_vote: float
    trusted: str
    least: float
    hashed: Mapping[str, Bracket]
    hashed_bits: int
    fewest: int
    fewest_pure: int
    points: float
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
    every model, for one user's item exchanged; alpha: α, on which the representation of the points,
    and how many a function serves, depend.
    """
    if released not in RELEASED:
        raise ParameterError("released", f"one of {', '.join(RELEASED)}", released)
    here = int(LIMITS["class_bits"].validate(class_bits))
    beta = BETA.validate(failure_probability)
    vote = LikeForLike(EPSILON.validate(epsilon), DELTA.validate(delta))
    largest = representation_bits(max(_PLACES), alpha=ALPHA.validate(alpha), beta=beta)
    so_far = _KnownSoFar(released, here, alpha, beta, vote, largest)
    places = list(dict.fromkeys((here, largest, *_PLACES)))
    pace = Pace()
    for number, bits in enumerate(places, 1):
        so_far.vote_at(bits)
        if number == _FIRST or (number > _FIRST and pace.due()):
            yield so_far.chart(number / len(places) / 2)
    for number, bits in enumerate(places if released == "winner" else (), 1):
        so_far.best_at(bits)
        if pace.due():
            yield so_far.chart((1 + number / len(places)) / 2)
    yield so_far.chart(1.0)


@dataclass
class _KnownSoFar:
    """What is known so far, by d.

    released: one of `RELEASED`; here: the reader's d; largest: d of the points' representation.
    known: of each model, and of the best vote; fewest: of any private vote, with δ and without;
    best: by linear programs, of any learner of points.
    """

    released: str
    here: int
    alpha: float
    beta: float
    vote: LikeForLike
    largest: int
    known: dict[int, dict[str, Bracket]] = field(default_factory=dict)
    fewest: dict[int, tuple[int, int]] = field(default_factory=dict)
    best: dict[int, float] = field(default_factory=dict)

    def vote_at(self, bits: int) -> None:
        """Find the users of each model, and how many nobody does without."""
        epsilon, beta = self.vote.epsilon, self.beta
        enough = enough_users if self.released == "winner" else enough_for_counts
        self.known[bits] = {
            model: enough(model, self.vote, bits=bits, beta=beta) for model in MODELS
        }
        if self.released == "winner":
            users = best_vote_users(epsilon=epsilon, bits=bits, beta=beta)
            self.known[bits]["best_vote"] = Bracket(users, users)
        approximate, pure = (
            least_users_exchanged(
                targets=2**bits, served=1, epsilon=epsilon, delta=delta, beta=beta
            )
            for delta in (self.vote.delta, 0.0)
        )
        self.fewest[bits] = approximate, pure

    def best_at(self, bits: int) -> None:
        """Find the users of the best pure learner of points."""
        served = points_served(bits, self.alpha)
        points = fewest_users(
            targets=2**bits, served=served, epsilon=self.vote.epsilon, beta=self.beta
        )
        self.best[bits] = points.upper if points.lower == points.upper else math.inf

    def chart(self, done: float) -> FourModelsChart:
        """Return what is known."""
        known, here, vote = self.known, self.here, self.vote
        offered = {model: known[here][model].upper for model in TRUSTED if model in known[here]}
        trusted = min(offered, key=lambda model: offered[model])
        mixed = min(MIXED, key=lambda model: known[here][model].upper)
        return FourModelsChart(
            x=Axis("class_bits", "Class of 2^d hypotheses, d", log=False),
            y=Axis("users", "Users needed", least=1.0),
            curves=(*self._models(), *_hashed(known, self.largest), *self._bounds(), *self._best()),
            here=float(here),
            in_headline=(trusted, "local"),
            released=self.released,
            enough={model: known[here][model] for model in MODELS},
            mixed=mixed,
            best_vote=offered.get("best_vote", math.inf),
            trusted=trusted,
            least=offered[trusted],
            hashed={model: known[min(here, self.largest)][model] for model in HASHED},
            hashed_bits=min(here, self.largest),
            fewest=self.fewest[here][0],
            fewest_pure=self.fewest[here][1],
            points=self.best.get(here, math.inf),
            epsilon=vote.epsilon,
            delta=vote.delta,
            beta=self.beta,
            centre=vote.stable_noise.kappa,
            dispersion=vote.shuffle_noise.dispersion,
            done=done,
        )

    def _models(self) -> Iterator[Curve]:
        order = sorted(self.known)
        for model, name in MODELS.items():
            winner = self.released == "winner"
            source = Source(CS, THEOREMS[model]) if winner else COUNTED[model]
            yield _curve(model, name, source, order, [self.known[d][model] for d in order])
        if self.released == "winner":
            users = [self.known[d]["best_vote"] for d in order]
            source = Source(_BEST_VOTE, "in closed form, with the proof")
            yield _curve("best_vote", "best if all agree, δ = 0", source, order, users)

    def _bounds(self) -> Iterator[Curve]:
        """Yield what no private learner does better than, if no function serves two hypotheses.

        A histogram right to a tenth of the users names the item that four fifths hold.
        """
        order = sorted(self.fewest)
        named = (
            ("fewest", "fewest of any (ε, δ) vote"),
            ("fewest_pure", "fewest of any vote, δ = 0"),
        )
        for place, (key, label) in enumerate(named):
            yield Curve(
                key=key,
                label=label,
                subject=Subject.LOWER_BOUND,
                evidence=Evidence.LOWER,
                source=Source(CS, "Lemma 34, group privacy over all items, at its tightest"),
                x=np.array(order, dtype=float),
                y=np.array([max(self.fewest[d][place], 1) for d in order], dtype=float),
                weight=1.0 if place else 0.6,
            )

    def _best(self) -> Iterator[Curve]:
        """Yield the users of the best pure learner of points, where programs are small enough."""
        order = sorted(self.best)
        users = np.maximum(_finite(np.array([self.best[d] for d in order])), 1.0)
        if np.isfinite(users).any():
            yield Curve(
                key="best_points",
                label="points: best learner, δ = 0",
                subject=Subject.BOUNDED,  # the colour of pure privacy here
                evidence=Evidence.CERTIFIED,
                source=Source(_PROGRAM, "linear program over all mechanisms, with its dual"),
                x=np.array(order, dtype=float),
                y=users,
                lower=users,
                upper=users,
                weight=1.0,
                second=True,
            )


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


def _curve(model: str, name: str, source: Source, order: list[int], users: list[Bracket]) -> Curve:
    low, high = (np.array([getattr(one, end) for one in users]) for end in ("lower", "upper"))
    certified = model == "local"
    return Curve(
        key=model,
        label=name,
        subject=SUBJECTS.get(model, SUBJECTS["pure"]),
        evidence=Evidence.CERTIFIED if certified else Evidence.EXACT,
        source=source,
        x=np.array(order, dtype=float),
        y=_finite(high),
        lower=_finite(low) if certified else None,
        upper=_finite(high) if certified else None,
        second=model == "best_vote",
    )


def _finite(values: FloatArray) -> FloatArray:
    """Return NaN where no group tried is large enough."""
    return np.where(np.isfinite(values), values, np.nan)
