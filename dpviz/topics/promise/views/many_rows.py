"""One person, many rows: noise made for one row, and what it leaves to someone who has m."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import Pace, Steps, coarse_to_fine, paused, whole
from dpviz.topics.promise.calibrating import (
    capitalised_noise,
    least_epsilon,
    least_noise,
    likely_epsilon,
)
from dpviz.topics.promise.releases import (
    BoundedRelease,
    LaplaceRelease,
    Release,
    ShiftedGeometric,
)

MOST_ROWS = 1000
_FEWEST = 4  # points, up to which each is shown as it comes
_ABOUT = 1.1  # times what is likely: the axis holds it, however rough that is
_GROUP = Source(UL, "Lemma 6")


@dataclass(frozen=True, eq=False, kw_only=True)
class ManyRows(Chart):
    """The ε of a person with m rows, at the δ of the promise that was made for one row.

    exact: bounds at the reader's m; inf where no ε will do. group_delta: the δ that group privacy
    needs for its mε there; 1 or more says that it promises nothing.
    """

    mechanism: str
    epsilon: float
    delta: float
    queries: int
    rows: int
    exact: Bracket
    group_delta: float


def many_rows(
    *,
    mechanism: str,
    epsilon: float,
    delta: float,
    queries: int,
    power: float,
    examples_per_user: int,
) -> Iterator[ManyRows]:
    """Yield the ε of a person with m rows, for m from 1 to 1000, coarse to fine.

    The k answers have the least noise that is (ε, δ)-DP for one row. m rows move an answer m
    times as far; under randomised response they are m bits. Neighbouring data sets substitute all
    rows of one person. Raises `ParameterError`.
    """
    own = int(LIMITS["examples_per_user"].narrowed(maximum=MOST_ROWS).validate(examples_per_user))
    release = least_noise(mechanism, epsilon=epsilon, delta=delta, queries=queries, power=power)
    grid = np.unique(np.append(np.round(np.geomspace(1, MOST_ROWS, 22)), own)).astype(int)
    place, pace = int(np.searchsorted(grid, own)), Pace()
    known: dict[int, Bracket] = {}

    def result(done: float) -> ManyRows:
        log_delta = float(_log_group_delta(np.array(own), epsilon, delta))
        return ManyRows.of(
            _chart(known, mechanism, epsilon, delta, own, release.subject, release.source, reach),
            mechanism=mechanism,
            epsilon=epsilon,
            delta=delta,
            queries=int(queries),
            rows=own,
            exact=known[own],
            group_delta=math.exp(min(log_delta, 700.0)),
            done=done,
        )

    def steps(m: int) -> Steps[Bracket]:
        below = [k for k in known if k < m and math.isfinite(known[k].upper)]
        moved = release.of_rows(m)
        start = epsilon * m
        if below:
            start = known[max(below)].upper * m / max(below)
        elif m > 1 and isinstance(moved, LaplaceRelease):  # of many answers mε is far off
            start = likely_epsilon(moved, delta)
        return least_epsilon.steps(moved, delta, max(start, 1e-6))

    known[own] = whole(steps(own))
    most, likely = _likely_reach(release, grid, delta)
    if likely is None:
        known[most] = known.get(most) or whole(steps(most))
    reach = max(likely or known[most].upper, MOST_ROWS * epsilon)
    shown = result(1 / grid.size)
    yield shown
    for i in coarse_to_fine(grid.size, 6, here=place)[1:]:
        m = int(grid[i])
        if m not in known:
            known[m] = yield from paused(steps(m), pace, shown)
        if pace.due() or len(known) < _FEWEST:
            shown = result(len(known) / grid.size)
            yield shown
    yield result(1.0)


def _likely_reach(
    release: Release, rows: NDArray[np.int_], delta: float
) -> tuple[int, float | None]:
    """Return the most rows with an ε, and about the ε they have, None where it is soon computed.

    Many rows of bounded noise have none. That of many answers with Laplace noise takes seconds; a
    shifted geometric law is close to Laplace's.
    """
    floors = (release.of_rows(int(m)) for m in rows)
    some = [m for m, moved in zip(rows.tolist(), floors, strict=True) if _has_epsilon(moved, delta)]
    most = max(some, default=int(rows[0]))
    match release.of_rows(most):
        case LaplaceRelease() as moved:
            return most, _ABOUT * likely_epsilon(moved, delta)
        case ShiftedGeometric(loss=loss, count=count, shift=shift):
            return most, _ABOUT * likely_epsilon(LaplaceRelease(loss * shift, count), delta)
        case _:
            return most, None


def _has_epsilon(release: Release, delta: float) -> bool:
    return not isinstance(release, BoundedRelease) or release.log_floor <= math.log(delta)


def _log_group_delta(rows: FloatArray, epsilon: float, delta: float) -> FloatArray:
    """Return ln of δ·(e^(mε) − 1)/(e^ε − 1)."""
    excess: FloatArray = rows * epsilon + np.log(-np.expm1(-rows * epsilon))
    return math.log(delta) + excess - math.log(math.expm1(epsilon))


def _chart(
    known: dict[int, Bracket],
    mechanism: str,
    epsilon: float,
    delta: float,
    own: int,
    subject: Subject,
    source: Source,
    reach: float,
) -> Chart:
    x = np.array(sorted(known), dtype=float)
    lower, upper = (
        np.array([getattr(known[int(m)], end) for m in x]) for end in ("lower", "upper")
    )
    upper = np.where(np.isfinite(upper) & (upper > 0), upper, math.nan)
    lower = np.where(np.isfinite(upper) & (lower > 0), lower, math.nan)
    exact = bool(np.all((lower == upper) | np.isnan(upper)))
    curves = (
        Curve(
            "group",
            "m times ε (a larger δ)",
            Subject.EARLIER,
            Evidence.PUBLISHED,
            _GROUP,
            x,
            np.where(_log_group_delta(x, epsilon, delta) < 0, x * epsilon, math.nan),
        ),
        Curve(
            "exact",
            f"{capitalised_noise(mechanism)} made for one row",
            subject,
            Evidence.EXACT if exact else Evidence.CERTIFIED,
            source,
            x,
            upper,
            None if exact else lower,
            None if exact else upper,
            weight=1.4,
        ),
        Curve(
            "person",
            "Noise made for all your rows",
            Subject.USER_LEVEL,
            Evidence.EXACT,
            source,
            x,
            np.full(x.shape, epsilon),
        ),
    )
    return Chart(
        Axis("examples_per_user", "Your rows in the data, m", base=1.0, reach=MOST_ROWS),
        Axis("epsilon", "Your ε", base=epsilon, reach=reach),
        curves,
        here=float(own),
        in_headline=("exact", "person"),
    )
