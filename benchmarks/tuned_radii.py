"""Make the table of `dpviz.maths.accounting.tuned_radii`: ``python -m benchmarks.tuned_radii``.

Searches for shapes, some ten minutes: at all nodes of the table for few answers, else at a sample
of nodes and of middles of cells, and anywhere. As one search is luckier than another, a Gaussian
process smooths what they find, relative to Gaussian noise. A linear program then finds the lowest
monotone table above that, by a margin as searches scatter. Where it is below what a single search
found, the shapes found next to that setting are tried with the radius of the table, and the table
rises if none is private. With ``--known FILE`` the radii found are kept there, and those that are
there already are not searched for again. ``--lift`` raises the table that there is, by as little as
it takes, at settings where no noise of its radius was found.
"""

import argparse
import itertools
import math
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import linprog, minimize
from scipy.sparse import csr_array, vstack
from threadpoolctl import threadpool_limits

from benchmarks.options import parsed
from dpviz.maths import gaussian
from dpviz.maths.accounting import tuned_radii, tuning
from dpviz.maths.accounting.tuned_radii import AXES, COUNTS, DEPTHS, SUMS
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import whole

_Setting = tuple[float, float, float]
_SEED = 63
_UNLUCKY = (  # no noise of the radius of an earlier table was found there
    (0.007008183341307914, 7.926362105686799e-132, 69.0),
    (5.449713425560482e-06, 9.539725825317285e-107, 79.0),
    (0.3115425702362359, 1.101978448007479e-94, 2.0),
)
_SEARCHES = 1000  # for many answers, next to nodes
_DRAWN: tuple[tuple[int, int, float], ...] = (  # anywhere: how many, by which seed, up to which k
    *((count, seed, 1e10) for count, seed in ((1000, 101), (700, 404), (500, 505))),
    *(
        (400, 7001, 1e10),
        (400, 7003, 1e10),
        (500, 8001, 1e10),
        (500, 8002, 1e10),
        (500, 8003, 1e10),
    ),
    *((250, 101, 6.0), (500, 7002, 40.0)),
)
_SMALL = -6.0  # u, below which H hardly depends on it
_LEAST_DEPTH = 1e-3
_FEW = 30
_SHALLOW = 1.3  # of ln(1 + l/2), up to which some cells reach beyond δ = 1/2
_CHANGING = (112.0, 150.0, 168.0)  # l, about which the best shapes for few answers change
_SMOOTH = 1e-15  # δ, below which the best shapes for few answers change too fast to be smoothed
_FITTED = 600  # settings by which the process is chosen
_BETWEEN = 1.5e-3  # in log R, for what lies between settings
_STRAY = 3.0  # deviations from which on a search was unlucky
_ABOVE = 0.978  # of what was found, in regions where searches are about as lucky
_DEEP, _SETTLED = 15.0, 3e4  # l, above which they scatter more, and k, above which less
_SLACK, _LEAST_SLOPE = 1e-3, 1e-2
_SHAPE = tuple(len(axis) for axis in AXES)
_SIZE = math.prod(_SHAPE)
_MOST = 50.0  # of H
_SHOWN = (0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0)


def nodes(depths: Sequence[float] = DEPTHS) -> list[_Setting]:
    """Return ε, δ and k of every node, or of what is next to it inside the ranges."""
    return _settings(itertools.product(COUNTS, (*SUMS, math.log(12.0)), (*depths, 692.0)))


def middles(depths: Sequence[float] = DEPTHS) -> list[_Setting]:
    """Return the middle of every cell, or what is next to it inside the ranges."""
    counts = [round(math.sqrt(low * high)) for low, high in itertools.pairwise(COUNTS)]
    axes = np.array(SUMS), np.log1p(np.array(depths) / 2)
    sums, places = (axis[:-1] + np.diff(axis) / 2 for axis in axes)
    return _settings(itertools.product(counts, sums.tolist(), (2 * np.expm1(places)).tolist()))


def anywhere(count: int, seed: int, most: float = LIMITS["queries"].maximum) -> list[_Setting]:
    """Return settings drawn at random from the whole ranges, or for up to so many answers."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        queries = round(math.exp(rng.uniform(0, math.log(most))))
        epsilon = math.exp(rng.uniform(math.log(1e-7), math.log(10)))
        delta = math.exp(-math.exp(rng.uniform(math.log(0.6932), math.log(690.7))))
        found.append((epsilon, max(delta, 1e-300), float(queries)))
    return found


def shallow(count: int, seed: int) -> list[_Setting]:
    """Return settings of two to eight answers and large δ, where the best shapes change fast."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        queries, delta = float(rng.integers(2, 9)), float(rng.uniform(0.1, 0.5))
        found.append((math.exp(rng.uniform(math.log(1e-7), math.log(3))), delta, queries))
    return found


def deep(count: int, seed: int) -> list[_Setting]:
    """Return settings of 30 to 200 answers and tiny δ, where two kinds of shapes are as good."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        queries = float(round(math.exp(rng.uniform(math.log(30), math.log(200)))))
        delta = math.exp(-math.exp(rng.uniform(math.log(90), math.log(500))))
        found.append((math.exp(rng.uniform(math.log(1e-7), math.log(10))), delta, queries))
    return found


def thirds() -> list[_Setting]:
    """Return two more places along each side of the cells at δ = 1/2, at every node of k."""
    sums, depths = (
        (2 * np.array(axis)[:-1, None] + np.diff(axis)[:, None] * (2 / 3, 4 / 3)).ravel() / 2
        for axis in AXES[1:]
    )
    near = [2 * math.expm1(depth) for depth in depths.tolist() if depth < _SHALLOW]
    return _settings(itertools.product(COUNTS, sums.tolist(), near))


def _settings(places: Iterable[tuple[float, float, float]]) -> list[_Setting]:
    found = (_setting(float(k), v, depth) for k, v, depth in places)
    return list(dict.fromkeys(setting for setting in found if setting is not None))


def _setting(queries: float, v: float, depth: float) -> _Setting | None:
    """Return ε, δ and k where they are these, δ inside its range, or None where ε is not."""
    least, most = (math.log(2 * end) for end in (LIMITS["delta"].minimum, 1 / 2))
    u = max(math.log(math.expm1(v)) if v else _SMALL, _SMALL, depth + least)
    depth = max(depth, _LEAST_DEPTH, u - most)
    epsilon, delta = math.exp(u) * -math.expm1(-depth), math.exp(u - depth) / 2
    if epsilon > 10 * (1 + 1e-9):
        return None
    return min(epsilon, 10.0), min(max(delta, 1e-300), 0.5), queries


def searched(setting: _Setting) -> float:
    """Return the radius that a search certifies."""
    return whole(_search(setting).alone()).radius.upper


def _search(setting: _Setting) -> tuning._Search:
    return tuning._Search.of(*setting, "hard", 0.05)


def is_reached(setting: _Setting, radius: float) -> bool:
    """Return whether noise of this radius is found, here or next to here."""
    search = _search(setting)
    return whole(search.raised(whole(search.alone()), radius)).radius.upper <= radius


class Smooth:
    """log R of settings, by a Gaussian process through what searches found."""

    def __init__(self, settings: list[_Setting], radii: FloatArray) -> None:
        self._x = _features(settings)
        self._y = np.log(radii) - _usual(settings)
        rng = np.random.default_rng(_SEED)
        some = rng.permutation(len(settings))[:_FITTED]
        start = np.log([1.0, 1.0, 1.0, 0.5, 2e-3])
        ends = [(math.log(0.05), math.log(30.0))] * 4 + [(math.log(2e-4), math.log(0.03))]
        self._chosen = minimize(
            self._unlikely, start, (some,), method="L-BFGS-B", bounds=ends, options={"maxiter": 25}
        ).x
        self.scatter = math.exp(self._chosen[4])
        every = np.arange(len(settings))
        for _ in range(2):
            self._fit(every)
            off = self._y - self._mean_at(self._x)
            every = np.flatnonzero(off < _STRAY * self.scatter)
        deep = _is_deep(settings)
        margins = [np.quantile(off[deep == one], _ABOVE) for one in (False, True)]
        self.margins = [float(margin) + _BETWEEN for margin in margins]

    def _covariance(self, x: FloatArray, y: FloatArray, chosen: FloatArray) -> FloatArray:
        """Return Matérn's covariance, of processes with two derivatives."""
        lengths, size = np.exp(chosen[:3]), math.exp(chosen[3])
        squares = (((x[:, None] - y[None]) / lengths) ** 2).sum(axis=-1)
        gap = np.sqrt(5 * squares)
        covariance: FloatArray = size**2 * (1 + gap + gap**2 / 3) * np.exp(-gap)
        return covariance

    def _unlikely(self, chosen: FloatArray, rows: Any) -> float:
        x, y = self._x[rows], self._y[rows] - self._y.mean()
        noise = math.exp(2 * chosen[4]) * np.eye(len(rows))
        factor = cho_factor(self._covariance(x, x, chosen) + noise, lower=True)
        return float(y @ cho_solve(factor, y) / 2 + np.log(np.diag(factor[0])).sum())

    def _fit(self, rows: Any) -> None:
        self._rows = rows
        x, y = self._x[rows], self._y[rows] - self._y.mean()
        covariance = self._covariance(x, x, self._chosen) + self.scatter**2 * np.eye(len(rows))
        self._weights = cho_solve(cho_factor(covariance, lower=True), y)

    def _mean_at(self, x: FloatArray) -> FloatArray:
        parts = np.array_split(x, max(x.shape[0] // 500, 1))
        known = self._x[self._rows]
        means = [self._covariance(part, known, self._chosen) @ self._weights for part in parts]
        mean: FloatArray = np.concatenate(means) + self._y.mean()
        return mean

    def at(self, settings: list[_Setting]) -> FloatArray:
        """Return log R, with the margin."""
        mean = self._mean_at(_features(settings))
        margin = np.array(self.margins)[_is_deep(settings).astype(int)]
        log_radii: FloatArray = mean + _usual(settings) + margin
        return log_radii


def _is_deep(settings: list[_Setting]) -> Any:
    epsilon, delta, queries = np.array(settings).T
    return (np.log1p(epsilon / (2 * delta)) > _DEEP) & (queries < _SETTLED)


def _features(settings: list[_Setting]) -> FloatArray:
    places = np.array([tuned_radii.place(*setting)[0] for setting in settings])
    places[:, 0] = np.log1p(places[:, 0])
    return places


def _usual(settings: list[_Setting]) -> FloatArray:
    epsilon, delta, queries = np.array(settings).T
    sigma = gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=queries)
    usual: FloatArray = np.log(sigma)
    return usual


def _rows(settings: list[_Setting]) -> tuple[csr_array, FloatArray]:
    """Return the rows of weights that make H of a table, and u."""
    places = [tuned_radii.place(*setting) for setting in settings]
    cells = [tuned_radii.corners(at) for at, _ in places]
    columns, weights = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    starts = np.arange(len(cells) + 1) * cells[0][0].size
    rows = csr_array((weights, columns, starts), shape=(len(cells), _SIZE))
    return rows, np.array([u for _, u in places])


def lowest(wanted: dict[_Setting, float], least: FloatArray | None = None) -> FloatArray:
    """Return the lowest monotone table that is above these, and nowhere below least."""
    above, sums = _rows(list(wanted))
    falls, most = _monotone(np.arange(_SIZE).reshape(_SHAPE))
    solve: Any = linprog
    found = solve(
        above.sum(axis=0) if least is None else np.ones(_SIZE),
        vstack([-above, falls], format="csr"),
        np.concatenate([-np.array(list(wanted.values())) - sums, most]),
        bounds=(-_MOST, _MOST) if least is None else [(low, _MOST) for low in least.ravel()],
        method="highs-ipm",
    )
    if found.status != 0:
        raise RuntimeError(found.message)
    table = np.reshape(found.x, _SHAPE).astype(np.float32)
    return np.nextafter(table, np.float32(math.inf))


def lift() -> None:
    """Raise the table by as little as makes it reach those of `_UNLUCKY` that it misses."""
    missed = {
        setting: math.log(searched(setting))
        for setting in _UNLUCKY
        if not is_reached(setting, _table_at(setting))
    }
    print(f"has to rise at {len(missed)} settings")
    if missed:
        np.save(tuned_radii.TABLE, lowest(missed, np.load(tuned_radii.TABLE).astype(float)))


def _table_at(setting: _Setting) -> float:
    return tuned_radii.tuned_radius(
        **dict(zip(("epsilon", "delta", "queries"), setting, strict=True))
    )


def _monotone(index: Any) -> tuple[csr_array, FloatArray]:
    """Return rows and numbers that say together that a table is monotone, with slack.

    index: of the nodes in a row. The conditions are those of `dpviz.maths.accounting.tuned_radii`.
    """
    counts, sums, depths = (np.array(axis) for axis in AXES)
    rows: list[list[tuple[Any, float]]] = []
    most: list[float] = []
    # on a cell 1 − e^(−v) is at most what it is at its end, 1/(2 + l) what it is at its start
    ends = np.append(sums[1:-1], math.log(12.0))
    along_v, along_l = -np.expm1(-ends), np.exp(-depths[:-1]) / 2
    for axis, places in ((0, counts), (2, depths)):
        turned = np.moveaxis(index, axis, 0)
        for i, gap in enumerate(np.diff(places)):
            pairs = zip(turned[i].ravel(), turned[i + 1].ravel(), strict=True)
            rows += [[(low, 1.0), (high, -1.0)] for low, high in pairs]
            most += [-_LEAST_SLOPE * gap] * turned[i].size
    for layer in index:
        for b, c in np.ndindex(sums.size - 1, depths.size - 1):
            steep = along_v[b] / (sums[b + 1] - sums[b])
            deep = along_l[c] / (depths[c + 1] - depths[c])
            for here, there in itertools.product((c, c + 1), (b, b + 1)):
                rise = [(layer[b + 1, here], steep), (layer[b, here], -steep)]
                rise += [(layer[there, c + 1], deep), (layer[there, c], -deep)]
                rows.append(rise)
                most.append(1 - _SLACK)
    columns = np.concatenate([[node for node, _ in row] for row in rows])
    values = np.concatenate([[value for _, value in row] for row in rows])
    starts = np.cumsum([0, *(len(row) for row in rows)])
    return csr_array((values, columns, starts), shape=(len(rows), index.size)), np.array(most)


def _known(file: Path | None) -> dict[_Setting, float]:
    if file is None or not file.exists():
        return {}
    return {(e, d, k): radius for e, d, k, radius in np.load(file)}


def _keep(known: dict[_Setting, float], file: Path | None) -> None:
    if file is not None:
        np.save(file, np.array([(*setting, radius) for setting, radius in known.items()]))


def _wanted(searches: int) -> list[_Setting]:
    """Return the settings at which shapes are searched for."""
    depths = [depth for depth in DEPTHS if depth not in _CHANGING]
    every = [*nodes(depths), *middles(depths)]
    drawn = [every[i] for i in np.random.default_rng(_SEED).permutation(len(every))]
    if searches < _SEARCHES:
        return drawn[:searches]
    few = [setting for setting in nodes() if setting[2] < _FEW]
    many = [setting for setting in drawn if setting[2] >= _FEW]
    drawn = [setting for asked in _DRAWN for setting in anywhere(*asked)]
    return [*few, *many[:searches], *drawn, *shallow(160, 9001), *deep(200, 9002), *_UNLUCKY]


def _smooth(every: list[_Setting], known: dict[_Setting, float]) -> dict[_Setting, float]:
    """Return log R, with the margin, by a process for few answers and one for many."""
    found: dict[_Setting, float] = {}
    for is_few in (True, False):
        near = [s for s in known if (s[2] < 2 * _FEW if is_few else s[2] > _FEW / 2)]
        smooth = Smooth(near, np.array([known[setting] for setting in near]))
        margins = ", ".join(f"{100 * margin:.2f}%" for margin in smooth.margins)
        print(f"{'few' if is_few else 'many'} answers: margins {margins}")
        mine = [s for s in every if (s[2] < _FEW) == is_few]
        if is_few:
            mine = [s for s in mine if s in known or s[1] > _SMOOTH]
        found |= dict(zip(mine, smooth.at(mine).tolist(), strict=True))
        if is_few:  # what is far off is no luck
            far = _STRAY * smooth.scatter
            for setting in (s for s in mine if s in known):
                own = math.log(known[setting]) + _BETWEEN
                is_far = found[setting] > own + smooth.margins[1] + far
                found[setting] = own if is_far else max(found[setting], own)
    return found


def make(searches: int, file: Path | None) -> None:
    """Search at so many settings, and write the table."""
    known, start = _known(file), time.monotonic()
    wanted = _wanted(searches)
    missing = [setting for setting in wanted if setting not in known]
    for i, setting in enumerate(missing, start=1):
        known[setting] = searched(setting)
        if i % 50 == 0:
            _keep(known, file)
            print(f"{i} of {len(missing)}: {time.monotonic() - start:.0f} s", flush=True)
    _keep(known, file)
    known = {setting: known[setting] for setting in wanted}
    firm = _smooth(list(dict.fromkeys([*nodes(), *middles(), *thirds(), *known])), known)
    table = lowest(firm)
    settings, log_radii = list(known), np.log(list(known.values()))
    rows, sums = _rows(settings)
    given = rows @ table.ravel().astype(float) - sums
    below = np.flatnonzero(given < log_radii).tolist()
    missed = [i for i in below if not is_reached(settings[i], math.exp(given[i]))]
    print(f"below what was found at {len(below)}, has to rise at {len(missed)} of them")
    for i in missed:
        setting = settings[i]
        firm[setting] = max(float(log_radii[i]), firm.get(setting, -math.inf))
    table = lowest(firm)
    if searches >= _SEARCHES:
        np.save(tuned_radii.TABLE, table)
    over = rows @ table.ravel().astype(float) - sums - log_radii
    quantiles = ", ".join(f"{100 * x:.2f}%" for x in np.quantile(over, _SHOWN))
    print(f"{table.nbytes / 1e3:.0f} kB; above what was found by {quantiles}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuned_radii", description=__doc__)
    parser.add_argument("--searches", type=int, default=_SEARCHES)
    parser.add_argument("--known", type=Path, metavar="FILE")
    parser.add_argument("--lift", action="store_true", help="only raise it at settings missed")
    options = parsed(parser, searches=20)
    threadpool_limits(limits=1, user_api="blas")
    if options.lift:
        lift()
    else:
        make(options.searches, options.known)
