"""What several views say about DelStab: how many users it needs, how often it refuses."""

from dpviz.plot.text import chance, counted, percent

NOT_PROTECTED = (
    "How many may be dropped, the spread, the chance of a refusal and who is dropped are not "
    "protected: you see them as if you held the data. Only the answer, or the refusal, is "
    "released."
)


def users_in_words(count: int) -> str:
    """Write a number of users, all of its digits."""
    return counted(count, "user", digits=7)


def users_it_needs(kappa: int) -> str:
    """Say how many users DelStab needs; no full stop."""
    return (
        f"The test may drop about κ = {kappa:,} users, and the answer leaves out 4κ in all, so "
        f"DelStab needs n > 4κ = {4 * kappa:,} users"
    )


def how_often_it_refuses(refusal: float) -> str:
    """Say how likely the test refuses, for the headline: "the test refuses …"."""
    if refusal < 5e-4:
        return "the test practically never refuses" if refusal else "the test never refuses"
    if refusal > 0.9995:
        return "the test practically always refuses" if refusal < 1 else "the test always refuses"
    return f"the test refuses in {percent(refusal)} of runs"


def chance_of_refusal(refusal: float) -> str:
    """Say exactly how likely a refusal is, after "the answer is"."""
    if refusal == 0:
        return "never a refusal (⊥)"
    if refusal == 1:
        return "always a refusal (⊥)"
    return f"a refusal (⊥) with probability {chance(refusal)}"
