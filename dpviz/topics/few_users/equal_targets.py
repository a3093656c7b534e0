"""Users who each hold one of N targets, all alike: what a private learner may do, up to names.

A data set says how many of n users hold each target; an output serves a set S of k targets. A
mechanism that treats all targets alike depends on the counts inside S and those outside alone: a
kind is a pair of multisets of positive counts. So N may be as large as one likes.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

Counts = tuple[int, ...]
Kind = tuple[Counts, Counts]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rows:
    """What privacy compares: `share_first`·q(first) with e^ε·`share_second`·q(second).

    q is the probability of all sets S of a kind together, a share the part of them that is meant.
    pair: the number of the pair of data sets (c, c′), in order.
    """

    first: Indices
    second: Indices
    share_first: FloatArray
    share_second: FloatArray
    pair: Indices


@dataclass(frozen=True)
class Targets:
    """The task. users: n ≥ 1; targets: N ≥ 2; served: k from 1 to N − 1.

    Raises `ParameterError`.
    """

    users: int
    targets: int
    served: int

    def __post_init__(self) -> None:
        validate("users", self.users)
        if not self.targets >= 2:
            raise ParameterError("targets", "a whole number from 2", self.targets)
        if not 1 <= self.served < self.targets:
            raise ParameterError("served", "a whole number from 1 to N − 1", self.served)

    @property
    def how_many_kinds(self) -> int:
        """How many kinds there are: of pairs of partitions, counted without listing them."""
        inside, outside = (
            _partition_numbers(self.users, min(parts, self.users))
            for parts in (self.served, self.targets - self.served)
        )
        return sum(i * o for i, o in zip(inside, reversed(outside), strict=True))

    @cached_property
    def data(self) -> list[Counts]:
        """The data sets: positive counts of targets, the most first; unanimity comes first."""
        return list(_partitions(self.users, min(self.users, self.targets), self.users))

    @cached_property
    def kinds(self) -> dict[Kind, int]:
        """The place of each kind, data set after data set."""
        return {kind: place for place, (kind, _) in enumerate(self._listed)}

    @cached_property
    def data_of_kind(self) -> Indices:
        """The place of each kind's data set."""
        places = {counts: place for place, counts in enumerate(self.data)}
        return np.array([places[_ordered(i + o)] for i, o in self.kinds], dtype=np.intp)

    @cached_property
    def serving(self) -> FloatArray:
        """1 where all users hold one target and S serves it, else 0."""
        return np.array([float(inside == (self.users,)) for inside, _ in self.kinds])

    @cached_property
    def blind(self) -> FloatArray:
        """How likely a set S drawn at random is of each kind, given its data set."""
        return np.array(
            [
                ways * _falling(self.served, len(i)) * _falling(self.targets - self.served, len(o))
                / _falling(self.targets, len(i) + len(o))
                for (i, o), ways in self._listed
            ]
        )  # fmt: skip

    @cached_property
    def rows(self) -> Rows:
        """The rows of all pairs of neighbours: of a target held by a users and one by b, one goes.

        Of two targets that change, S may serve either, both or none.
        """
        rows: list[tuple[int, int, float, float, int]] = []
        pairs = ((c, a, b) for c in self.data for a, b in self._moves(c))
        for pair, (counts, a, b) in enumerate(pairs):
            rest = _without(counts, (a, b) if b else (a,))
            for left, entered in product((True, False), repeat=2):
                for inside, ways in self._choices(rest, left + entered, 2):
                    outside = _without(rest, inside)
                    places, shares = zip(
                        *(
                            self._part(inside, outside, ((x, left), (y, entered)), ways)
                            for x, y in ((a, b), (a - 1, b + 1))
                        ),
                        strict=True,
                    )
                    rows.append((*places, *shares, pair))
        first, second, share, other, number = zip(*rows, strict=True)
        whole = (np.array(places, dtype=np.intp) for places in (first, second, number))
        one, two, pair_of = whole
        return Rows(one, two, np.array(share), np.array(other), pair_of)

    def _part(
        self, inside: Counts, outside: Counts, changed: tuple[tuple[int, bool], ...], ways: int
    ) -> tuple[int, float]:
        """Return the kind of sets S, and what part of it agrees about the two targets that change.

        inside, outside: the other targets' counts; changed: count of either, and if S serves it.
        """
        within = _ordered(inside + tuple(x for x, serves in changed if serves and x))
        beyond = _ordered(outside + tuple(x for x, serves in changed if not serves and x))
        place = self.kinds[within, beyond]
        share = ways / self._listed[place][1]
        for count, serves in changed:
            if not count:  # one of the targets nobody holds
                unheld = self.targets - len(within) - len(beyond)
                served = self.served - len(within)
                share *= (served if serves else unheld - served) / unheld
        return place, share

    @cached_property
    def _listed(self) -> list[tuple[Kind, int]]:
        """The kinds, and in how many ways S chooses among the targets that are held."""
        return [
            ((inside, _without(counts, inside)), ways)
            for counts in self.data
            for inside, ways in self._choices(counts, 0, 0)
        ]

    def _choices(self, counts: Counts, served: int, others: int) -> list[tuple[Counts, int]]:
        """Return the multisets of counts that S may serve, and in how many ways.

        others: how many targets these are not about, `served` of which S serves.
        """
        unheld = self.targets - len(counts) - others
        fewest, most = self.served - served - unheld, self.served - served
        choices: list[tuple[Counts, int]] = [((), 1)]
        for value, there in Counter(counts).items():
            choices = [
                (chosen + (value,) * more, ways * math.comb(there, more))
                for chosen, ways in choices
                for more in range(there + 1)
            ]
        return [(chosen, ways) for chosen, ways in choices if fewest <= len(chosen) <= most]

    def _moves(self, counts: Counts) -> list[tuple[int, int]]:
        """Return the different a, b held by two targets, from the first of which a user goes."""
        there = Counter(counts)
        there[0] = self.targets - len(counts)
        return [
            (a, b) for a in there if a for b, many in there.items() if many > (a == b)
        ]  # fmt: skip


def _partitions(total: int, parts: int, largest: int) -> Iterator[Counts]:
    """Yield the positive whole numbers that sum to the total, in order, at most so many."""
    if not total:
        yield ()
        return
    for first in range(min(total, largest), 0, -1):
        if first * parts < total:
            return
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _partition_numbers(total: int, parts: int) -> list[int]:
    """Return how many partitions 0, …, total have into at most so many parts."""
    ways = [1] + [0] * total
    for part in range(1, parts + 1):  # parts of at most this size, which are as many
        for value in range(part, total + 1):
            ways[value] += ways[value - part]
    return ways


def _falling(number: int, count: int) -> int:
    return math.prod(number - i for i in range(count))


def _without(counts: Counts, chosen: Counts) -> Counts:
    left = Counter(counts)
    left.subtract(chosen)
    return _ordered(tuple(left.elements()))


def _ordered(counts: Counts) -> Counts:
    return tuple(sorted(counts, reverse=True))
