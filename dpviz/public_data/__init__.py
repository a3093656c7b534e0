"""Oracle-efficient private learning with public data.

Optimisers that count their calls (`ERMOracle`), Algorithms 1 to 5, the noise they need as published
and exactly, their exact output laws on small classes, tasks with shifted distributions to try them
on, and the views of the page. All of Block, Bun, Desai, Shetty & Wu 2024.
"""

from dpviz.public_data.algorithms import (
    NOISES,
    Labelled,
    Learned,
    perturb,
    perturbed_learner,
    regularized_learner,
    rrspm,
    rspm,
)
from dpviz.public_data.learners import LEARNERS, Budget, Outcome, learn
from dpviz.public_data.lesson import Lesson, lesson
from dpviz.public_data.noise_levels import (
    exact_gaussian,
    exact_laplace,
    gaussian_weights,
    laplace_weights,
    log_true_delta,
    parity_log_delta,
    perturbation_condition,
    perturbed_stability,
    points_condition,
    published_gaussian,
    published_laplace,
    regularized_stability,
    threshold_width,
)
from dpviz.public_data.noise_views import noise_against_points, weights_against_points
from dpviz.public_data.oracles import (
    ERMOracle,
    FiniteClass,
    HalfPlanes,
    Intervals,
    LinearFunctions,
    Objective,
    OnGrid,
    Thresholds,
)
from dpviz.public_data.output_laws import (
    argmin_law,
    counted_log_ratio,
    log_ratio,
    perturb_law,
    perturbed_law,
    rrspm_law,
)
from dpviz.public_data.rates import RATES, samples_needed
from dpviz.public_data.shift import FAMILIES, Shift, shifted
from dpviz.public_data.simulation import (
    error_against_points,
    error_against_samples,
    error_against_shift,
)
from dpviz.public_data.tasks import TASKS, Task

__all__ = [
    "FAMILIES",
    "LEARNERS",
    "NOISES",
    "RATES",
    "TASKS",
    "Budget",
    "ERMOracle",
    "FiniteClass",
    "HalfPlanes",
    "Intervals",
    "Labelled",
    "Learned",
    "Lesson",
    "LinearFunctions",
    "Objective",
    "OnGrid",
    "Outcome",
    "Shift",
    "Task",
    "Thresholds",
    "argmin_law",
    "counted_log_ratio",
    "error_against_points",
    "error_against_samples",
    "error_against_shift",
    "exact_gaussian",
    "exact_laplace",
    "gaussian_weights",
    "laplace_weights",
    "learn",
    "lesson",
    "log_ratio",
    "log_true_delta",
    "noise_against_points",
    "parity_log_delta",
    "perturb",
    "perturb_law",
    "perturbation_condition",
    "perturbed_law",
    "perturbed_learner",
    "perturbed_stability",
    "points_condition",
    "published_gaussian",
    "published_laplace",
    "regularized_learner",
    "regularized_stability",
    "rrspm",
    "rrspm_law",
    "rspm",
    "samples_needed",
    "shifted",
    "threshold_width",
    "weights_against_points",
]
