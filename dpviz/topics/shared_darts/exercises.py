"""Six exercises with shared darts."""

import math

from dpviz.maths.correlated_sampling import dart_disagreement
from dpviz.plot.text import readable
from dpviz.scene.exercise import ChoiceAnswer, CurveAnswer, Exercise, NumberAnswer
from dpviz.topics.shared_darts.views.both_picks_together import BothPicksTogether
from dpviz.topics.shared_darts.views.how_often_they_differ import DisagreementChart
from dpviz.topics.shared_darts.views.one_board import Board


def _always_the_same(result: BothPicksTogether) -> bool:
    """Whether equal laws agree always with shared darts, and one time in |Ω| by own coins."""
    shared, _, independent = result.agreement
    return shared == 1 and math.isclose(independent, 1 / len(result.darts), rel_tol=0.02)


def _darts_until_a_hit(result: Board) -> float:
    """Return the mean number of darts until one is below P: the board's area over that below P."""
    return result.p.size / float(result.p.sum())


def _different_darts(result: Board) -> float:
    """Return the percentage of games in which the two take different darts."""
    return 100 * float(dart_disagreement(result.distance))


def _darts_of_a_game(result: Board) -> float:
    """Return the mean number of darts until both have taken one."""
    apart = float(dart_disagreement(result.distance))
    return result.p.size * (1 / (1 + result.distance) + apart)


def _always_the_same_solved(result: BothPicksTogether) -> str:
    _, _, independent = result.agreement
    return (
        "Two equal curves are hit by the same darts, so the first dart below them is the same: "
        "shared darts agree in every game, however many outcomes there are. Coins of their own "
        r"agree with probability $\sum_\omega P(\omega)^2$, which is $1/n$ for the uniform law on "
        rf"$n$ outcomes: {readable(independent, 2)} for ten, and a fifth of that for fifty. That "
        "both hold the same distribution does not make them pick the same."
    )


def _darts_until_a_hit_solved(result: Board) -> str:
    size = result.p.size
    return (
        rf"A dart is uniform on {size} columns of height 1, an area of {size}. The area below "
        rf"$P$ is the sum of its probabilities, 1, whatever its shape. So each dart is below $P$ "
        rf"with probability $1/{size}$, and the first one that is comes after {size} darts on "
        "average. Only the number of outcomes counts."
    )


def _different_darts_solved(result: Board) -> str:
    tv = result.distance
    return (
        r"Darts above both curves do nothing. The first one below either is uniform on the area "
        rf"below the higher curve, $1 + \mathrm{{TV}} = {readable(1 + tv)}$, and both take it if "
        rf"it is below the lower one, an area of $1 - \mathrm{{TV}} = {readable(1 - tv)}$. So the "
        r"darts differ with probability $2\,\mathrm{TV}/(1 + \mathrm{TV})$, "
        rf"{readable(_different_darts(result))} %. The picks differ less often, in "
        rf"{readable(100 * result.disagreement)} %: whoever waits for a later dart may still find "
        "it in the same column."
    )


def _own_coins_solved(result: DisagreementChart) -> str:
    independent = result.curve("independent")
    far, differ = float(independent.x[-1]), float(independent.y[-1])
    return (
        r"Own coins show the same side with probability $2 \cdot \tfrac{1+t}{2} \cdot "
        r"\tfrac{1-t}{2} = \tfrac12(1 - t^2)$, so they differ with probability "
        r"$\tfrac12(1 + t^2)$: in half of all games at $t = 0$, although the laws are equal there, "
        rf"and in {readable(100 * differ)} % at $t = {readable(far)}$. "
        r"Shared darts with two outcomes differ with probability $t$ exactly (the proof is the "
        r"next exercise), which is never more: $\tfrac12(1 + t^2) - t = \tfrac12(1 - t)^2$."
    )


def _no_joint_law_solved(result: DisagreementChart) -> str:
    return (
        r"**No strategy does better.** Let $X \sim P$ and $Y \sim Q$ be made in any way, and "
        r"$S = \{\omega : P(\omega) > Q(\omega)\}$. Then"
        "\n\n"
        r"$$\Pr[X \ne Y] \ge \Pr[X \in S,\, Y \notin S] \ge \Pr[X \in S] - \Pr[Y \in S] = "
        r"P(S) - Q(S) = \mathrm{TV}(P, Q).$$"
        "\n\n"
        r"**Two outcomes.** Let $P = (p, 1 - p)$, $Q = (q, 1 - q)$ and $t = p - q > 0$, which is "
        r"$\mathrm{TV}$. The area below the higher of the two curves is $p + (1 - q) = 1 + t$; the "
        r"first dart there is below $P$ alone in an area of $t$, and below $Q$ alone in an area "
        r"of $t$. In the first case it shows outcome 1, and $Q$ goes on to draw from its own law, "
        r"which shows outcome 2 with probability $1 - q$. In the second it shows outcome 2, and "
        r"$P$ goes on to outcome 1 with probability $p$. Together the picks differ with "
        r"probability"
        "\n\n"
        r"$$\frac{t\,(1 - q) + t\,p}{1 + t} = \frac{t\,(1 + t)}{1 + t} = t.$$"
        "\n\n"
        r"(If $p = q$, both take every dart together.) In the figure the curves *shared darts* and "
        rf"*TV* lie on each other, at $\mathrm{{TV}} = {readable(result.distance)}$ and elsewhere."
    )


_PROGRAM = """\
import numpy as np

rng = np.random.default_rng(1)
places = np.arange(10)
p, q = (np.exp(-((places - centre) ** 2) / 8) for centre in (4, 5))
p, q = p / p.sum(), q / q.sum()


def darts_of_a_game():
    thrown, waiting = 0, [p, q]
    while waiting:
        column, height = int(10 * rng.random()), rng.random()
        thrown += 1
        waiting = [law for law in waiting if height >= law[column]]
    return thrown


answer = np.mean([darts_of_a_game() for _ in range(10_000)])
"""


def _darts_of_a_game_solved(result: Board) -> str:
    return (
        f"```python\n{_PROGRAM}```\n\n"
        r"To check it: a dart is below either curve with probability $(1 + \mathrm{TV})/n$, so "
        r"that takes $n/(1 + \mathrm{TV})$ darts on average. With probability "
        r"$2\,\mathrm{TV}/(1 + \mathrm{TV})$ one of the two has to wait for $n$ more. With "
        rf"$n = {result.p.size}$ and $\mathrm{{TV}} = {readable(result.distance)}$ that is "
        rf"{readable(_darts_of_a_game(result))} darts."
    )


EXERCISES = (
    Exercise(
        name="equal-laws-many-outcomes",
        level="warm-up",
        minutes=3,
        link="view=joint&gap=0&width=20&outcomes=10",
        question=(
            "Both people hold the same distribution, nearly uniform on ten outcomes. Now let there "
            "be fifty. What becomes of how often their picks agree?"
        ),
        hint=(
            "With coins of their own, how likely is it that two uniform picks are equal? And with "
            "shared darts, can a dart be below one of two equal curves only?"
        ),
        answer=ChoiceAnswer(
            (
                "Nothing: their laws stay equal",
                "With shared darts and with own coins, five times less often",
                "With shared darts as before, with own coins five times less often",
                "With own coins as before, with shared darts five times less often",
            ),
            right=2,
            shown=_always_the_same,
        ),
        solution=_always_the_same_solved,
    ),
    Exercise(
        name="waiting-for-a-dart",
        level="warm-up",
        minutes=3,
        link="view=board&gap=4&width=3&outcomes=40",
        question=(
            r"Darts fall uniformly on 40 columns of height 1, and person P takes the first one "
            r"below their curve. How many darts fall until then on average, that one included?"
        ),
        hint="Which part of the board's whole area lies below the curve of P?",
        answer=NumberAnswer(_darts_until_a_hit, tolerance=0.01, unit="darts"),
        solution=_darts_until_a_hit_solved,
    ),
    Exercise(
        name="different-darts",
        level="work",
        minutes=8,
        link="view=board&outcomes=2&width=1&gap=2.197&seed=0",
        question=(
            r"There are two outcomes, $P = (\tfrac34, \tfrac14)$ and $Q = (\tfrac14, \tfrac34)$. "
            r"The sentence above the figure says in how many games their picks differ. In what "
            r"percentage of games do the two take *different darts*?"
        ),
        hint=(
            "Think of the first dart below either curve. It is uniform on the area below the "
            "higher curve. Where must it lie for both to take it?"
        ),
        answer=NumberAnswer(_different_darts, tolerance=0.02, unit="%"),
        solution=_different_darts_solved,
    ),
    Exercise(
        name="each-with-coins-of-their-own",
        level="work",
        minutes=6,
        link="view=disagreement&outcomes=2&width=2&gap=0.4&along=gap",
        question=(
            r"There are two outcomes, $P = (\tfrac{1+t}2, \tfrac{1-t}2)$ and "
            r"$Q = (\tfrac{1-t}2, \tfrac{1+t}2)$, so that $t = \mathrm{TV}(P, Q)$. Each of two "
            r"people picks with coins of their own. Draw how often their picks differ, as $t$ "
            r"grows. The figure opens with ten outcomes."
        ),
        hint=r"In which two ways can both show the same side, and how likely is each?",
        answer=CurveAnswer(
            "independent",
            "TV",
            at=(0.0, 0.15, 0.3, 0.45, 0.55),
            tolerance=0.035,
            beside="outcomes=10",
        ),
        solution=_own_coins_solved,
    ),
    Exercise(
        name="no-joint-law-does-better",
        level="proof",
        minutes=20,
        link="view=disagreement&outcomes=2&width=1&gap=1&along=gap",
        question=(
            r"Prove: however $X \sim P$ and $Y \sim Q$ are made, "
            r"$\Pr[X \ne Y] \ge \mathrm{TV}(P, Q)$. Then prove that for two outcomes shared darts "
            r"reach $\mathrm{TV}(P, Q)$, as the figure shows."
        ),
        hint=(
            r"$\mathrm{TV}(P, Q) = P(S) - Q(S)$ for the set $S$ where $P$ is the larger. For the "
            r"second part, follow the first dart below either curve: if only one takes it, what "
            r"does the other pick?"
        ),
        answer=None,
        solution=_no_joint_law_solved,
    ),
    Exercise(
        name="the-darts-of-a-game",
        level="program",
        minutes=25,
        link="view=board&outcomes=10&width=2&gap=1&seed=3",
        question=(
            r"On the columns $0, \dots, 9$ let $P(\omega)$ be proportional to "
            r"$e^{-(\omega - 4)^2/8}$ and $Q(\omega)$ to $e^{-(\omega - 5)^2/8}$, as in the "
            r"figure. Write a program that plays many games with shared darts: throw until each "
            r"of the two has taken a dart. How many darts does a game take on average?"
        ),
        hint=(
            "Keep a list of who is still waiting. A dart is a random column and a random height; "
            "it serves everyone whose curve is higher there. Ten thousand games are enough."
        ),
        answer=NumberAnswer(_darts_of_a_game, tolerance=0.04, unit="darts"),
        solution=_darts_of_a_game_solved,
    ),
)
"""In rising order."""
