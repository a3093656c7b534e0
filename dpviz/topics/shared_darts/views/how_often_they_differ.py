"""View: how often two users disagree, as their bells move apart or as they share more darts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from dpviz.maths.correlated_sampling import (
    dart_disagreement,
    enough_darts,
    independent_disagreement,
    inverse_disagreement,
    limited_disagreement,
    output_disagreement,
    sample_repeatedly,
    total_variation,
    two_bells,
)
from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.results.refining import Pace
from dpviz.topics.shared_darts.bells import EXACT, Setting

ALONG = {"gap": "Distance of the bells", "darts": "Darts shared"}

_GAMES = {"gap": 250, "darts": 500}  # played for each point at a time
_ROUNDS = {"gap": 24, "darts": 8}
_POINTS = 12
_PATH = 161
_FARTHEST = 0.6  # total variation where the curves end, unless the reader's is larger
_MISSED = 0.01
_DARTS = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], dtype=float)
_SAMPLING = "dpviz.maths.correlated_sampling"


@dataclass(frozen=True, eq=False, kw_only=True)
class DisagreementChart(Chart):
    """How often two users disagree, as the bells move apart or as they share more darts.

    At the reader's bells, exactly: distance, TV; outputs (endless shared darts), darts (that the
    darts differ), independent (own coins), inverse (one shared number), limited (the reader's
    number of darts). enough: of so many darts one is below either curve, but for a chance of
    `missed`. outcomes: |Ω|.
    """

    distance: float
    outputs: float
    darts: float
    independent: float
    inverse: float
    limited: float
    enough: int
    missed: float
    outcomes: int

    @property
    def along_darts(self) -> bool:
        """Whether x is the number of shared darts."""
        return self.x.name == "darts"


def how_often_they_differ(
    *, along: str = "gap", darts: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[DisagreementChart]:
    """Yield disagreement against TV or against shared darts, with ever more simulated games.

    along: one of `ALONG`. darts: T, the reader's number. Raises `ParameterError`.
    """
    if along not in ALONG:
        raise ParameterError("along", f"one of {', '.join(ALONG)}", along)
    supply = LIMITS["darts"].validate(darts)
    p, q = two_bells(**setting)
    distance = float(total_variation(p, q))
    games = _Apart(setting, distance) if along == "gap" else _Supplied(p, q, supply)
    pace, rounds = Pace(), _ROUNDS[along]
    for turn in range(rounds):
        games.play(rng)
        if turn in (0, rounds - 1) or pace.due():
            yield DisagreementChart(
                x=games.axis,
                y=Axis(
                    "disagreement",
                    "Games in which Ann and Ben differ",
                    log=False,
                    base=0.0,
                    chance=True,
                ),
                curves=(*games.exact, games.simulated()),
                here=distance if along == "gap" else supply,
                in_headline=games.in_headline,
                distance=distance,
                outputs=float(output_disagreement(p, q)),
                darts=float(dart_disagreement(distance)),
                independent=float(independent_disagreement(p, q)),
                inverse=float(inverse_disagreement(p, q)),
                limited=float(limited_disagreement(p, q, darts=supply)),
                enough=enough_darts(p, q, missed=_MISSED),
                missed=_MISSED,
                outcomes=p.size,
                done=(turn + 1) / rounds,
            )


class _Apart:
    """Games as the bells move apart, at `_POINTS` distances."""

    axis = Axis("TV", "Distance of the bells: the part of one outside the other, TV", log=False)
    in_headline = ("outputs", "independent")

    def __init__(self, setting: Setting, distance: float) -> None:
        path = _path(setting, max(_FARTHEST, 1.15 * distance))
        p, q = (np.array(rows) for rows in zip(*path, strict=True))
        distances = total_variation(p, q)
        self.exact = _exact_curves(distances, p, q)
        places = np.linspace(0, distances.size - 1, _POINTS).round().astype(int)
        self._pairs, self._x = [path[place] for place in places], distances[places]
        self._differ, self._games = np.zeros(places.size), 0

    def play(self, rng: np.random.Generator) -> None:
        """Play some games at each distance."""
        for i, pair in enumerate(self._pairs):
            drawn = sample_repeatedly(pair, repetitions=_GAMES["gap"], rng=rng).outcome
            self._differ[i] += np.count_nonzero(drawn[:, 0] != drawn[:, 1])
        self._games += _GAMES["gap"]

    def simulated(self) -> Curve:
        """Return how often shared darts led to different picks."""
        name = f"shared darts, {self._games:,} games each"
        return _simulated(name, self._x, self._differ, self._games)


class _Supplied:
    """Games with a limited number of shared darts, of which those at `_DARTS` are played."""

    axis = Axis("darts", "Shared darts, T")
    in_headline = ("limited", "endless")

    def __init__(self, p: FloatArray, q: FloatArray, here: float) -> None:
        fine = np.unique(np.rint(np.geomspace(1, LIMITS["darts"].maximum, 120)))
        self.exact = _with_few_darts(np.unique(np.append(fine, here)), p, q)
        self._p, self._q = p, q
        self._differ, self._games = np.zeros(_DARTS.size), 0

    def play(self, rng: np.random.Generator) -> None:
        """Play some games; the same ones count for each number of darts."""
        p, q = self._p, self._q
        thrown = sample_repeatedly([p, q], repetitions=_GAMES["darts"], rng=rng)
        own = [rng.choice(p.size, size=_GAMES["darts"], p=law) for law in (p, q)]
        late = thrown.dart[..., None] >= _DARTS
        picks = np.where(late, np.stack(own, axis=1)[..., None], thrown.outcome[..., None])
        self._differ += (picks[:, 0] != picks[:, 1]).sum(axis=0)
        self._games += _GAMES["darts"]

    def simulated(self) -> Curve:
        """Return how often the picks differed."""
        return _simulated(f"{self._games:,} games", _DARTS, self._differ, self._games)


def _path(setting: Setting, farthest: float) -> list[tuple[FloatArray, FloatArray]]:
    """Return pairs of bells from gap 0 on, the reader's too, as far as they are near enough."""
    longest = LIMITS["gap"].maximum
    gaps = np.unique(np.append(longest * np.linspace(0, 1, _PATH) ** 1.5, setting["gap"]))
    pairs = [two_bells(**setting | {"gap": float(gap)}) for gap in gaps]
    near = total_variation(*(np.array(rows) for rows in zip(*pairs, strict=True))) <= farthest
    near[:2] = True
    return pairs[: int(np.argmin(np.append(near, False)))]


def _exact_curves(distances: FloatArray, p: FloatArray, q: FloatArray) -> tuple[Curve, ...]:
    """Return what each kind of randomness gives exactly, and the bounds."""
    exact = Evidence.EXACT
    rows = (
        (
            "independent",
            "each alone",
            Subject.ITEM_LEVEL,
            exact,
            EXACT,
            independent_disagreement(p, q),
        ),
        (
            "inverse",
            "one shared number",
            Subject.GAUSSIAN,
            exact,
            EXACT,
            inverse_disagreement(p, q),
        ),
        (
            "bound",
            "bound 2TV",
            Subject.USER_LEVEL,
            Evidence.PUBLISHED,
            Source(CS, "Theorem 8"),
            np.where(distances <= 0.5, 2 * distances, np.nan),
        ),
        (
            "darts",
            "2TV/(1+TV): least in the worst case",
            Subject.EARLIER,
            exact,
            Source("Bavarian et al. 2016"),
            dart_disagreement(distances),
        ),
        ("outputs", "shared darts", Subject.USER_LEVEL, exact, EXACT, output_disagreement(p, q)),
        (
            "least",
            "TV: least if both knew both",
            Subject.LOWER_BOUND,
            exact,
            Source(_SAMPLING, "any joint law"),
            distances,
        ),
    )
    weights = {"darts": 0.6, "least": 0.6}
    return tuple(
        Curve(key, label, subject, evidence, source, distances, y, weight=weights.get(key, 1.0))
        for key, label, subject, evidence, source, y in rows
    )


def _with_few_darts(x: FloatArray, p: FloatArray, q: FloatArray) -> tuple[Curve, ...]:
    """Return the exact curve between own coins and endless darts."""
    exact, level = Evidence.EXACT, np.ones(x.size)
    limited = limited_disagreement(p, q, darts=x)
    alone, endless = independent_disagreement(p, q), output_disagreement(p, q)
    return (
        Curve("own", "each alone", Subject.ITEM_LEVEL, exact, EXACT, x, alone * level),
        Curve("limited", "T shared darts", Subject.USER_LEVEL, exact, EXACT, x, limited),
        Curve(
            "endless",
            "endless shared darts",
            Subject.LOWER_BOUND,
            exact,
            Source(CS, "Theorem 8, the exact law"),
            x,
            endless * level,
            weight=0.6,
        ),
    )


def _simulated(label: str, x: FloatArray, differ: FloatArray, games: int) -> Curve:
    """Return how often the picks differed in simulated games, with 95% intervals."""
    low, high = clopper_pearson(differ, games)
    return Curve(
        "simulated",
        label,
        Subject.USER_LEVEL,
        Evidence.SIMULATED,
        Source(_SAMPLING, "simulation, 95% intervals"),
        x,
        differ / games,
        low,
        high,
    )
