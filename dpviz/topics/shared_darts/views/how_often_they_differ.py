"""View: how often two users disagree, against the distance of their distributions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from dpviz.maths.correlated_sampling import (
    dart_disagreement,
    independent_disagreement,
    inverse_disagreement,
    output_disagreement,
    sample_repeatedly,
    total_variation,
    two_bells,
)
from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import Pace
from dpviz.topics.shared_darts.bells import EXACT, Setting

_GAMES = 250  # played for each point at a time
_ROUNDS = 24
_POINTS = 12
_PATH = 161
_FARTHEST = 0.6  # total variation where the curves end, unless the reader's is larger
_SAMPLING = "dpviz.maths.correlated_sampling"


@dataclass(frozen=True, eq=False, kw_only=True)
class DisagreementChart(Chart):
    """How often two users disagree, as the bells move apart.

    distance: TV at the reader's gap; at it, exactly: outputs (shared darts), darts (that the darts
    differ), independent, inverse.
    """

    distance: float
    outputs: float
    darts: float
    independent: float
    inverse: float


def how_often_they_differ(
    *, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[DisagreementChart]:
    """Yield disagreement against TV as the gap grows, with ever more simulated games.

    Raises `ParameterError`.
    """
    here = two_bells(**setting)
    path = _path(setting, max(_FARTHEST, 1.15 * float(total_variation(*here))))
    p, q = (np.array(rows) for rows in zip(*path, strict=True))
    distances = total_variation(p, q)
    exact = _exact_curves(distances, p, q)
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
                y=Axis(
                    "disagreement",
                    "probability that the two pick differently",
                    log=False,
                    chance=True,
                ),
                curves=(*exact, _simulated(distances[places], differ, games)),
                here=float(total_variation(*here)),
                distance=float(total_variation(*here)),
                outputs=float(output_disagreement(*here)),
                darts=float(dart_disagreement(total_variation(*here))),
                independent=float(independent_disagreement(*here)),
                inverse=float(inverse_disagreement(*here)),
            )


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
            "each with coins of their own",
            Subject.ITEM_LEVEL,
            exact,
            EXACT,
            independent_disagreement(p, q),
        ),
        (
            "inverse",
            "one shared uniform number",
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


def _simulated(x: FloatArray, differ: FloatArray, games: int) -> Curve:
    """Return how often shared darts led to different picks, with 95% intervals."""
    low, high = clopper_pearson(differ, games)
    return Curve(
        "simulated",
        f"shared darts, {games:,} games each",
        Subject.USER_LEVEL,
        Evidence.SIMULATED,
        Source(_SAMPLING, "simulation, 95% intervals"),
        x,
        differ / games,
        low,
        high,
    )
