"""Adaptive data analysis: how many questions one data set may answer.

The transfer theorem (`transfer`), the most queries it allows (`max_queries`), what
competes with it, the attack on answers without noise, and the views of the page.
"""

from dpviz.adaptive.baselines import (
    corollary_queries,
    log_nonadaptive_queries,
    nonadaptive_queries,
    split_sample_queries,
)
from dpviz.adaptive.budget import max_queries
from dpviz.adaptive.mechanisms import Answers, BoundedAnswers, GaussianAnswers
from dpviz.adaptive.overfitting import (
    MECHANISMS,
    AttackResult,
    NoiseLaw,
    agreement_probability,
    attack,
    expected_claim,
)
from dpviz.adaptive.theorem import ALPHA, BETA, SAMPLES, QueryBudget, transfer
from dpviz.adaptive.views import (
    FAILURE_LABELS,
    PART_LABELS,
    BudgetParts,
    QueryCurves,
    budget_parts,
    queries_against_samples,
)

__all__ = [
    "ALPHA",
    "BETA",
    "FAILURE_LABELS",
    "MECHANISMS",
    "PART_LABELS",
    "SAMPLES",
    "Answers",
    "AttackResult",
    "BoundedAnswers",
    "BudgetParts",
    "GaussianAnswers",
    "NoiseLaw",
    "QueryBudget",
    "QueryCurves",
    "agreement_probability",
    "attack",
    "budget_parts",
    "corollary_queries",
    "expected_claim",
    "log_nonadaptive_queries",
    "max_queries",
    "nonadaptive_queries",
    "queries_against_samples",
    "split_sample_queries",
    "transfer",
]
