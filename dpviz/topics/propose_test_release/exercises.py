"""Six exercises on proposing, testing and releasing."""

import math

import numpy as np

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.plot.text import in_full, readable
from dpviz.scene.exercise import ChoiceAnswer, Exercise, NumberAnswer
from dpviz.topics.propose_test_release.delstab import DelStab
from dpviz.topics.propose_test_release.views.against_plain_noise import NoiseChart
from dpviz.topics.propose_test_release.views.moving_outliers import MovedOutliers

_FAR = 10_000


def _times(result: NoiseChart, examples: float) -> float:
    """Return how many times the noise of plain Laplace noise the test adds at so many examples."""
    ours, plain = result.curve("delstab"), result.curve("laplace")
    logs = np.log(ours.y / plain.y)
    return float(np.exp(np.interp(math.log(examples), np.log(ours.x), logs)))


def _refusals(result: MovedOutliers) -> float:
    """Return the probability of a refusal where the outliers are as far as the axis goes."""
    return float(result.curve("refusal").y[-1])


def _least_spread(_: object) -> float:
    """Return the spread that the test finds on the sums of the program's question."""
    sums = (np.arange(1000) - 485) ** 3 // 100_000
    tested = DelStab(sums, mechanism=GeometricCount(1.0), epsilon=1.0, delta=1e-6)
    return tested.least_spread(tested.budget.kappa)


def _fixed_solved(result: MovedOutliers) -> str:
    law, kappa = result.budget.threshold, result.budget.kappa
    before, after = law.below(kappa), law.below(kappa + 1)
    return (
        rf"The test passes if all who stand apart may be dropped: with {kappa} of them always, "
        rf"with {kappa + 1} never. So the refusal itself would tell what one user did, and no "
        r"$\varepsilon$ would hold. Drawn at random, $R_1$ lets the probability of a refusal "
        rf"rise from {readable(before)} to {readable(after)} only, by a factor of about "
        rf"$e^{{\varepsilon/3}} \approx {readable(math.exp(result.budget.epsilon_bar))}$."
    )


def _times_solved(result: NoiseChart) -> str:
    here, there = _times(result, result.here), _times(result, _FAR)
    return (
        r"The test's noise covers how much $4\kappa$ users can stray, which grows like $\sqrt m$. "
        r"Plain noise covers all that one user can hold, which grows like $m$. So the factor falls "
        rf"like $1/\sqrt m$: from {readable(here)} at $m = 100$ to {readable(there)} at "
        r"$m = 10{,}000$, ten times less. It is below 1 only from about "
        rf"$m = 100 \cdot {readable(here)}^2$ on, more than a million examples for each user."
    )


def _fewest_solved(result: NoiseChart) -> str:
    epsilon, delta = 0.6 / 3, 1e-6
    delta_bar = delta / (math.exp(2 * epsilon) + math.exp(epsilon) + 2)
    return (
        rf"$\bar\varepsilon = {readable(epsilon)}$ and "
        rf"$\bar\delta \approx 10^{{-6}}/{readable(delta / delta_bar)}$, so "
        rf"$\ln(1/\bar\delta) \approx {readable(-math.log(delta_bar))}$. Then $\kappa = 1 + \lceil "
        rf"{readable(-math.log(delta_bar) / epsilon)} \rceil = {result.kappa}$, and more than "
        rf"$4\kappa = {4 * result.kappa}$ users are needed: {4 * result.kappa + 1}. The "
        r"number grows like $1/\varepsilon$, whatever the users hold."
    )


def _refusals_solved(result: MovedOutliers) -> str:
    law = result.budget.threshold
    likeliest = float(law.pmf(law.kappa))
    return (
        r"The law of $R_1$ is symmetric around $\kappa = 48$, so "
        r"$\Pr[R_1 < 48] = \tfrac12(1 - \Pr[R_1 = 48])$. With $q = e^{-1/3}$ the weights "
        r"$1 + 2(q + q^2 + \dots)$ add up to $(1 + q)/(1 - q)$ (up to tiny ends), so "
        rf"$\Pr[R_1 = 48] = (1 - q)/(1 + q) \approx {readable(likeliest)}$, and a refusal has "
        rf"probability {readable(_refusals(result))}. The figure shows it at distances where all "
        "48 have to go."
    )


def _one_user_solved(result: MovedOutliers) -> str:
    budget = result.budget
    return (
        r"Let $x$ and $x'$ differ in user $i$, and let $r^*$ be the least size of a stable set, "
        r"$2\kappa + 1$ if there is none of size at most $2\kappa$."
        "\n\n"
        r"**$r^*(x) \le r^*(x') + 1$.** Let $S$ be stable for $x'$, of size $r \le 2\kappa$. Then "
        r"$S \cup \{i\}$ is stable for $x$: deleting it and any $T$ of $4\kappa - r - 1$ more "
        r"users leaves the same as deleting $S$ and $T \cup \{i\}$ from $x'$, without user $i$. "
        r"For those the law of the output is the same up to $(\bar\varepsilon, \bar\delta)$, "
        r"whoever is in $T$. (If $i \in S$, add any other user instead.) In the same way a stable "
        r"set stays stable when a user is added and nothing changes, so the test passes exactly "
        r"if $R_1 \ge r^*$."
        "\n\n"
        r"**The noise hides 1.** Let $t = r^*(x')$. As $\Pr[R_1 = r + 1] \le "
        r"e^{\bar\varepsilon} \Pr[R_1 = r]$ for all $r \ge 0$,"
        "\n\n"
        r"$$\Pr[\bot \mid x] \le \Pr[R_1 \le t] = \Pr[R_1 = 0] + \sum_{r=0}^{t-1} "
        r"\Pr[R_1 = r + 1] \le \Pr[R_1 = 0] + e^{\bar\varepsilon}\,\Pr[\bot \mid x'].$$"
        "\n\n"
        r"**The end is rare.** $R_1 = 0$ has weight $e^{-\bar\varepsilon\kappa}$ and "
        r"$R_1 = \kappa$ weight 1: $\Pr[R_1 = 0] \le e^{-\bar\varepsilon\kappa} \le \bar\delta$, "
        r"because $\kappa \ge \ln(1/\bar\delta)/\bar\varepsilon$. "
        rf"In the figure $e^{{\bar\varepsilon}} \approx {readable(math.exp(budget.epsilon_bar))}$ "
        rf"and $\bar\delta$ is {readable(budget.delta_bar)}."
    )


_PROGRAM = """\
import numpy as np

kappa, users = 48, 1000
sums = np.sort((np.arange(users) - 485) ** 3 // 100_000)
more = 4 * kappa - kappa


def spread(largest):
    rest = sums[kappa - largest : users - largest]
    return rest[-more:].sum() - rest[:more].sum()


answer = min(spread(largest) for largest in range(kappa + 1))
"""


def _program_solved(result: object) -> str:
    return (
        f"```python\n{_PROGRAM}```\n\n"
        r"Whoever is deleted next, the sum that is left changes most between the "
        r"$4\kappa - R_1 = 144$ largest and the 144 smallest of the rest. A set $S$ from the two "
        r"ends is best, as a user in the middle counts for neither; so 49 sets are enough in place "
        r"of all $\binom{1000}{48}$. The spread is "
        rf"{in_full(readable(_least_spread(result), 8))}, and the test passes if noise hides a "
        "difference that large."
    )


EXERCISES = (
    Exercise(
        name="if-the-number-were-not-drawn",
        level="warm-up",
        minutes=4,
        link="view=outliers&data=outliers&outliers=25&outlier_distance=10&users=1000&epsilon=2&delta=1e-6",
        question=(
            r"Suppose the number $R_1$ of users that may be dropped were always $\kappa$, not "
            r"drawn at random. $\kappa$ users stand far away from all others, and the test passes "
            r"as they may be dropped. Now one more user moves there. What becomes of the "
            r"probability of a refusal?"
        ),
        hint=r"With a fixed $R_1$, is there any chance left in whether the test passes?",
        answer=ChoiceAnswer(
            (
                "It hardly changes: one user in a thousand does not count",
                r"It grows by a factor of at most $e^{\varepsilon/3}$",
                "It goes from about one half to a little more",
                "It jumps from 0 to 1",
            ),
            right=3,
            shown=lambda result: (
                result.outliers == result.budget.kappa
                and 0.3 < result.together < 0.5
                and result.together == result.budget.threshold.below(result.budget.kappa)
            ),
        ),
        solution=_fixed_solved,
    ),
    Exercise(
        name="noise-for-users-with-more-to-say",
        level="warm-up",
        minutes=4,
        link="view=noise&users=1000&examples_per_user=100&epsilon=1&delta=1e-6",
        question=(
            r"With $m = 100$ examples each, the test adds 111 times as much noise to the sum as "
            r"plain Laplace noise. How many times as much does it add at $m = 10{,}000$? Guess how "
            r"each of the two grows with $m$, then look."
        ),
        hint=(
            r"Plain noise hides all that one user can hold. The test's noise hides how far the "
            r"sums of honest users stray: sums of $m$ independent coins."
        ),
        answer=NumberAnswer(lambda result: _times(result, _FAR), tolerance=0.05, unit="times"),
        solution=_times_solved,
    ),
    Exercise(
        name="the-fewest-users-to-test",
        level="work",
        minutes=8,
        link="view=noise&users=1000&examples_per_user=100&epsilon=0.6&delta=1e-6",
        question=(
            r"The test deletes $4\kappa$ users in all, where $\kappa = 1 + \lceil "
            r"\ln(1/\bar\delta)/\bar\varepsilon \rceil$, $\bar\varepsilon = \varepsilon/3$ and "
            r"$\bar\delta = \delta/(e^{2\bar\varepsilon} + e^{\bar\varepsilon} + 2)$. How many "
            r"users must there be at least, at $\varepsilon = 0.6$ and $\delta = 10^{-6}$, so that "
            r"one is left?"
        ),
        hint=(
            r"$\bar\varepsilon$ is 0.2 here. Compute $\bar\delta$, then "
            r"$\ln(1/\bar\delta)$, and round up before you multiply by 4. Move the number of users "
            r"down in the figure to see where it stops."
        ),
        answer=NumberAnswer(lambda result: 4 * result.kappa + 1, tolerance=0, unit="users"),
        solution=_fewest_solved,
    ),
    Exercise(
        name="as-many-outliers-as-may-be-dropped",
        level="work",
        minutes=10,
        link="view=outliers&data=outliers&outliers=48&outlier_distance=5&users=1000&epsilon=1&delta=1e-6",
        question=(
            r"$R_1$ is drawn from $0, \dots, 96$ with probability proportional to "
            r"$e^{-|R_1 - 48|/3}$. If 48 users move very far away, the test passes exactly if "
            r"$R_1 \ge 48$. What is the probability of a refusal? Work it out, then move the "
            r"outliers away."
        ),
        hint=(
            r"The law is symmetric, so you only need $\Pr[R_1 = 48]$, from a geometric series "
            r"with $q = e^{-1/3}$. The ends, 0 and 96, weigh next to nothing."
        ),
        answer=NumberAnswer(_refusals, tolerance=0.02),
        solution=_refusals_solved,
    ),
    Exercise(
        name="no-user-makes-it-refuse",
        level="proof",
        minutes=30,
        link="view=outliers&data=outliers&outliers=48&outlier_distance=2&users=1000&epsilon=1&delta=1e-6",
        question=(
            r"A set $S$ of $R_1$ users is *stable* if the law of the output, without $S$ and "
            r"without any further $4\kappa - R_1$ users, is the same up to $(\bar\varepsilon, "
            r"\bar\delta)$ whoever these further users are. The answer is $\bot$ if no set of "
            r"$R_1$ users is stable. $R_1$ has probability proportional to "
            r"$e^{-\bar\varepsilon|R_1 - \kappa|}$ on $0, \dots, 2\kappa$, and $\kappa \ge "
            r"\ln(1/\bar\delta)/\bar\varepsilon$. Prove, for data that differ in one user,"
            "\n\n"
            r"$$\Pr[\bot \mid x] \le e^{\bar\varepsilon}\,\Pr[\bot \mid x'] + \bar\delta.$$"
        ),
        hint=(
            r"Show that a stable set for $x'$, together with the user who differs, is stable for "
            r"$x$. So the least size of a stable set changes by at most 1. Which part of the law "
            r"of $R_1$ is not within a factor $e^{\bar\varepsilon}$ of its neighbour?"
        ),
        answer=None,
        solution=_one_user_solved,
    ),
    Exercise(
        name="a-test-is-a-sort",
        level="program",
        minutes=25,
        link="view=outliers&data=outliers&outliers=48&outlier_distance=2&users=1000&epsilon=1&delta=1e-6",
        question=(
            r"The test searches for users to drop first. Do it yourself: user $i = 0, "
            r"\dots, 999$ has the sum $\lfloor (i - 485)^3/100{,}000 \rfloor$. Let $\kappa = 48$ "
            r"and $R_1 = 48$. Delete a set $S$ of 48 users, then 144 more. The *spread* of $S$ is "
            r"the largest amount by which the choice of these 144 can change the sum that is left. "
            r"Write a program that finds the least spread over all $S$."
        ),
        hint=(
            r"Sort. The worst two choices of the 144 are the largest and the smallest of those "
            r"left. The best $S$ takes some of the largest and the rest of the smallest users: try "
            r"all 49 splits."
        ),
        answer=NumberAnswer(_least_spread, tolerance=0.001),
        solution=_program_solved,
    ),
)
"""In rising order."""
