"""Views of correlated sampling on two bells: one board, disagreement, and the joint laws."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.correlated_sampling import (
    Darts,
    dart_disagreement,
    dart_joint_law,
    independent_disagreement,
    independent_joint_law,
    inverse_disagreement,
    inverse_joint_law,
    output_disagreement,
    sample,
    sample_repeatedly,
    total_variation,
    two_bells,
)
from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Origin, Source, Subject
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import Pace

SHOWN_GAMES = 40
"""The games of which the board shows how they ended."""

_GAMES = 250  # played for each point at a time
_ROUNDS = 24
_POINTS = 12
_PATH = 161
_FARTHEST = 0.6  # total variation where the curves end, unless the reader's is larger
_HERE = Source("dpviz.maths.correlated_sampling", "sum over all outcomes")


class Setting(TypedDict):
    """What all views take: the bells of `two_bells`, P and Q."""

    outcomes: float
    gap: float
    width: float
    width_ratio: float


@dataclass(frozen=True, eq=False)
class Board:
    """One game: darts are thrown until one is below P and one is below Q.

    places, heights: the darts, in order. first, second: the numbers, from 0, of the darts of P
    and of Q. shared_games, own_games: whether the picks agree in more games, on shared darts and
    with each one's own; the game of the board is the first of them.
    """

    origins: ClassVar = (
        Origin(Evidence.SIMULATED, Source(CS, "Theorem 8")),
        Origin(Evidence.EXACT, _HERE),
    )

    p: FloatArray
    q: FloatArray
    places: NDArray[np.int64]
    heights: FloatArray
    first: int
    second: int
    shared_games: NDArray[np.bool_]
    own_games: NDArray[np.bool_]

    @property
    def picks(self) -> tuple[int, int]:
        """The outcomes of P and of Q, counted from 1."""
        return int(self.places[self.first]) + 1, int(self.places[self.second]) + 1

    @property
    def disagreement(self) -> float:
        """How likely a game ends in different picks, exactly."""
        return float(output_disagreement(self.p, self.q))

    @property
    def distance(self) -> float:
        """TV(P, Q)."""
        return float(total_variation(self.p, self.q))

    @property
    def below(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which darts are below P, and which below Q."""
        return self.heights < self.p[self.places], self.heights < self.q[self.places]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the darts: number and outcome from 1, height, and whom they hit."""
        below_p, below_q = self.below
        return {
            "dart": np.arange(1, self.places.size + 1),
            "outcome": self.places + 1,
            "height": self.heights,
            "p": self.p[self.places],
            "q": self.q[self.places],
            "below_p": below_p,
            "below_q": below_q,
        }


def one_board(*, rng: np.random.Generator, **setting: Unpack[Setting]) -> Board:
    """Return one game with shared darts. Raises `ParameterError`."""
    p, q = two_bells(**setting)
    darts = Darts(p.size, int(rng.integers(2**32)))
    thrown = sample([p, q], darts)
    first, second = (int(dart) for dart in thrown.dart)
    size = darts.block(0)[0].size
    blocks = [darts.block(number) for number in range(max(first, second) // size + 1)]
    end = max(first, second) + 1
    places, heights = (np.concatenate(parts)[:end] for parts in zip(*blocks, strict=True))
    together = sample_repeatedly([p, q], repetitions=SHOWN_GAMES - 1, rng=rng).outcome
    mine = np.append(thrown.outcome[0], together[:, 0])
    yours = np.append(thrown.outcome[1], together[:, 1])
    alone = sample_repeatedly([q], repetitions=SHOWN_GAMES, rng=rng).outcome[:, 0]
    return Board(p, q, places, heights, first, second, mine == yours, mine == alone)


@dataclass(frozen=True, eq=False, kw_only=True)
class DisagreementChart(Chart):
    """How often two users disagree, as the bells move apart.

    distance: TV at the reader's gap; at it, exactly: outputs (shared darts), darts (that the darts
    differ), independent, inverse. games: played for each simulated point.
    """

    distance: float
    outputs: float
    darts: float
    independent: float
    inverse: float
    games: int


def disagreement(
    *, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[DisagreementChart]:
    """Yield disagreement against TV as the gap grows, with ever more simulated games.

    Raises `ParameterError`.
    """
    here = two_bells(**setting)
    path = _path(setting, max(_FARTHEST, 1.15 * float(total_variation(*here))))
    distances = np.array([float(total_variation(*pair)) for pair in path])
    p, q = (np.array(rows) for rows in zip(*path, strict=True))
    places = np.linspace(0, distances.size - 1, _POINTS).round().astype(int)
    differ, games = np.zeros(places.size), 0
    pace = Pace()
    for _ in range(_ROUNDS):
        for i, place in enumerate(places):
            drawn = sample_repeatedly(path[place], repetitions=_GAMES, rng=rng).outcome
            differ[i] += np.count_nonzero(drawn[:, 0] != drawn[:, 1])
        games += _GAMES
        if games == _GAMES or games == _GAMES * _ROUNDS or pace.due():
            yield DisagreementChart(
                x=Axis("TV", "total variation distance of P and Q", log=False),
                y=Axis("disagreement", "probability that the two pick differently", log=False),
                curves=_curves(distances, p, q, places, differ, games),
                here=float(total_variation(*here)),
                distance=float(total_variation(*here)),
                outputs=float(output_disagreement(*here)),
                darts=float(dart_disagreement(total_variation(*here))),
                independent=float(independent_disagreement(*here)),
                inverse=float(inverse_disagreement(*here)),
                games=games,
            )


@dataclass(frozen=True, eq=False)
class JointLaws:
    """The exact laws of the two picks (P's in rows) under three kinds of randomness."""

    origins: ClassVar = (
        Origin(Evidence.EXACT, _HERE),
        Origin(Evidence.EXACT, Source(CS, "Theorem 8")),
    )

    darts: FloatArray
    inverse: FloatArray
    independent: FloatArray

    @property
    def agreement(self) -> tuple[float, float, float]:
        """How likely the picks agree with shared darts, one shared number, own coins."""
        first, second, third = (
            float(np.trace(law)) for law in (self.darts, self.inverse, self.independent)
        )
        return first, second, third

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the probability of each pair of picks, counted from 1."""
        size = len(self.darts)
        first, second = np.divmod(np.arange(size * size), size)
        return {
            "pick_p": first + 1,
            "pick_q": second + 1,
            "shared_darts": self.darts.ravel(),
            "shared_number": self.inverse.ravel(),
            "own_coins": self.independent.ravel(),
        }


def joint_laws(**setting: Unpack[Setting]) -> JointLaws:
    """Return the joint laws of the picks. Raises `ParameterError`."""
    pair = two_bells(**setting)
    return JointLaws(dart_joint_law(*pair), inverse_joint_law(*pair), independent_joint_law(*pair))


def _path(setting: Setting, farthest: float) -> list[tuple[FloatArray, FloatArray]]:
    """Return pairs of bells from gap 0 on, as far as their distance is no larger."""
    longest = LIMITS["gap"].maximum
    pairs: list[tuple[FloatArray, FloatArray]] = []
    for gap in longest * np.linspace(0, 1, _PATH) ** 1.5:
        pair = two_bells(**setting | {"gap": float(gap)})
        if len(pairs) > 1 and total_variation(*pair) > farthest:
            break
        pairs.append(pair)
    return pairs


def _curves(
    distances: FloatArray,
    p: FloatArray,
    q: FloatArray,
    places: NDArray[np.int64],
    differ: FloatArray,
    games: int,
) -> tuple[Curve, ...]:
    exact = Evidence.EXACT
    low, high = clopper_pearson(differ, games)
    return (
        Curve(
            "independent",
            "each with coins of their own",
            Subject.ITEM_LEVEL,
            exact,
            _HERE,
            distances,
            independent_disagreement(p, q),
        ),
        Curve(
            "inverse",
            "one shared uniform number",
            Subject.GAUSSIAN,
            exact,
            _HERE,
            distances,
            inverse_disagreement(p, q),
        ),
        Curve(
            "bound",
            "bound 2TV",
            Subject.USER_LEVEL,
            Evidence.PUBLISHED,
            Source(CS, "Theorem 8"),
            distances,
            np.where(distances <= 0.5, 2 * distances, np.nan),
        ),
        Curve(
            "darts",
            "different darts, 2TV/(1+TV)",
            Subject.EARLIER,
            exact,
            Source("dpviz.maths.correlated_sampling", "the first dart below either curve"),
            distances,
            dart_disagreement(distances),
            weight=0.6,
        ),
        Curve(
            "outputs",
            "shared darts",
            Subject.USER_LEVEL,
            exact,
            _HERE,
            distances,
            output_disagreement(p, q),
        ),
        Curve(
            "least",
            "TV: nothing does better",
            Subject.LOWER_BOUND,
            exact,
            Source("dpviz.maths.correlated_sampling", "any joint law"),
            distances,
            distances,
            weight=0.6,
        ),
        Curve(
            "simulated",
            f"shared darts, {games:,} games each",
            Subject.USER_LEVEL,
            Evidence.SIMULATED,
            Source("dpviz.maths.correlated_sampling", "simulation, 95% intervals"),
            distances[places],
            differ / games,
            low,
            high,
        ),
    )
