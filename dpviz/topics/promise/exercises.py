"""Six exercises on what ε and δ promise to one person."""

import math

import numpy as np

from dpviz.plot.text import at_most_in_hundred, in_hundred, readable
from dpviz.scene.exercise import CurveAnswer, Exercise, NumberAnswer
from dpviz.topics.promise.views.again_and_again import AgainAndAgain
from dpviz.topics.promise.views.every_attacker import EveryAttacker
from dpviz.topics.promise.views.many_rows import ManyRows
from dpviz.topics.promise.views.odds_after_answers import Odds


def _even(result: Odds) -> float:
    """Return the ε at which odds of π to 1 − π become even."""
    return math.log((1 - result.prior) / result.prior)


def _at(result: AgainAndAgain, queries: int) -> float:
    """Return the exact ε of so many answers."""
    curve = result.curve("exact")
    return float(curve.y[np.flatnonzero(curve.x == queries)[0]])


def _correct(result: EveryAttacker) -> float:
    """Return the percentage of right guesses that a promise leaves to the best attacker."""
    factor = math.exp(result.epsilon)
    return 100 * (factor + result.delta) / (1 + factor)


def _even_solved(result: Odds) -> str:
    odds = (1 - result.prior) / result.prior
    return (
        rf"Odds of {readable(result.prior)} to {readable(1 - result.prior)} are "
        rf"$1 : {readable(odds)}$. An $\varepsilon$-DP answer multiplies them by $e^\varepsilon$ "
        rf"at most, so they become even at $e^\varepsilon = {readable(odds)}$, which is "
        rf"$\varepsilon = \ln {readable(odds)} \approx {readable(_even(result))}$."
    )


def _allowed_solved(result: EveryAttacker) -> str:
    factor = math.exp(result.epsilon)
    return (
        r"Accusing is an event, so privacy bounds its two probabilities by each other: "
        r"$h \le e^\varepsilon \alpha$. Not accusing is one as well: "
        r"$1 - \alpha \le e^\varepsilon (1 - h)$, which is "
        r"$h \le 1 - e^{-\varepsilon}(1 - \alpha)$. The smaller bound counts: a steep line from "
        r"the origin, of slope $e^\varepsilon$, and a flat one to the point $(1, 1)$. They "
        rf"meet at $\alpha = 1/(1 + e^\varepsilon) \approx {readable(1 / (1 + factor))}$, where "
        rf"$h \approx {readable(factor / (1 + factor))}$. Randomised response reaches it there."
    )


def _group_solved(result: ManyRows) -> str:
    return (
        r"Change the rows one after the other: $P_0, P_1, \dots, P_m$. With "
        r"$P_i(S) \le e^\varepsilon P_{i+1}(S) + \delta$ applied $m$ times,"
        "\n\n"
        r"$$P_0(S) \le e^{m\varepsilon} P_m(S) + "
        r"\delta\,(1 + e^\varepsilon + \dots + e^{(m-1)\varepsilon}).$$"
        "\n\n"
        r"The sum is $(e^{m\varepsilon} - 1)/(e^\varepsilon - 1)$. With "
        rf"$m = {result.rows}$, $\varepsilon = {readable(result.epsilon)}$ and "
        rf"$\delta = 10^{{{round(math.log10(result.delta))}}}$ this is "
        rf"{readable(result.group_delta)}: {readable(result.group_delta / result.delta)} times the "
        r"$\delta$ of one row."
    )


def _correct_solved(result: EveryAttacker) -> str:
    return (
        r"Whoever accuses a share $\alpha$ of the innocent finds at most a share "
        r"$h \le \min\{e^\varepsilon \alpha,\; 1 - e^{-\varepsilon}(1 - \alpha)\}$ of those in the "
        r"data. Asked about both equally often, the attacker is right in a share "
        r"$\tfrac12(h + 1 - \alpha)$. It is largest where the two lines meet, at "
        r"$\alpha = 1/(1 + e^\varepsilon)$, and is then $e^\varepsilon/(1 + e^\varepsilon)$: "
        rf"{readable(_correct(result))} % at $\varepsilon = {readable(result.epsilon)}$. "
        r"The noise in the figure leaves its best attacker far less: "
        rf"{readable(100 * result.correct)} %."
    )


def _odds_solved(result: Odds) -> str:
    pure = at_most_in_hundred(result.pure)
    return (
        r"All other rows are fixed, so that the data with you and without you are neighbours. "
        r"Let $\theta$ say that you are in the data, and $o$ be what is published, with "
        r"probabilities (or densities) $p_1(o)$ if you are and $p_0(o)$ if not. By Bayes' rule"
        "\n\n"
        r"$$\frac{\Pr[\theta \mid o]}{\Pr[\neg\theta \mid o]} = "
        r"\frac{p_1(o)}{p_0(o)} \cdot \frac{\Pr[\theta]}{\Pr[\neg\theta]} "
        r"\le e^\varepsilon \cdot \frac{\Pr[\theta]}{\Pr[\neg\theta]},$$"
        "\n\n"
        r"because pure privacy bounds the ratio at (almost) every $o$. With $\delta > 0$ it "
        r"does not: publish your whole record with probability $\delta$, and nothing otherwise. "
        r"This is $(0, \delta)$-DP, as the two laws differ on a set of probability $\delta$. But "
        r"when the record appears, all doubt is gone: the odds become infinite. "
        rf"(Pure privacy at $\varepsilon = {readable(result.epsilon)}$ lets the "
        rf"{in_hundred(result.prior)} of the figure become {pure}.)"
    )


_PROGRAM = """\
import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

k, eps0, delta = 1000, 0.1, 1e-6
truths = np.arange(k + 1)  # how many of the k bits are told as they are
chances = binom.pmf(truths, k, np.exp(eps0) / (1 + np.exp(eps0)))
losses = eps0 * (2 * truths - k)


def excess(eps):
    beyond = losses > eps
    return np.sum(chances[beyond] * -np.expm1(eps - losses[beyond])) - delta


answer = brentq(excess, 0, k * eps0)
"""


def _program_solved(result: AgainAndAgain) -> str:
    return (
        r"If $j$ of the $k$ bits are told truly, the output has privacy loss "
        r"$L = \varepsilon_0 (2j - k)$, and $j$ is binomial with success probability "
        r"$e^{\varepsilon_0}/(1 + e^{\varepsilon_0})$. Then "
        r"$\delta(\varepsilon) = \mathbb{E}\,[\max(0,\, 1 - e^{\varepsilon - L})]$, which falls "
        r"in $\varepsilon$:"
        f"\n\n```python\n{_PROGRAM}```\n\n"
        rf"Adding up would say {readable(1000 * result.answer_epsilon)}."
    )


EXERCISES = (
    Exercise(
        name="a-suspicion-becomes-even",
        level="warm-up",
        minutes=3,
        link="view=odds&mechanism=laplace&queries=1&epsilon=1&prior=0.1",
        question=(
            r"Somebody suspects, at 10 in 100, that you are in the data. How large must "
            r"$\varepsilon$ be before one $\varepsilon$-DP answer ($\delta = 0$) can raise this "
            r"suspicion to 50 in 100? Work it out with odds, then move $\varepsilon$ in the figure."
        ),
        hint=(
            r"10 in 100 are odds of 1 to 9. Which factor makes them 1 to 1, and by which factor "
            r"can an answer multiply odds?"
        ),
        answer=NumberAnswer(_even, tolerance=0.02),
        solution=_even_solved,
    ),
    Exercise(
        name="hits-that-a-promise-allows",
        level="warm-up",
        minutes=8,
        link="view=attackers&mechanism=gaussian&queries=1&epsilon=1&delta=1e-6&side=all",
        question=(
            r"An attacker accuses a share $\alpha$ of those who are not in the data, and a share "
            r"$h$ of those who are. Draw the largest $h$ that the promise $\varepsilon = 1$ allows "
            r"(take $\delta = 0$) at each $\alpha$. The figure opens at $\varepsilon = 2$."
        ),
        hint=(
            r"Bound the probability of being accused, and that of *not* being accused, each by "
            r"$e^\varepsilon$ times the other. Which of the two bounds is the smaller?"
        ),
        answer=CurveAnswer(
            "promise", "α", at=(0.05, 0.15, 0.27, 0.5, 0.8), tolerance=0.04, beside="epsilon=2"
        ),
        solution=_allowed_solved,
    ),
    Exercise(
        name="the-delta-of-ten-rows",
        level="work",
        minutes=10,
        link="view=rows&mechanism=gaussian&epsilon=0.5&delta=1e-6&examples_per_user=10",
        question=(
            r"A mechanism is $(\varepsilon, \delta)$-DP for one row, with $\varepsilon = 0.5$ and "
            r"$\delta = 10^{-6}$. You gave $m = 10$ rows. Group privacy promises you "
            r"$m\varepsilon = 5$, but at a larger $\delta$. How large is that $\delta$?"
        ),
        hint=(
            r"Change one row after the other. At each step the $\delta$ of the steps before is "
            r"multiplied by $e^\varepsilon$, and one more $\delta$ is added."
        ),
        answer=NumberAnswer(lambda result: float(result.group_delta), tolerance=0.03),
        solution=_group_solved,
    ),
    Exercise(
        name="right-guesses-that-a-promise-allows",
        level="work",
        minutes=12,
        link="view=attackers&mechanism=gaussian&queries=1&epsilon=1&delta=1e-6&side=all",
        question=(
            r"An attacker is asked about many people, half of whom are in the data, and says of "
            r"each “in” or “out”. By the promise $\varepsilon = 1$ alone (take $\delta = 0$), what "
            r"percentage of the guesses can be right at most?"
        ),
        hint=(
            r"With false alarms $\alpha$ and hits $h$ the share of right guesses is "
            r"$\tfrac12(h + 1 - \alpha)$. Which $h$ does the promise allow? The line in the figure "
            r"that no attacker crosses has one corner between its ends."
        ),
        answer=NumberAnswer(_correct, tolerance=0.01, unit="%"),
        solution=_correct_solved,
    ),
    Exercise(
        name="odds-and-why-delta-matters",
        level="proof",
        minutes=20,
        link="view=odds&mechanism=laplace&queries=1&epsilon=0.5&prior=0.2",
        question=(
            r"Prove: for somebody who knows all other rows, the odds that you are in the data are "
            r"at most $e^\varepsilon$ times what they were, after any answer of an "
            r"$\varepsilon$-DP mechanism. (Neighbours: one row more or less.) Then show that no "
            r"such factor exists for $(\varepsilon, \delta)$-DP, however small $\delta > 0$ is."
        ),
        hint=(
            r"Bayes' rule in terms of odds. For the second part, think of a mechanism that "
            r"publishes everything, but rarely."
        ),
        answer=None,
        solution=_odds_solved,
    ),
    Exercise(
        name="the-exact-epsilon-of-a-thousand-bits",
        level="program",
        minutes=30,
        link="view=again&mechanism=response&answer_epsilon=0.1&delta=1e-6&queries=10",
        question=(
            r"Randomised response tells a bit truly with probability "
            r"$e^{\varepsilon_0}/(1 + e^{\varepsilon_0})$, here with $\varepsilon_0 = 0.1$. Write "
            r"a program for the least $\varepsilon$ at which $k = 1000$ such answers about one "
            r"person are $(\varepsilon, 10^{-6})$-DP (neighbours: all $k$ bits turned round). "
            r"What does it find? The figure knows it, too."
        ),
        hint=(
            r"The privacy loss of all answers depends only on how many bits are told truly. "
            r"$\delta(\varepsilon)$ is the mean of $\max(0,\, 1 - e^{\varepsilon - L})$ over the "
            r"losses $L$; find its root."
        ),
        answer=NumberAnswer(lambda result: _at(result, 1000), tolerance=0.01),
        solution=_program_solved,
    ),
)
"""In rising order."""
