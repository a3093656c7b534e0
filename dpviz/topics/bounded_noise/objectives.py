"""What of the errors can be made small."""

OBJECTIVES = {
    "hard": "Largest possible error",
    "quantile": "Largest error, with probability 1 − β",
    "deviation": "Standard deviation of one answer",
}
"""The measures by name, and how each is written on the axis."""
