"""The 31 bounds of the papers' three tables, and two theorems that stand outside them.

Each row is written as its table prints it, checked against the theorem that it cites.
"""

from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity import rows_2021, rows_2023
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.problems import PROBLEMS

ROWS: tuple[Row, ...] = (
    *rows_2023.PURE_ROWS,
    *rows_2023.APPROXIMATE_ROWS,
    *rows_2021.ROWS,
    *rows_2023.OUTSIDE_ROWS,
)
"""The later paper's tables come first."""


def select(*, problem: str, privacy: str, model: str) -> tuple[Row, ...]:
    """Return the rows for a problem, "pure" or "approximate" DP, "central" or "local".

    Raises `ParameterError` that names the settings the papers do cover, if there is no row.
    """
    if problem not in PROBLEMS:
        raise ParameterError("problem", f"one of {', '.join(PROBLEMS)}", problem)
    rows = tuple(row for row in ROWS if row.problem == problem)
    chosen = tuple(row for row in rows if (row.privacy, row.model) == (privacy, model))
    if not chosen:
        covered = dict.fromkeys(f"{row.privacy}-DP in the {row.model} model" for row in rows)
        raise ParameterError(
            "privacy and model",
            f"{' or '.join(covered)} for {PROBLEMS[problem]} (the papers bound nothing else)",
            f"{privacy}-DP in the {model} model",
        )
    return chosen
