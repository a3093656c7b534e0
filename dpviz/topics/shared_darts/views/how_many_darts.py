"""View: how often two users disagree, against the number of darts they share."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from dpviz.maths.correlated_sampling import (
    enough_darts,
    independent_disagreement,
    limited_disagreement,
    output_disagreement,
    sample_repeatedly,
    two_bells,
)
from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import Pace
from dpviz.topics.shared_darts.bells import EXACT, Setting

_GAMES = 500  # at a time
_ROUNDS = 8
_MISSED = 0.01
_PLACES = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], dtype=float)


@dataclass(frozen=True, eq=False, kw_only=True)
class SupplyChart(Chart):
    """How often two users disagree where only so many darts are shared.

    limited, endless, independent: at the reader's number of darts, with endless darts, with none.
    enough: of so many darts one is below either curve, but for a chance of `missed`. outcomes: |Ω|.
    """

    limited: float
    endless: float
    independent: float
    enough: int
    missed: float
    outcomes: int


def how_many_darts(
    *, darts: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[SupplyChart]:
    """Yield disagreement against the number of shared darts, with ever more simulated games.

    darts: T, the reader's number. Raises `ParameterError`.
    """
    here = LIMITS["darts"].validate(darts)
    p, q = two_bells(**setting)
    fine = np.unique(np.rint(np.geomspace(1, LIMITS["darts"].maximum, 120)))
    x = np.unique(np.append(fine, here))
    differ, games = np.zeros(_PLACES.size), 0
    pace = Pace()
    for turn in range(_ROUNDS):
        differ += _games(p, q, rng)
        games += _GAMES
        if turn in (0, _ROUNDS - 1) or pace.due():
            yield SupplyChart(
                x=Axis("darts", "shared darts T"),
                y=Axis(
                    "disagreement",
                    "probability of different picks",
                    log=False,
                    base=0.0,
                    chance=True,
                ),
                curves=_curves(x, p, q, differ, games),
                here=here,
                in_headline=("limited",),
                limited=float(limited_disagreement(p, q, darts=here)),
                endless=float(output_disagreement(p, q)),
                independent=float(independent_disagreement(p, q)),
                enough=enough_darts(p, q, missed=_MISSED),
                missed=_MISSED,
                outcomes=p.size,
                done=(turn + 1) / _ROUNDS,
            )


def _games(p: FloatArray, q: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return in how many games the picks differ, for each of the numbers of darts."""
    thrown = sample_repeatedly([p, q], repetitions=_GAMES, rng=rng)
    own = np.stack([rng.choice(p.size, size=_GAMES, p=law) for law in (p, q)], axis=1)
    late = thrown.dart[..., None] >= _PLACES
    picks = np.where(late, own[..., None], thrown.outcome[..., None])
    return np.asarray((picks[:, 0] != picks[:, 1]).sum(axis=0), dtype=float)


def _curves(
    x: FloatArray, p: FloatArray, q: FloatArray, differ: FloatArray, games: int
) -> tuple[Curve, ...]:
    """Return the exact curve between own coins and endless darts, and the simulated games."""
    low, high = clopper_pearson(differ, games)
    exact, level = Evidence.EXACT, np.ones(x.size)
    limited = limited_disagreement(p, q, darts=x)
    alone, endless = independent_disagreement(p, q), output_disagreement(p, q)
    return (
        Curve("own", "own coins alone", Subject.ITEM_LEVEL, exact, EXACT, x, alone * level),
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
        Curve(
            "simulated",
            f"{games:,} games",
            Subject.USER_LEVEL,
            Evidence.SIMULATED,
            Source("dpviz.maths.correlated_sampling", "simulation, 95% intervals"),
            _PLACES,
            differ / games,
            low,
            high,
        ),
    )
