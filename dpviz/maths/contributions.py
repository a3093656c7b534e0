"""What one person moves: from bounds on contributions to ℓ₂, for either kind of neighbours.

A release is a list of sums, one for each cell: a histogram, a table of totals, or one sum alone.
One person counts in some of the cells, with an amount in each. Whoever bounds both (and cuts what
exceeds the bounds) bounds how far the list moves when one person changes. Two choices are usual:

* `add_or_remove`: neighbouring data sets differ in one person who is in one and not in the other.
  The list moves by what that person contributes.
* `substitute`: they have equally many people, and one of them is another person. The list loses one
  contribution and gains another, in the same cells or in others.

The same noise keeps a smaller ε for the first. A figure for one is none for the other: before two
are compared or composed, both must mean the same.
"""

import math
from dataclasses import replace

from dpviz.results.answer import Answer
from dpviz.results.evidence import Evidence, Source
from dpviz.results.noise_names import NEIGHBOURS
from dpviz.results.parameters import LIMITS, ParameterError, of_one

SOURCE = Source("dpviz.maths.contributions", "the largest difference of two contributions")


@of_one("call it once for each")
def sensitivity(
    *,
    touched: float,
    most: float,
    neighbours: str,
    least: float = 0.0,
    cells: float | None = None,
) -> Answer:
    """Return by how much one person moves a list of sums, in ℓ₂.

    touched: in how many cells one person counts, at most. least, most: of an amount in one cell;
    least is 0 or below, as a person need not be there. neighbours: "add_or_remove" or "substitute".
    cells: how many there are, if only a few: whoever is substituted in a sum alone moves one cell.
    `how` has what other functions take for noise of any kind that each cell has of its own:
    `queries`, the cells that may move, and `sensitivity`, the most by which one of them does; and
    `l1`, the sum of all moves. (Noise that is drawn together is for all cells.) Raises
    `ParameterError`.
    """
    many = int(replace(LIMITS["queries"], name="touched").validate(touched))
    there = (
        2 * many if cells is None else int(replace(LIMITS["queries"], name="cells").validate(cells))
    )
    if there < many:
        raise ParameterError("cells", f"at least as many as are touched, {many}", cells)
    high = replace(LIMITS["sensitivity"], name="most").validate(most)
    if not -LIMITS["sensitivity"].maximum <= least <= 0:
        raise ParameterError("least", "0 or a number below it, at least -1e9", least)
    if neighbours not in NEIGHBOURS:
        raise ParameterError("neighbours", " or ".join(NEIGHBOURS), neighbours)
    low, alone = float(least), max(high, -float(least))
    if neighbours == "add_or_remove":
        moved, by = many, alone
        l1, l2 = many * alone, math.sqrt(many) * alone
    else:
        moved, by = min(2 * many, there), high - low
        shared = (2 * many - moved, many)  # the fewest cells in which both count, and the most
        l1 = max(both * by + 2 * (many - both) * alone for both in shared)
        l2 = math.sqrt(max(both * by**2 + 2 * (many - both) * alone**2 for both in shared))
    parameters: dict[str, float | str] = {"touched": many, "least": low, "most": high}
    parameters |= {} if cells is None else {"cells": there}
    return Answer(
        "l2",
        "ℓ₂",
        "",
        "The most by which one person moves the list, in ℓ₂",
        l2,
        l2,
        l2,
        Evidence.EXACT,
        SOURCE,
        {**parameters, "neighbours": neighbours},
        {"queries": moved, "sensitivity": by, "l1": l1},
    )
