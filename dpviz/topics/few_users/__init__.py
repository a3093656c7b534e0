"""Few users: every user learns alone, shared darts make them agree, a private vote releases.

The composed learners of Ghazi, Kumar & Manurangsi 2021 in four models (`models`), and the views of
the page: agreement against m, the votes, success against n, parity, messages in the shuffle.
"""
