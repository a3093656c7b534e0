"""The controls of the tables: which bounds a state asks for, and what these depend on."""

from collections.abc import Iterable, Mapping

from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Value
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.monomials import PARAMETERS
from dpviz.topics.user_complexity.rows import select

WHICH = ("problem", "privacy", "model")
TABLES = (
    "examples_per_user",
    "epsilon",
    "delta",
    "alpha",
    "dimension",
    "domain_size",
    "littlestone_dimension",
    "littlestone_power",
    "examples_power",
    "vc_dimension",
    "sq_dimension",
    "hypotheses",
    "failure_probability",
    "sq_power",
)
"""What any bound depends on."""
RARE = ("failure_probability", "littlestone_power", "sq_power", "examples_power")


def rows_asked(values: Mapping[str, Value]) -> list[Row]:
    """Return the bounds for the problem, privacy and model of a state, none if there are none."""
    try:
        return [*select(**{key: str(values[key]) for key in WHICH})]
    except ParameterError:
        return []


def idle_parameters(rows: Iterable[Row]) -> set[str]:
    """Name the parameters of the tables that none of the bounds depends on."""
    return {*TABLES} - {PARAMETERS[symbol] for row in rows for symbol in row.parameters}
