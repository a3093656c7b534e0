"""What the view of promised and kept privacy says."""

from dpviz.plot.text import readable
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.promise import PromiseChart
from dpviz.topics.propose_test_release.words import needed_detail, needed_takeaway


def promise_takeaway(chart: PromiseChart | UsersNeeded) -> str:
    """State what is promised, what is kept, and what the noise alone would keep."""
    if isinstance(chart, UsersNeeded):
        return needed_takeaway(chart)
    than = "less" if chart.alone < chart.exact else "more"
    return (
        f"The test promises a privacy loss of {readable(chart.promised)}; its true loss is "
        f"{readable(chart.exact)}; the same noise without a test would lose {than}, "
        f"{readable(chart.alone)}."
    )


def promise_detail(chart: PromiseChart | UsersNeeded) -> str:
    """State the setting of the exact numbers."""
    if isinstance(chart, UsersNeeded):
        return needed_detail(chart)
    return (
        f"For {chart.users:,} users with {_HELD[chart.inside]} of ε′ = {readable(chart.here)}, at "
        f"δ = {readable(chart.delta)}, the exact ε over all pairs of "
        f"neighbouring data sets is {readable(chart.exact, 4)}, where Lemma 18 promises "
        f"{readable(chart.promised)}. On the data most often refused, ⊥ has probability "
        f"{readable(chart.refusals)}."
    )


_HELD = {
    "sum": "a single 0 or 1 each and geometric noise",
    "selection": "one of three categories each and the exponential mechanism",
    "histogram": "one of three categories each and a noisy histogram, whose largest is named,",
}


def promise_notes(chart: PromiseChart | UsersNeeded) -> list[str]:
    """Say why what is kept has the shape it has."""
    if isinstance(chart, UsersNeeded):
        return []
    return [
        "Where the noise is loud enough that every set of users is stable on all data, the test "
        "never refuses, and what is kept is the noise, spread over a random choice of users. Where "
        "it refuses on some data, the noise on the threshold R₁ leads: its loss is ε̄ = ε/3.",
        "Lemma 18 adds up three losses of ε̄, of which these data sets never spend all.",
        "Neighbouring data sets: one user is substituted. With one item each, the noise alone is "
        "private on all data; with m examples it were not.",
        *(
            []
            if chart.inside == "sum"
            else [
                "Whether a set is stable is decided as Definition 16 has it, from all pairs of "
                "counts that deletions can leave; the set is drawn uniformly from the stable ones, "
                "as printed."
            ]
        ),
    ]
