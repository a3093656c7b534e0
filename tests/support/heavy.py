"""Links that take the most of a server, picked by hand: python -m benchmarks.hostile steps."""

from collections.abc import Mapping

from dpviz.scene.codec import Value

_INTERVALS = {"task": "intervals", "learner": "perturbation", "averages": 3000}
_LISTS = {"learner": "lists", "users": 3000, "bits": 8, "examples_per_user": 10**6}
_LAPLACE = {"mechanism": "laplace", "queries": 10**4}
_BOUNDED = {"mechanism": "bounded", "epsilon": 10.0, "queries": 100, "power": 0.5}
_BARELY = {
    **_BOUNDED,
    "epsilon": 0.01,
    "delta": 1e-12,
    "false_alarms": 1.4e-9,
}
_BAREST = {"queries": 10**10, "epsilon": 1e-7, "delta": 1e-300}
_LARGEST = {"candidates": 64, "examples_per_user": 10**4, "users": 10**4}
_ALL_POINTS = {"public_points": 1000, "samples": 10**5}
_PLANE = {"task": "halfplanes", "samples": 10**4, "public_points": 200, "averages": 3000}
_CLUSTERS = {"data": "clusters", "users": 10**5, "outliers": 1000, "examples_per_user": 1}

HEAVY: Mapping[str, tuple[Mapping[str, Value], ...]] = {
    "promise/odds": (_BOUNDED, _LAPLACE),
    "promise/rows": (
        _LAPLACE | {"examples_per_user": 1000},
        _LAPLACE | {"examples_per_user": 1000, "epsilon": 10.0},
        _BOUNDED | {"examples_per_user": 1000},
    ),
    "promise/again": (_LAPLACE | {"answer_epsilon": 10.0}, _LAPLACE | {"answer_epsilon": 1e-3}),
    "promise/attackers": (
        _LAPLACE,
        _BOUNDED,
        _BARELY | {"side": "all"},
        _BARELY | {"side": "profile"},  # after the one before, whose bounds are known by then
    ),
    "bounded_noise/errors": (
        {"against": "queries", "shape": "iterated", "delta": 1e-300},
        _BAREST | {"against": "queries", "shape": "power", "power": 0.5, "queries": 29},
    ),
    "bounded_noise/best": (
        _BAREST | {"objective": "quantile"},
        _BAREST | {"objective": "quantile", "show": "shapes"},
        {"show": "queries", "delta": 1e-300},
    ),
    "bounded_noise/compare": ({"delta": 1e-300}, {"queries": 3000, "epsilon": 1e-7}),
    "bounded_noise/turned": ({"target": 1e12, "delta": 1e-300}, {"solve_for": "queries"}),
    "adaptive_analysis/queries": (
        {"samples": 800000.0, "beta": 0.5, "show_tuned": True, "show_best": True},
        {"samples": 1e8, "alpha": 0.5, "show_tuned": True, "certain": True},
    ),
    "adaptive_analysis/attack": (
        {"sample_size": 10**4, "questions": 10**4, "runs": 1000, "shape": "tuned"},
    ),
    "perfect_generalization/growth": ({"mechanism": "exponential", "samples": 10**6},),
    "propose_test_release/noise": (
        {"users": 10**5, "epsilon": 0.01, "delta": 1e-30, "noise_factor": 100.0, "rate": 0.005},
    ),
    "propose_test_release/outliers": (_CLUSTERS, _CLUSTERS | {"data": "heavy"}),
    "clipping/user": ({"task": "discrete", "domain_size": 16, **_LARGEST},),
    "clipping/selected": (
        {"task": "discrete", "domain_size": 16, **_LARGEST},
        {"task": "noisy_intervals", **_LARGEST},
        {"task": "gaussian", **_LARGEST},
    ),
    "clipping/threshold": (
        {"task": "discrete", "domain_size": 16, **_LARGEST},
        {"task": "noisy_intervals", **_LARGEST},
        {"task": "gaussian", **_LARGEST},
    ),
    "clipping/real": ({"data": "log_wage", "bins": 16, "unequal": "resample", **_LARGEST},),
    "shared_darts/board": ({"outcomes": 60, "width": 20.0, "width_ratio": 5.0, "gap": 20.0},),
    "shared_darts/disagreement": ({"outcomes": 60, "width": 20.0, "width_ratio": 5.0},),
    "shared_darts/joint": ({"outcomes": 60, "width": 20.0, "width_ratio": 5.0},),
    "few_users/agreement": (_LISTS | {"runs": 1000}, {"learner": "queries", "alpha": 0.02}),
    "few_users/votes": (
        _LISTS,
        _LISTS | {"concept": "stumps"},
        {"learner": "gibbs", "users": 3000},
    ),
    "few_users/rich": ({"users": 3000, "class_bits": 40, "runs": 1000},),
    "few_users/messages": ({"users": 3000, "dispersion": "proof", "epsilon": 0.2, "delta": 1e-12},),
    "public_data/points": (
        _PLANE | {"more": "private"},
        _INTERVALS | _ALL_POINTS | {"more": "private"},
        _INTERVALS | _ALL_POINTS,
        _PLANE | {"learner": "perturbation"},
        _ALL_POINTS | {"task": "regression", "learner": "regularization"},
    ),
    "public_data/shift": (
        _PLANE | {"learner": "perturbation", "family": "mixture"},
        _INTERVALS | _ALL_POINTS | {"family": "rare"},
    ),
    "public_data/noise": (
        _ALL_POINTS | {"averages": 3000},
        _ALL_POINTS | {"noise_at": "projected"},
        {"noise_at": "projected", "epsilon": 10.0, "samples": 10**5},
    ),
}
"""By page and view, what a link changes of the defaults."""
