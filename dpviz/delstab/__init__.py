"""Propose, test, release: the algorithm DelStab on users' data.

The noisy threshold (`truncated_discrete_laplace`), the algorithm (`DelStab`), its exact output law
on bits (`BitUsers`), data to try it on, and the views of the page. All of Ghazi, Kamath et al.
2023, Section 3.2 and Appendix C.4.
"""

from dpviz.delstab.data import SHAPES, example_sums
from dpviz.delstab.exact import CHOICES, BitUsers, exact_epsilon, log_exact_delta
from dpviz.delstab.noise import TruncatedDiscreteLaplace, truncated_discrete_laplace
from dpviz.delstab.release import Budget, DelStab, Outcome, Search, quietest_mechanism
from dpviz.delstab.views import (
    OutlierChart,
    Role,
    SearchChart,
    move_outliers,
    refusal_against_outlier,
    roles,
    search_chart,
    threshold_chart,
)

__all__ = [
    "CHOICES",
    "SHAPES",
    "BitUsers",
    "Budget",
    "DelStab",
    "Outcome",
    "OutlierChart",
    "Role",
    "Search",
    "SearchChart",
    "TruncatedDiscreteLaplace",
    "exact_epsilon",
    "example_sums",
    "log_exact_delta",
    "move_outliers",
    "quietest_mechanism",
    "refusal_against_outlier",
    "roles",
    "search_chart",
    "threshold_chart",
    "truncated_discrete_laplace",
]
