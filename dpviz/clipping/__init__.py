"""The exponential mechanism with every user's part of a score clipped.

Scores (`clipped_pairwise_scores`, `realizable_scores`), the threshold of Theorem 37
(`theorem_threshold`), and tasks to try them on (`make_task`). All of Ghazi, Kamath et al. 2023,
Section 4 and Appendix E.
"""

from dpviz.clipping.covers import Cover, cover, lattice_radius, total_variation
from dpviz.clipping.scores import (
    clipped_pairwise_scores,
    pairwise_scores,
    realizable_scores,
    theorem_threshold,
)
from dpviz.clipping.tasks import TASKS, Task, distribution_task, make_task, scheffe_comparisons

__all__ = [
    "TASKS",
    "Cover",
    "Task",
    "clipped_pairwise_scores",
    "cover",
    "distribution_task",
    "lattice_radius",
    "make_task",
    "pairwise_scores",
    "realizable_scores",
    "scheffe_comparisons",
    "theorem_threshold",
    "total_variation",
]
