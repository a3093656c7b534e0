"""Six exercises on how many users are needed when each holds several examples."""

import math

import numpy as np

from dpviz.maths.coin_tests import Coins, clipped_laplace_success
from dpviz.plot.text import in_full, readable
from dpviz.scene.exercise import CurveAnswer, Exercise, NumberAnswer
from dpviz.topics.user_complexity.views.bounds_on_users import UsersChart
from dpviz.topics.user_complexity.views.fewest_users_there_can_be import FewestUsersChart

_USERS = 20_000
_SUCCESS = 0.8


def _least(chart: UsersChart) -> float:
    """Return the fewest users that Observation 28 leaves possible: n₁/m."""
    return chart.item_level / chart.examples


def _most_saved(chart: UsersChart) -> float:
    """Return how many times fewer users are enough with any number of examples each, at most."""
    return chart.item_level * float(chart.values["epsilon"]) / float(chart.values["k"])


def _examples(chart: UsersChart) -> float:
    """Return the examples each at which 20,000 users are enough, between two points of the curve.

    The curve falls, and is nearly a power law from point to point.
    """
    curve = chart.curve(chart.primary)
    users, examples = np.log(chart.item_level * curve.y[::-1]), np.log(curve.x[::-1])
    return math.exp(np.interp(math.log(_USERS), users, examples))


def _named(users: int) -> float:
    """Return how often votes of one toss each with Laplace noise name the program's coin."""
    coins = Coins((0.35, 0.65))
    return clipped_laplace_success(coins, users=users, examples=1, clip=1, epsilon=0.5)


def _votes(_: object) -> int:
    """Return the fewest of them that are enough."""
    return next(users for users in range(1, 1000) if _named(users) >= _SUCCESS)


def _least_solved(chart: UsersChart) -> str:
    return (
        r"Users with $m$ examples each cannot be fewer than $n_1/m$, where $n_1$ users with one "
        r"example each are needed: otherwise their examples, pooled, would be fewer than $n_1$. "
        rf"That is {readable(chart.item_level)}/{readable(chart.examples)} = "
        rf"{readable(_least(chart))}. The theorem asks for {readable(chart.users)}, up to "
        r"constants."
    )


def _three_terms_solved(chart: UsersChart) -> str:
    k, alpha, epsilon = (float(chart.values[key]) for key in ("k", "alpha", "epsilon"))
    terms = [in_full(readable(term)) for term in (k / epsilon, k / (epsilon * alpha), k / alpha**2)]
    return (
        rf"At $m = 1$ the three terms are {terms[0]}, {terms[1]} and {terms[2]}. The "
        r"last falls like $1/m$ and leads up to $m = (\varepsilon/\alpha)^2 = "
        rf"{readable((epsilon / alpha) ** 2)}$. The second falls like $1/\sqrt m$ and leads up to "
        rf"$m = 1/\alpha^2 = {readable(alpha**-2)}$. From there on the first leads, and no number "
        r"of examples makes it smaller."
    )


def _saved_solved(chart: UsersChart) -> str:
    values = {key: readable(float(value)) for key, value in chart.values.items()}
    return (
        r"With many examples only $k/\varepsilon$ is left: "
        rf"{values['k']}/{values['epsilon']} users. With one example each it is "
        r"$n_1 = k/\alpha^2 + k/(\varepsilon\alpha)$, "
        rf"{readable(chart.item_level)}. The ratio is "
        r"$\varepsilon/\alpha^2 + 1/\alpha$, "
        rf"here {readable(_most_saved(chart))}. (All this up to constants.)"
    )


def _examples_solved(chart: UsersChart) -> str:
    return (
        r"With $x = 1/\sqrt m$ the bound is $10{,}000 + 200{,}000\,x + 400{,}000\,x^2$. Set equal "
        r"to $20{,}000$ it says $40 x^2 + 20 x - 1 = 0$, so "
        r"$x = (\sqrt{560} - 20)/80 \approx 0.0458$ and "
        rf"$m = 1/x^2 \approx {round(_examples(chart))}$."
    )


def _pooled_solved(chart: UsersChart) -> str:
    return (
        r"Right: let an item-level algorithm need $n_1$ examples. With $n_1$ users, keep one "
        r"example of each and run it. Replacing a user replaces one example, so it is as "
        r"private, and as "
        r"accurate. Hence $n_m \le n_1$."
        "\n\n"
        r"Left: let a user-level algorithm need $n_m$ users. Given $m \cdot n_m$ single examples, "
        r"hand them out to $n_m$ made-up users, $m$ each, and run it. Replacing one example "
        r"changes one made-up user, so it is private for examples, and as accurate. It used $m "
        r"\cdot n_m$ "
        r"examples, so $n_1 \le m \cdot n_m$."
        "\n\n"
        rf"In the figure the true $n_m$ lies between {readable(_least(chart))} and "
        rf"{readable(chart.item_level)} at $m = {readable(chart.examples)}$, if $n_1$ is what the "
        r"item-level bound says."
    )


_PROGRAM = """\
import numpy as np
from scipy.stats import binom

coin, eps, target = 0.65, 0.5, 0.8


def named(n):
    sums = 2 * np.arange(n + 1) - n  # heads less tails
    tail = np.exp(-np.abs(sums) * eps / 2) / 2  # noise of scale 2/eps turns the sign
    right = np.where(sums > 0, 1 - tail, tail)
    return np.sum(binom.pmf(np.arange(n + 1), n, coin) * right)


answer = next(n for n in range(1, 1000) if named(n) >= target)
"""


def _votes_solved(chart: FewestUsersChart) -> str:
    votes = _votes(chart)
    return (
        r"The votes add up to $S = 2B - n$ with $B$ binomial. The noise is positive enough with "
        r"probability $1 - \tfrac12 e^{-\varepsilon S/2}$ for $S > 0$, and with "
        r"$\tfrac12 e^{-\varepsilon |S|/2}$ otherwise:"
        f"\n\n```python\n{_PROGRAM}```\n\n"
        rf"{votes} users name it with probability {readable(_named(votes))}, {votes - 1} with "
        rf"{readable(_named(votes - 1))}."
    )


_STATE = "problem=discrete&privacy=pure&model=central&domain_size=1000&alpha=0.05&epsilon=0.1"

EXERCISES = (
    Exercise(
        name="the-fewest-that-pooling-allows",
        level="warm-up",
        minutes=3,
        link=f"view=users&{_STATE}&examples_per_user=100",
        question=(
            r"With one example each, 600,000 users are needed. Each user now holds 100 examples. "
            r"Whatever the algorithm: which number of users can it never go below, if 600,000 is "
            r"exact?"
        ),
        hint=r"How many examples do $n$ users hold together?",
        answer=NumberAnswer(_least, tolerance=0.01, unit="users"),
        solution=_least_solved,
    ),
    Exercise(
        name="three-terms-as-examples-grow",
        level="work",
        minutes=10,
        link=f"view=users&{_STATE}&examples_per_user=100",
        question=(
            r"Up to constants "
            r"$k/\varepsilon + k/(\varepsilon\alpha\sqrt m) + k/(\alpha^2 m)$ users are enough, "
            r"with $k = 1000$, $\alpha = 0.05$ and $\varepsilon = 0.1$; with one example each, "
            r"$k/(\varepsilon\alpha) + k/\alpha^2$. Draw which share of the second number the "
            r"first is, as $m$ grows from 1 to 10,000. The figure opens at "
            r"$\alpha = 0.2$."
        ),
        hint=r"Compute the three terms at $m = 1$, at 100 and at 10,000. Which one leads?",
        answer=CurveAnswer(
            "ul1-discrete-new",
            "m",
            at=(1, 10, 100, 1000, 10_000),
            tolerance=0.035,
            beside="alpha=0.2",
        ),
        solution=_three_terms_solved,
    ),
    Exercise(
        name="the-most-that-examples-save",
        level="work",
        minutes=8,
        link=f"view=users&{_STATE}&examples_per_user=100",
        question=(
            r"By which factor can examples reduce the number of users at most, however many each "
            r"user holds? Compare with the item-level bound, $k/\alpha^2 + k/(\varepsilon\alpha)$."
        ),
        hint=r"What is left of $k/\varepsilon + k/(\varepsilon\alpha\sqrt m) + k/(\alpha^2 m)$?",
        answer=NumberAnswer(_most_saved, tolerance=0.02),
        solution=_saved_solved,
    ),
    Exercise(
        name="examples-for-twenty-thousand-users",
        level="work",
        minutes=10,
        link=f"view=users&{_STATE}&examples_per_user=100",
        question=(
            r"There are 20,000 users, with $k = 1000$, $\alpha = 0.05$ and $\varepsilon = 0.1$. "
            r"How many examples must each hold, by "
            r"$k/\varepsilon + k/(\varepsilon\alpha\sqrt m) + k/(\alpha^2 m)$ (its constant taken "
            r"as 1)? Then move $m$."
        ),
        hint=r"It is a quadratic equation in $1/\sqrt m$.",
        answer=NumberAnswer(_examples, tolerance=0.03, unit="examples"),
        solution=_examples_solved,
    ),
    Exercise(
        name="between-one-and-all-examples",
        level="proof",
        minutes=15,
        link=f"view=users&{_STATE}&examples_per_user=100",
        question=(
            r"Let $n_m$ be the number of users that a task needs when each holds $m$ examples, all "
            r"of one distribution, and privacy is for users. Prove "
            r"$n_1/m \le n_m \le n_1$ (Observation 28)."
        ),
        hint="Make an algorithm of the one kind from one of the other kind, in both directions.",
        answer=None,
        solution=_pooled_solved,
    ),
    Exercise(
        name="how-many-votes-with-noise",
        level="program",
        minutes=20,
        link="view=truth&task=two&tosses=3&coin=0.35&task_epsilon=0.5&success=0.75",
        question=(
            r"A coin shows heads with probability 0.65 or 0.35. Each of $n$ users tosses it once, "
            r"heads counts 1 and tails −1, and Laplace noise of scale $2/\varepsilon$ on the sum "
            r"hides any one user's exchange at $\varepsilon = 0.5$. Its sign names the coin. "
            r"Compute the least $n$ at which the right coin is named with probability 0.8. "
            r"The figure has a curve for it, here for 0.75."
        ),
        hint=r"For each possible sum, how likely is it that the noise does not turn the sign?",
        answer=NumberAnswer(_votes, tolerance=0.0, unit="users"),
        solution=_votes_solved,
    ),
)
"""In rising order."""
