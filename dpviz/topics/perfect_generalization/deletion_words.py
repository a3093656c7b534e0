"""What the views of deleted users and of samples in k categories say."""

from dpviz.plot.text import readable
from dpviz.topics.perfect_generalization.views.categories import CategoriesChart
from dpviz.topics.perfect_generalization.views.deletions import DeletionsChart


def deletions_takeaway(chart: DeletionsChart) -> str:
    """State how the loss per deleted user falls."""
    if chart.released != "sum":
        return f"{_one_costs(chart)}; {_several_cost(chart)}."
    if chart.here == 1:
        several = (
            "if a few are, each of them counts for as much"
            if _a_few_count_alike(chart)
            else "if several are, each of them counts for less"
        )
        return f"Which user is left out can change the sum by {readable(chart.single)}; {several}."
    return (
        f"Which user is left out can change the sum by {readable(chart.single)}; with "
        f"{readable(chart.here)} left out together, by {readable(chart.several)} for each."
    )


def _one_costs(chart: DeletionsChart) -> str:
    single = readable(chart.single)
    if single == "1":
        return "Which user is left out costs no more than the privacy loss of one example"
    return f"Which user is left out can cost up to {single} times the privacy loss of one example"


def _a_few_count_alike(chart: DeletionsChart) -> bool:
    """Whether two users together count for as much each as one alone."""
    return readable(float(chart.curve("spread").y[:2][-1])) == readable(chart.single)


def _several_cost(chart: DeletionsChart) -> str:
    """Compare the cost of each of several users with that of one alone."""
    if chart.here == 1 and _a_few_count_alike(chart):
        return "if a few are, each of them costs as much"
    if chart.here == 1:
        return "if several are, each of them costs less"
    several = f"{readable(chart.several)} times"
    if several == f"{readable(chart.single)} times":
        several = "as much"
    return f"with {readable(chart.here)} left out together, {several} for each"


def deletions_detail(chart: DeletionsChart) -> str:
    """State how much of the theorem's factor is real."""
    share = chart.several / chart.single if chart.single else 1.0
    if chart.released != "sum":
        return (
            f"On 95% of data sets of {chart.users:,} users {_OTHERS[chart.released]} is (r, ε, 0)-"
            f"local-deletion DP at ε = {readable(chart.single)} ε′ for r = 1 and "
            f"{readable(chart.several)} ε′ r at r = {readable(chart.here)} (simulated): "
            f"{readable(100 * share)}% of the factor r in Theorem 17 is real here."
        )
    return (
        f"On 95% of data sets of {chart.users:,} users the spread per deleted user is at most "
        f"{readable(chart.single)} at r = 1 (exact) and {readable(chart.several)} at "
        f"r = {readable(chart.here)} (simulated): {readable(100 * share)}% of the factor r in "
        "Theorem 17 is real here."
    )


_OTHERS = {
    "histogram": "a histogram of six categories with Laplace noise of scale 2/ε′",
    "threshold": "a choice among nine thresholds by the exponential mechanism",
}
_RELEASED_NOTES = {
    "sum": (
        "The loss of noise on a sum is ε′ times the spread, the sum of the r largest users less "
        "that of the r smallest: by so much two sums without r users each can differ."
    ),
    "histogram": (
        "The loss is ε′/2 times the largest distance of two histograms without r users each: the "
        "largest spread of the counts' sum with any signs, found exactly on every data set."
    ),
    "threshold": (
        "Points are equally likely on a grid of eight; a sample is 1 where its label is right. No "
        "two sets can be farther apart than the points for 95% of data sets say, which move every "
        "lead of a threshold over another as far as deletions can; two sets that were found attain "
        "the points below."
    ),
}


def deletions_notes(chart: DeletionsChart) -> list[str]:
    """Say what the loss is, and why it falls."""
    return [
        _RELEASED_NOTES[chart.released],
        "Only one user can be the very largest: the r-th largest lies nearer to the middle. The "
        "proof of Theorem 17 counts pairs of sets, of which there are about (n/r)^(2r), and then "
        "replaces ln(n/r) by ln n; the proven curve keeps it.",
    ]


def categories_takeaway(chart: CategoriesChart) -> str:
    """State how close histograms of two fresh samples are."""
    return (
        "Noisy histograms of two fresh samples nearly always differ by a privacy loss of at most "
        f"{readable(chart.needed)}, those of any two data sets by up to {readable(chart.any_two)}."
    )


def categories_detail(chart: CategoriesChart) -> str:
    """State the numbers at the reader's k."""
    return (
        f"With {readable(chart.here, 4)} equally likely categories the outputs on 95% of pairs of "
        f"samples are (ε′, δ′)-close at ε′ = {readable(chart.needed)} (simulated); proven for "
        f"every law on the categories: {readable(chart.value('proven'))}; for any two data sets: "
        f"{readable(chart.any_two)}."
    )


def categories_notes(_: CategoriesChart) -> list[str]:
    """Say what the number of categories does."""
    return [
        "Gaussian noise on every count: the divergence depends on the Euclidean distance of the "
        "two histograms alone, whose square has a mean of 2n(1 − 1/k). So the number of categories "
        "hardly matters; with more of them the distance varies less.",
        "Neighbouring data sets: one item is substituted, which moves the counts by √2.",
    ]
