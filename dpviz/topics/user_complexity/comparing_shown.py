"""What a reader should know about tabulated bounds that are drawn side by side."""

from dpviz.results.parameters import LIMITS
from dpviz.topics.user_complexity.comparing import RowsChart, substitution_growth
from dpviz.topics.user_complexity.monomials import PARAMETERS, short


def notes(chart: RowsChart) -> tuple[str, ...]:
    """Say which conditions fail here, which powers are open, and who is a neighbour of whom."""
    rows, values = chart.rows, chart.values
    failing = [f"{row.label}: {text}." for row in rows for text in row.unmet(**values)]
    powers = dict.fromkeys(p for row in rows for p in row.parameters if p.startswith("c_"))
    opened = [
        f"The papers leave the {LIMITS[PARAMETERS[power]].meaning} open; drawn with "
        f"{power} = {short(values[power])}."
        for power in powers
    ]
    remarks = [f"{row.label}: {row.remark}" for row in rows if row.remark]
    if any(row.level == "item" for row in rows):
        remarks.insert(0, "Item level: each example is protected by itself, not all of a user's.")
    changes = {"substitute": "is substituted", "add/remove": "is added or removed"}
    neighbours = []
    for neighbouring, verb in changes.items():
        labels = [row.label for row in rows if row.neighbouring == neighbouring]
        if labels:
            where = "" if len(labels) == len(rows) else f" in: {'; '.join(labels)}"
            neighbours.append(f"Neighbouring data sets: one user {verb}{where}.")
    if len(neighbours) > 1:
        neighbours.append(_between_neighbours(chart))
    return (*failing, *opened, *remarks, *neighbours)


def _between_neighbours(chart: RowsChart) -> str:
    """Say how bounds for adding or removing a user compare with those for substituting one."""
    larger = substitution_growth(chart.rows, chart.values)
    before, after = "ε", "2ε"
    if any(row.privacy == "approximate" for row in chart.rows):
        before, after = "(ε, δ)", "(2ε, (1 + e^ε)δ)"
    sentence = f"{before} for adding or removing a user is {after} for substituting one"
    if larger:
        more = ", ".join(f"{row.label} {short(growth)} times" for row, growth in larger)
        sentence += f": at the same {before} substitution makes {more} as large"
    return (
        f"{sentence}. Lower bounds for adding or removing, and upper bounds for substitution, hold "
        "for both."
    )
