"""Few users: every user learns alone, shared darts make them agree, a private vote releases.

The composed learners of Ghazi, Kumar & Manurangsi 2021 in four models (`models`), and the views of
the page: each computes in `views/<name>.py` and is shown by `views/<name>_shown.py`.
"""
