"""Stability: learners whose output hardly depends on which examples a user holds.

The finite problems, the learners (Algorithms 1, 3 and 5 of Ghazi, Kumar & Manurangsi 2021) with the
constants of their proofs, and measures of global, list-global and pseudo-global stability. The
constants of the proofs can't be run; what is run is "practical", and what is measured holds for it
alone.
"""

from dpviz.stability.learners import (
    Constants,
    GibbsLearner,
    Learner,
    ListLearner,
    QueryLearner,
    gibbs_constants,
    list_constants,
    practical_gamma,
    query_constants,
    rounding_laws,
)
from dpviz.stability.measures import (
    Measured,
    global_stability,
    list_stability,
    pseudo_global_stability,
)
from dpviz.stability.problems import CLASSES, Problem, packing, problem

__all__ = [
    "CLASSES",
    "Constants",
    "GibbsLearner",
    "Learner",
    "ListLearner",
    "Measured",
    "Problem",
    "QueryLearner",
    "gibbs_constants",
    "global_stability",
    "list_constants",
    "list_stability",
    "packing",
    "practical_gamma",
    "problem",
    "pseudo_global_stability",
    "query_constants",
    "rounding_laws",
]
