"""Six exercises on private choice with clipped scores."""

import math

import numpy as np

from dpviz.maths.exponential_mechanism import accurate_excess, selection_probabilities
from dpviz.plot.text import readable
from dpviz.scene.exercise import ChoiceAnswer, Exercise, NumberAnswer
from dpviz.topics.clipping.tasks import Task, make_task
from dpviz.topics.clipping.views.one_user import UserScores
from dpviz.topics.clipping.views.real_data import RealChart
from dpviz.topics.clipping.views.what_gets_selected import Selected

_LOOSE, _TIGHT = 60.0, 5.0  # thresholds asked about
_BETA = 0.05


def _task() -> Task:
    return make_task("discrete", candidates=16, domain_size=2)


def _sensitivity(result: UserScores, threshold: float) -> float:
    return _task().sensitivity(threshold, examples_per_user=result.examples_per_user)


def _quieter(result: UserScores) -> float:
    """Return how many times smaller the noise is at the tight threshold than without clipping."""
    return result.unclipped_sensitivity / _sensitivity(result, _TIGHT)


def _excess(result: Selected, sensitivity: float) -> float:
    """Return Theorem 9's bound on the score above the least, shared out among the users."""
    most = accurate_excess(
        len(result.names), epsilon=result.epsilon, sensitivity=sensitivity, beta=_BETA
    )
    return most / result.users


def _wider(result: RealChart) -> float:
    """Return how many times more a user's sum strays than with independent examples."""
    return math.sqrt(1 + (result.examples - 1) * result.correlation)


def _likeliest(_: object) -> float:
    """Return the percentage of the likeliest answer on the data of the program's question."""
    ones = 50 + 7 * np.arange(200) % 25
    scores = _task().scores(np.stack([ones, 100 - ones], axis=1), threshold=20.0)
    return 100 * float(selection_probabilities(scores, epsilon=0.2, sensitivity=40.0).max())


def _loose_solved(result: UserScores) -> str:
    return (
        r"The smaller of $2\tau$ and $m$: a user cannot move a sum by more than all the examples "
        rf"can, and these move it by $m = {result.examples_per_user}$ at most. So "
        rf"$\Delta = {readable(_sensitivity(result, _LOOSE))}$ at $\tau = 60$, the same as without "
        r"clipping; the paper's $2\tau = 120$ would ask for more noise than is needed. Clipping "
        r"makes the noise smaller only where $\tau$ is below about $m/2$."
    )


def _quieter_solved(result: UserScores) -> str:
    tight = readable(_sensitivity(result, _TIGHT))
    return (
        r"The noise is in proportion to $\Delta$. Without clipping "
        rf"$\Delta = m = {result.examples_per_user}$, and at $\tau = 5$ it is $2\tau = {tight}$: "
        rf"{readable(_quieter(result))} times smaller. But nearly every user's score exceeds 5 (on "
        rf"average it is {readable(result.expected)}), so nearly all are cut, and what is left "
        "counts users for and against, no longer how much they say."
    )


def _excess_solved(result: Selected) -> str:
    excess = _excess(result, result.sensitivity)
    whole = _excess(result, float(result.examples_per_user))
    return (
        r"$\frac{2 \cdot 40}{0.2} \ln\frac{16}{0.05} \approx 400 \cdot 5.77$, shared out among 200 "
        rf"users: {readable(excess)} for each. A candidate whose score is higher than the least "
        r"by more than that for each user is excluded, but for a probability of 0.05. Without "
        rf"clipping $\Delta = 100$, the bound is {readable(whole)}, and worse candidates remain."
    )


def _wider_solved(result: RealChart) -> str:
    m = result.examples
    return (
        r"With $v$ the variance of one row, the variance of the sum is $m v$ from the rows and "
        r"$m (m - 1) \rho v$ from the pairs: $m v\,(1 + (m - 1)\rho)$. The standard deviation "
        rf"grows by $\sqrt{{1 + {m - 1} \cdot {readable(result.correlation)}}} \approx "
        rf"{readable(_wider(result))}$. For large $m$ that is about $\sqrt{{\rho m}}$, so the "
        r"sum strays like $m$, as the noise without clipping does. No $m$ makes up for a large "
        r"$\rho$, and in the figure no $\tau$ helps."
    )


def _private_solved(_: object) -> str:
    return (
        r"Let $x$ and $x'$ differ in user $i$, and let $T_{H'}(x) = \sum_i \mathrm{clip}(\dots)$ "
        r"be the sum for one rival. **Sensitivity.** Only user $i$'s part changes, from one "
        r"number in $[-\tau, \tau]$ to another, so $T_{H'}(x) \le T_{H'}(x') + 2\tau$ for every "
        r"$H'$. The maximum over $H'$ keeps this: for the $H'$ that attains it at $x$,"
        "\n\n"
        r"$$\mathrm{scr}_H(x) = T_{H'}(x) \le T_{H'}(x') + 2\tau \le \mathrm{scr}_H(x') + 2\tau.$$"
        "\n\n"
        r"The same with $x$ and $x'$ exchanged: $|\mathrm{scr}_H(x) - \mathrm{scr}_H(x')| \le "
        r"\Delta = 2\tau$."
        "\n\n"
        r"**Privacy.** Let $w_H(x) = e^{-\varepsilon\,\mathrm{scr}_H(x)/(2\Delta)}$ and "
        r"$Z(x) = \sum_H w_H(x)$. "
        r"By the first step $w_H(x) \le e^{\varepsilon/2} w_H(x')$ and "
        r"$w_H(x') \le e^{\varepsilon/2} w_H(x)$. Summed over $H$, the second says "
        r"$Z(x') \le e^{\varepsilon/2} Z(x)$. Hence"
        "\n\n"
        r"$$\Pr[H \mid x] = \frac{w_H(x)}{Z(x)} \le "
        r"\frac{e^{\varepsilon/2}\, w_H(x')}{e^{-\varepsilon/2}\, Z(x')} = "
        r"e^{\varepsilon}\,\Pr[H \mid x'],$$"
        "\n\n"
        r"and sums over sets of answers keep the factor. (Candidates may move against each other: "
        r"that is what the 2 in $2\Delta$ pays for.)"
    )


_PROGRAM = """\
import numpy as np

m, epsilon, tau = 100, 0.2, 20
ones = 50 + 7 * np.arange(200) % 25
shares = np.arange(16) / 15


def score(a):
    return max(total(a, b) for b in shares if b != a)


def total(a, b):
    # W holds "one" if a > b, and "zero" otherwise.
    said = m * a - ones if a > b else m * (1 - a) - (m - ones)
    return np.clip(said, -tau, tau).sum()


scores = np.array([score(a) for a in shares])
weights = np.exp(-epsilon * (scores - scores.min()) / (2 * 2 * tau))
answer = 100 * weights.max() / weights.sum()
"""


def _program_solved(_: object) -> str:
    return (
        f"```python\n{_PROGRAM}```\n\n"
        r"The users' mean is 62 ones in 100, and the likeliest answer is the share "
        r"$9/15 = 0.6$, next to it. Subtracting the least score before the exponential changes no "
        "probability, and keeps the weights from all becoming 0."
    )


EXERCISES = (
    Exercise(
        name="a-loose-threshold",
        level="warm-up",
        minutes=4,
        link="view=user&task=discrete&domain_size=2&candidates=16&examples_per_user=100&threshold=20",
        question=(
            r"Each of a user's $m = 100$ examples adds to a score either $P(W)$ or $P(W) - 1$, for "
            r"a set $W$ and its probability $P(W)$. The user's sum is clipped to $[-\tau, \tau]$. "
            r"At $\tau = 20$ exchanging one user can move a score by 40. By how much can it at "
            r"$\tau = 60$?"
        ),
        hint="How far apart are the two extreme sums of 100 examples, before they are clipped?",
        answer=ChoiceAnswer(
            ("By 60", "By 100", "By 120", "By 200"),
            right=1,
            shown=lambda result: math.isclose(_sensitivity(result, _LOOSE), 100),
        ),
        solution=_loose_solved,
    ),
    Exercise(
        name="a-tight-threshold",
        level="warm-up",
        minutes=3,
        link="view=user&task=discrete&domain_size=2&candidates=16&examples_per_user=100&threshold=20",
        question=(
            r"At $\tau = 20$ the noise is 2.5 times smaller than without clipping. How many times "
            r"smaller is it at $\tau = 5$? And look in the figure at what that costs."
        ),
        hint=r"The noise is in proportion to the most that one user can move a score.",
        answer=NumberAnswer(_quieter, tolerance=0.01, unit="times"),
        solution=_quieter_solved,
    ),
    Exercise(
        name="how-bad-the-answer-can-be",
        level="work",
        minutes=8,
        link=(
            "view=selected&task=discrete&domain_size=2&candidates=16&examples_per_user=100"
            "&threshold=20&users=200&epsilon=0.2"
        ),
        question=(
            r"The exponential mechanism draws one of 16 candidates. With probability $1 - \beta$ "
            r"the score of the answer exceeds the least score by at most $\frac{2\Delta}"
            r"{\varepsilon} \ln\frac{16}{\beta}$ (Theorem 9). Users are clipped at $\tau = 20$, so "
            r"$\Delta = 40$. How large is this bound at $\varepsilon = 0.2$ and $\beta = 0.05$, "
            r"divided by the 200 users?"
        ),
        hint=r"$\ln(16/0.05) = \ln 320 \approx 5.77$.",
        answer=NumberAnswer(lambda result: _excess(result, result.sensitivity), tolerance=0.02),
        solution=_excess_solved,
    ),
    Exercise(
        name="examples-that-are-alike",
        level="work",
        minutes=10,
        link="view=real&data=union",
        question=(
            r"Each man of the wage panel has $m = 8$ rows, which say year by year whether he is in "
            r"a union. Any two rows of the same man have the correlation $\rho = 0.53$. How many "
            r"times larger is the standard deviation of a man's sum than if his rows were "
            r"independent? See in the figure whether any $\tau$ helps."
        ),
        hint=(
            r"The variance of a sum is the sum of all variances and covariances. How many pairs "
            r"(of different rows, in both orders) are there?"
        ),
        answer=NumberAnswer(_wider, tolerance=0.03, unit="times"),
        solution=_wider_solved,
    ),
    Exercise(
        name="clipped-scores-are-private",
        level="proof",
        minutes=20,
        link="view=selected&task=discrete&domain_size=2&candidates=16&threshold=20&users=200",
        question=(
            r"Candidate $H$ has the score $\mathrm{scr}_H(x) = \max_{H' \ne H} \sum_i "
            r"\mathrm{clip}_{-\tau,\tau}\bigl(\sum_j \psi_{H,H'}(x_{ij})\bigr)$, and is the answer "
            r"with probability proportional to $e^{-\varepsilon\,\mathrm{scr}_H(x)/(2\Delta)}$ "
            r"with $\Delta = 2\tau$. Prove that the answer is $\varepsilon$-DP if all examples of "
            r"one user are exchanged."
        ),
        hint=(
            r"First bound how far one user moves the sum for a single $H'$; then the maximum. In "
            r"the ratio of two probabilities both the weight of $H$ and the sum of all weights "
            r"change."
        ),
        answer=None,
        solution=_private_solved,
    ),
    Exercise(
        name="the-mechanism-in-fifteen-lines",
        level="program",
        minutes=30,
        link=(
            "view=selected&task=discrete&domain_size=2&candidates=16&examples_per_user=100"
            "&threshold=20&users=200&epsilon=0.2"
        ),
        question=(
            r"The candidates say that an example is 1 with probability $a = 0, \frac1{15}, \dots, "
            r"1$, as in the figure. User $i = 0, \dots, 199$ has $50 + (7i \bmod 25)$ ones among "
            r"$m = 100$ examples. Candidate $a$ is compared with $b$ on the set $W$ to which $a$ "
            r"gives more: $W = \{1\}$ if $a > b$, else $\{0\}$. User $i$ says $m\,P_a(W)$ less the "
            r"number of their examples in $W$, clipped to $[-20, 20]$. The score of $a$ is the "
            r"largest sum of this over the users, over all $b \ne a$. Draw with probability "
            r"proportional to $e^{-\varepsilon\,\mathrm{scr}/(2\Delta)}$, $\varepsilon = 0.2$ and "
            r"$\Delta = 40$. What probability has the likeliest candidate, in percent?"
        ),
        hint=(
            r"Write a function for the sum of the clipped numbers of one pair $(a, b)$; the score "
            r"of $a$ is its maximum over $b$. Subtract the least score before you exponentiate."
        ),
        answer=NumberAnswer(_likeliest, tolerance=0.01, unit="%"),
        solution=_program_solved,
    ),
)
"""In rising order."""
