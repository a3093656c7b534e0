"""What is said of every figure of simulated errors."""

from dpviz.topics.public_data.excess_errors import ErrorChart
from dpviz.topics.public_data.learners_shown import privacy_notes


def error_notes(chart: ErrorChart) -> list[str]:
    """Say how the points were made, and what is known of the privacy."""
    notes = [
        f"Mean of {chart.runs:,} run{'s' if chart.runs != 1 else ''} with fresh data, the same for "
        "all learners; 95% intervals from 3 runs on (Student's t, for the logarithm of the mean). "
        "Each excess error is computed under the private distribution, not estimated.",
        "Neighbouring data sets differ in one example, substituted.",
    ]
    for name, kind in chart.private.items():
        notes += privacy_notes(name, "gaussian") if kind == "broken" else []
    if "rspm" in chart.private:
        notes.append(
            "RSPM uses no public data; its class is cut down to a grid of m cells, so its error "
            "does not fall below that of the best function on the grid."
        )
    return notes
