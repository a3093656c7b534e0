"""What the view of Theorem 10 on a choice says."""

import math

from dpviz.plot.text import readable
from dpviz.topics.propose_test_release.views.naming import NamingChart


def naming_takeaway(chart: NamingChart) -> str:
    """State what DelStab needs, beside throwing examples away and clipping."""
    needed = chart.needed
    if math.isnan(needed["majority"]):
        return (
            f"Clipped votes tell the coins apart with {_users(needed['clipped'])} users; what the "
            "test needs is being simulated."
        )
    return (
        "Users needed to tell the coins apart: by a majority vote that the test makes private, "
        f"{_users(needed['majority'])}; by keeping one toss of each, {_users(needed['single'])}; "
        f"by clipped votes with noise, {_users(needed['clipped'])}."
    )


def naming_detail(chart: NamingChart) -> str:
    """State what every way needs at the reader's m, and from where on DelStab pays."""
    needed = chart.needed
    pays = (
        "On no m drawn does DelStab need as few as one toss each."
        if math.isnan(chart.pays_from)
        else f"From m = {readable(chart.pays_from, 5)} on DelStab needs no more than one toss each."
    )
    return (
        f"To name the coin with probability {readable(chart.target)} at m = "
        f"{readable(chart.here, 5)}: DelStab around the majority {_users(needed['majority'])} "
        f"users (simulated; never fewer than 4κ + 1 = {chart.fewest:,}), around the private "
        f"learner of Theorem 10 {_proven(needed['learner'])}, with the constants of the proofs "
        f"{_proven(needed['proof'])}; noise on the whole sum {_users(needed['plain'])}, the "
        f"clipped exponential mechanism {_users(needed['exponential'])}. {pays}"
    )


def naming_notes(_: NamingChart) -> list[str]:
    """Say what is run, what is proven, and what is compared."""
    return [
        "Theorem 10 makes the learner so private for single tosses that nearly all data are "
        "stable. But DelStab protects any algorithm: around the plain majority, which has no noise "
        "at all, it needs far fewer users, as clear data are stable data.",
        "A set of users counts as stable only where a sort proves it: a learner whose privacy loss "
        "times the spread is at most ε̄, or a majority that no further deletion can turn. The "
        "promise of Lemma 18 holds all the same.",
        "Clipped votes know more: that heads less tails of a user are near 0. Where that much is "
        "known about the data, clipping is better than DelStab at every m here.",
        "Neighbouring data sets: one user is substituted, with all tosses. Noise on sums is pure, "
        "δ = 0; ⊥ counts as an error.",
    ]


def _users(count: float) -> str:
    """Write a number of users; infinity is more than were looked for, NaN not known yet."""
    if math.isnan(count):
        return "not yet known"
    return f"{count:,.0f}" if math.isfinite(count) else "too many"


def _proven(count: float) -> str:
    return f"{readable(count)} (proven)" if math.isfinite(count) else "too many to count"
