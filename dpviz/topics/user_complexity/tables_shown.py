"""All bounds of the papers' tables for one kind of privacy and one model, beside each other."""

from dpviz.plot.text import plain
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.monomials import PARAMETERS, short
from dpviz.topics.user_complexity.problems import PROBLEMS
from dpviz.topics.user_complexity.rows import ROWS
from dpviz.topics.user_complexity.shared_axes import Values

_SHAPE = {"tight": "Θ̃", "upper": "Õ", "lower": "Ω̃"}
_HEAD = (
    "| problem | what it bounds | bound | here | if | from |",
    "|---|---|---|---:|---|---|",
)


def all_bounds(like: Row, values: Values) -> str:
    """Return as Markdown all bounds of the papers with this row's privacy and model, in one table.

    values: the setting, by the tables' symbols, at which each shape is computed.
    """
    rows = [row for row in ROWS if (row.privacy, row.model) == (like.privacy, like.model)]
    tables = "; ".join(dict.fromkeys(row.table for row in rows if row.table))
    needed = {symbol for row in rows for symbol in row.parameters}
    at = ", ".join(
        f"{LIMITS[name].symbol} = {short(values[symbol])}"
        for symbol, name in PARAMETERS.items()
        if symbol in needed
    )
    lines = [
        f"**All bounds for {like.privacy} DP in the {like.model} model**, {plain(tables)}, and "
        f"theorems beside them, at {plain(at)}. A tilde hides logarithms; each constant that the "
        "papers hide counts as 1.",
        "",
        *_HEAD,
    ]
    for problem, name in PROBLEMS.items():
        of_problem = (row for row in rows if row.problem == problem)
        for number, row in enumerate(sorted(of_problem, key=_order)):
            cells = ("" if number else f"{name[0].upper()}{name[1:]}", *_bound(row, values))
            lines.append(f"| {' | '.join(map(plain, cells))} |")
    return "\n".join(lines)


def _order(row: Row) -> tuple[bool, bool, bool]:
    """Order as the papers do: item level, earlier work, new, lower bounds."""
    return row.bound == "lower", row.level == "user", row.status == "new"


def _bound(row: Row, values: Values) -> tuple[str, ...]:
    """Return what is counted, the shape, its size here, under which condition, and whose it is."""
    counted = "examples, item level" if row.level == "item" else "users"
    earlier = ", earlier work" if row.level == "user" and row.status == "prior" else ""
    conditions = ", ".join(condition.text for condition in row.conditions)
    unmet = "" if row.holds(**values) else ": not met here"
    year = " (2021)" if row.source.paper == CS else ""
    return (
        f"{counted}{earlier}",
        f"{_SHAPE[row.bound]}({row.shape})",
        short(row.value(**values)),
        f"{conditions}{unmet}",
        f"{row.source.item}{year}",
    )
