"""Oracle-efficient private learning with public data.

Optimisers that count their calls (`ERMOracle`), Algorithms 1 to 5, the noise they need as published
and as proved, their exact output laws on small classes, a class on which Gaussian weights fail,
tasks with shifted distributions to try them on, and the views of the page. All of Block, Bun,
Desai, Shetty & Wu 2024.
"""
