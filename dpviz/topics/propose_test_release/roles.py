"""What the test does with every user: deleted first, compared, or kept."""

import math
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.delstab import DelStab


class Role(IntEnum):
    """What the test of one R₁ does with a user."""

    KEPT = 0
    DELETED_FIRST = 1
    DELETED_AS_LARGEST = 2
    DELETED_AS_SMALLEST = 3
    DELETED_AS_BOTH = 4


def roles(release: DelStab, size: int) -> NDArray[np.int8]:
    """Return the `Role` of every user in the search for R₁ = size, in the users' own order.

    S, the best set to delete first; and of the others the 4κ − R₁ largest against as many of the
    smallest, the two deletions that are compared.
    """
    search = release.search(_size(release, size))
    n, rest = release.users, 4 * release.budget.kappa - search.size
    first, last = search.smallest, n - search.largest
    by_rank = np.full(n, Role.KEPT, dtype=np.int8)
    by_rank[:first] = by_rank[last:] = Role.DELETED_FIRST
    by_rank[first : first + rest] = Role.DELETED_AS_SMALLEST
    as_largest = np.arange(last - rest, last)
    both = by_rank[as_largest] == Role.DELETED_AS_SMALLEST
    by_rank[as_largest] = np.where(both, Role.DELETED_AS_BOTH, Role.DELETED_AS_LARGEST)
    in_order = np.empty_like(by_rank)
    in_order[release.order] = by_rank
    return in_order


def _size(release: DelStab, size: int) -> int:
    most = 2 * release.budget.kappa
    if not (0 <= size <= most and size == math.floor(size)):
        raise ParameterError("size", f"a whole number from 0 to 2κ = {most}", size)
    return int(size)
