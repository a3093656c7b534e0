"""The exponential mechanism with every user's part of a score clipped.

Scores (`clipped_pairwise_scores`, `realizable_scores`), the threshold of Theorem 37
(`dpviz.maths.clipped_scores.theorem_threshold`), and tasks to try them on (`make_task`). All of
Ghazi, Kamath et al. 2023, Section 4 and Appendix E.
"""
