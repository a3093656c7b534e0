"""User complexity: how many users private learning needs when each holds m examples.

Every bound of the tables in Ghazi, Kamath et al. 2023 and Ghazi, Kumar & Manurangsi 2021
(`ROWS`), the step from item-level to user-level privacy, and the views of the page.
"""

from dpviz.complexity.bounds import Condition, Row
from dpviz.complexity.constants import ConstantsChart, hidden_constants
from dpviz.complexity.dominance import AXES, Crossover, Regime, crossovers, regimes
from dpviz.complexity.monomials import PARAMETERS, Monomial, monomial
from dpviz.complexity.own_bound import (
    BudgetChart,
    OwnBoundChart,
    budget_against_m,
    own_bound,
)
from dpviz.complexity.pure_approximate import PureApproximateChart, pure_against_approximate
from dpviz.complexity.rows import (
    AGNOSTIC,
    CS,
    CS_TABLE_1,
    DISCRETE,
    GAUSSIAN_BOUNDED,
    GAUSSIAN_KNOWN,
    PAC,
    PROBLEMS,
    PRODUCT,
    ROWS,
    SELECTION,
    UL,
    UL_TABLE_1,
    UL_TABLE_2,
    select,
)
from dpviz.complexity.transformation import (
    ItemLevelBudget,
    Sandwich,
    corollary_3,
    group_privacy_budget,
    item_level_budget,
    item_level_samples,
    sandwich,
    theorem_10,
    theorem_11,
)
from dpviz.complexity.users import UsersChart, users_against

__all__ = [
    "AGNOSTIC",
    "AXES",
    "CS",
    "CS_TABLE_1",
    "DISCRETE",
    "GAUSSIAN_BOUNDED",
    "GAUSSIAN_KNOWN",
    "PAC",
    "PARAMETERS",
    "PROBLEMS",
    "PRODUCT",
    "ROWS",
    "SELECTION",
    "UL",
    "UL_TABLE_1",
    "UL_TABLE_2",
    "BudgetChart",
    "Condition",
    "ConstantsChart",
    "Crossover",
    "ItemLevelBudget",
    "Monomial",
    "OwnBoundChart",
    "PureApproximateChart",
    "Regime",
    "Row",
    "Sandwich",
    "UsersChart",
    "budget_against_m",
    "corollary_3",
    "crossovers",
    "group_privacy_budget",
    "hidden_constants",
    "item_level_budget",
    "item_level_samples",
    "monomial",
    "own_bound",
    "pure_against_approximate",
    "regimes",
    "sandwich",
    "select",
    "theorem_10",
    "theorem_11",
    "users_against",
]
