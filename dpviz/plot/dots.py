"""Values as dots that lie on each other in groups of neighbouring ones."""

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Mark, Plot
from dpviz.plot.spec import scatter
from dpviz.results.evidence import FloatArray

MOST_DOTS = 600
_BIGGEST, _SMALLEST = 9.0, 2.0  # dots, in pixels


@dataclass(frozen=True, eq=False)
class DotGroups:
    """The people: a value each, and the group of each between `edges`."""

    values: FloatArray
    edges: FloatArray
    group: NDArray[np.int64]

    @property
    def people(self) -> int:
        """How many there are."""
        return int(self.values.size)

    @property
    def per_dot(self) -> int:
        """For how many people a dot has to stand, lest there be too many."""
        return math.ceil(self.people / MOST_DOTS)

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return self.edges.size - 1

    @property
    def middles(self) -> FloatArray:
        """Where groups stand."""
        return np.asarray((self.edges[1:] + self.edges[:-1]) / 2)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many people each group holds."""
        return np.bincount(self.group, minlength=self.groups)

    @property
    def across(self) -> int:
        """How many dots lie beside each other in a group."""
        fullest = int(self.counts.max()) / self.per_dot
        return max(1, math.ceil(math.sqrt(fullest * 2.2 / self.groups)))

    @property
    def tops(self) -> FloatArray:
        """The height of each group, in dots."""
        return np.asarray(np.ceil(np.ceil(self.counts / self.per_dot) / self.across))

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """The rank of each person's dot in its group, −1 for who has none."""
        order = np.argsort(self.values, kind="stable")
        first = np.cumsum(self.counts) - self.counts
        rank = np.empty(self.people, dtype=np.int64)
        rank[order] = np.arange(self.people) - first[self.group[order]]
        return np.where(rank % self.per_dot == 0, rank // self.per_dot, -1)

    @property
    def seen(self) -> NDArray[np.intp]:
        """The people who have a dot, in the order of `places`."""
        return np.flatnonzero(self.rank >= 0)

    @cached_property
    def places(self) -> tuple[FloatArray, FloatArray]:
        """Where the dots stand: x, and y in dots."""
        seen, across = self.seen, self.across
        aside = ((self.rank[seen] % across + 0.5) / across - 0.5) * 0.9
        x = self.middles[self.group[seen]] + aside * float(self.edges[1] - self.edges[0])
        return x, np.floor(self.rank[seen] / across) + 0.5


@dataclass(frozen=True, eq=False)
class Heaps(Mark):
    """Some of the values, each where it stands in its group, as large as there is room for.

    shown: which of those that have a dot, in the order of `Dots.places`. said: of each that has a
    dot, on a page. symbol: plotly's name. biggest: in pixels, however much room there is.
    """

    dots: DotGroups
    shown: NDArray[np.bool_]
    _: KW_ONLY
    symbol: str = "circle"
    biggest: float = _BIGGEST

    def draw(self, on: Plot) -> None:
        """Draw them."""
        shown = np.flatnonzero(self.shown)
        words = list(self.said)
        marker = {"color": self.color(on.theme), "size": self.size(on), "symbol": self.symbol}
        texts = [words[one] for one in shown.tolist()] if on.theme.labels else ""
        looks = replace(self, said=texts).common()
        x, y = (part[shown].astype(np.float32) for part in self.dots.places)
        on.traces.append(scatter(x=x, y=y, mode="markers", marker=marker, **looks))

    def size(self, on: Plot) -> float:
        """Return how many pixels wide a dot is."""
        tall = on.height / (on.y.high - on.y.low)
        wide = 0.9 * on.width / self.dots.groups / self.dots.across
        return float(np.clip(0.8 * min(tall, wide), _SMALLEST, self.biggest))
