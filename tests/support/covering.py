"""States of a view in which every two ends of its controls meet: a pairwise covering."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from dpviz.scene.codec import Choice, Flag, Number, Parameter, Seed, Value, encode
from dpviz.scene.page import Page
from dpviz.scene.view import View

T = TypeVar("T", bound=Hashable)
Pair = frozenset[tuple[str, T]]


def ends(parameter: Parameter) -> list[Value]:
    """Both ends of a control and its default, or all its options."""
    match parameter:
        case Seed():
            return [0]
        case Number(limit=limit):
            kind = int if limit.integer else float
            found = [kind(limit.minimum), kind(limit.maximum), parameter.default]
            return list(dict.fromkeys(found))
        case Choice(options=options):
            return list(options)
        case Flag():
            return [False, True]
    raise TypeError(parameter)


def states(declared: Page, view: View) -> list[dict[str, Value]]:
    """States of a view that cover all pairs of ends; its other parameters are as it opens."""
    controls = {key: ends(declared.parameter(key)) for key in view.parameters}
    return [declared.usual(view.key) | row for row in covering(controls)]


def links(declared: Page, view: View) -> list[dict[str, str]]:
    """The same as queries of links."""
    return [encode(state, declared.url_parameters) for state in states(declared, view)]


def covering(values: Mapping[str, Sequence[T]]) -> list[dict[str, T]]:
    """Rows in which every value of one key meets every value of each other: greedily few."""
    if len(values) < 2:
        return [{key: value} for key, found in values.items() for value in found] or [{}]
    keys = sorted(values, key=lambda key: -len(values[key]))
    left = {pair for two in itertools.combinations(keys, 2) for pair in _pairs(values, *two)}
    rows = []
    while left:
        # the first pair not met yet, in an order that depends on nothing else
        row = dict(min(left, key=lambda pair: sorted(map(repr, pair))))
        for key in sorted(values, key=lambda key: (key not in row, keys.index(key))):
            if key not in row:
                others = list(row.items())
                row[key] = max(
                    values[key],
                    key=lambda one: sum(frozenset({(key, one), other}) in left for other in others),
                )
        left.difference_update(map(frozenset, itertools.combinations(row.items(), 2)))
        rows.append(row)
    return rows


def _pairs(values: Mapping[str, Sequence[T]], one: str, other: str) -> list[Pair[T]]:
    both = itertools.product(values[one], values[other])
    return [frozenset({(one, a), (other, b)}) for a, b in both]
