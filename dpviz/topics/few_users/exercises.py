"""Six exercises on learning with few users."""

import math

import numpy as np

from dpviz.maths.selection.exponential import CountExponential
from dpviz.plot.text import readable
from dpviz.scene.exercise import ChoiceAnswer, Exercise, NumberAnswer
from dpviz.topics.few_users.littlestone import FiniteClass, mistake_class
from dpviz.topics.few_users.rare_points import RarePoints
from dpviz.topics.few_users.views.messages_in_the_shuffle import Messages
from dpviz.topics.few_users.views.mistake_trees import Mistakes
from dpviz.topics.few_users.views.notions_of_stability import Stability
from dpviz.topics.few_users.views.users_to_learn_parity import ParityChart
from dpviz.topics.few_users.views.votes_of_one_group import Votes

_RARE = 8
_SUCCESS = 0.95
_POINTS = 11  # of the intervals


def _points() -> int:
    """Return the Littlestone dimension of sixteen single points."""
    rng = np.random.default_rng(0)
    return FiniteClass(mistake_class("points", depth=4, rng=rng)).dimension()


def _alone(result: Stability) -> float:
    """Return how often, in percent, the likeliest set of eight rare points comes out."""
    points = RarePoints.sighted(_RARE, result.points.mass, result.sighting)
    return 100 * points.stability(points.seen)


def _voters(result: Votes) -> int:
    """Return the fewest users of one opinion whose hypothesis is released often enough."""
    vote = CountExponential(result.epsilon, result.errors.size)
    return next(n for n in range(1, 1000) if vote.held_probability([n]) >= _SUCCESS)


def _packing(result: ParityChart) -> float:
    """Return ln(pN)/ε for the 256 parities on eight bits at ε = 1."""
    return math.log((1 - result.beta) * 2**8)


def _intervals(_: object) -> int:
    """Return the Littlestone dimension of the intervals, the empty one included."""
    ends = [(low, high) for low in range(_POINTS) for high in range(low, _POINTS + 1)]
    labelings = {tuple(low <= point < high for point in range(_POINTS)) for low, high in ends}
    return FiniteClass.of(sorted(labelings)).dimension()


def _points_solved(result: Mistakes) -> str:
    return (
        "One. Predict 0 until the first mistake: that point is the target's, and all is known. "
        r"The number of hypotheses, 16, bounds the mistakes by $\log_2 16 = 4$ only, and "
        rf"thresholds need all {result.dimension} of them. It is not how many hypotheses there "
        "are that counts, but how deep a tree of questions they can all answer differently."
    )


def _alone_solved(result: Stability) -> str:
    return (
        r"It has seen each of the 8 points with probability one half, independently, so all "
        r"$2^8 = 256$ sets are about equally likely: about 0.39 % each. (Exactly it is "
        rf"{readable(_alone(result))} %: the sample is a whole number of examples, so the half is "
        "not exact.) A learner that is right every time can still hardly ever say the same twice."
    )


def _noise_solved(result: Messages) -> str:
    p, r = math.exp(-0.2), readable(result.protocol.dispersion)
    return (
        rf"$p = e^{{-0.2}} \approx {readable(p)}$, so $rp/(1 - p) \approx {r} \cdot "
        rf"{readable(p / (1 - p))} \approx {readable(result.protocol.mean_noise)}$ messages. It "
        "is the same however many users there are: each sends an equal share of it. So the count "
        "of a crowd is as noisy as that of a handful."
    )


def _voters_solved(result: Votes) -> str:
    count = _voters(result)
    vote = CountExponential(result.epsilon, result.errors.size)
    return (
        r"The winner has weight $e^{n}$, the other 255 hypotheses weight 1 each. "
        r"$e^n/(e^n + 255) \ge 0.95$ means $e^n \ge 19 \cdot 255 = 4845$, so $n \ge 8.49$: "
        rf"{count} users, who release it with probability "
        rf"{readable(float(vote.held_probability([count])))}. Twice as many hypotheses cost "
        r"$\ln 2$ more users, not twice as many."
    )


def _packing_solved(result: ParityChart) -> str:
    at_eight = float(result.curve("least").y[np.flatnonzero(result.curve("least").x == 8)[0]])
    return (
        r"The sets $G_1, \dots, G_N$ are disjoint, so on no users at all the chances "
        r"$\Pr[A(\emptyset) \in G_i]$ add up to at most 1, and for some target $i$ it is at most "
        r"$1/N$. On examples of this target $A$ is right with probability $p$ on average over the "
        r"data, so there are data $x$ of $n$ users with $\Pr[A(x) \in G_i] \ge p$. Remove the "
        r"users of $x$ one by one: each step changes a probability by a factor of at most "
        r"$e^\varepsilon$, and after $n$ steps nobody is left:"
        "\n\n"
        r"$$p \le \Pr[A(x) \in G_i] \le e^{n\varepsilon}\, \Pr[A(\emptyset) \in G_i] \le "
        r"e^{n\varepsilon}/N.$$"
        "\n\n"
        r"Take logarithms. For the 256 parities on 8 bits with "
        rf"$p = {1 - result.beta}$ and $\varepsilon = 1$ it says "
        rf"$n \ge {readable(_packing(result))}$, so {math.ceil(_packing(result))} users. The "
        rf"view's notes have {readable(at_eight)} there, by a sharper argument for users who "
        "are exchanged."
    )


_PROGRAM = """\
from functools import cache

points = 11
ends = [(low, high) for low in range(points) for high in range(low, points + 1)]
intervals = frozenset(tuple(low <= x < high for x in range(points)) for low, high in ends)


@cache
def dimension(held):
    deepest = 0
    for x in range(points):
        ones = frozenset(labels for labels in held if labels[x])
        zeros = held - ones
        if ones and zeros:
            deepest = max(deepest, 1 + min(dimension(ones), dimension(zeros)))
    return deepest


answer = dimension(intervals)
"""


def _program_solved(result: object) -> str:
    return (
        f"```python\n{_PROGRAM}```\n\n"
        "A tree's root is a point; below it hang a tree for those who say 1 there and one for "
        "those who say 0, and a whole level needs both, so the smaller depth counts. There are "
        rf"67 intervals, and $\log_2 67 = 6.07$ would allow 6 mistakes; it is "
        rf"{_intervals(result)}."
    )


EXERCISES = (
    Exercise(
        name="sixteen-points",
        level="warm-up",
        minutes=4,
        link="view=mistakes&family=thresholds&depth=4",
        question=(
            "Examples come one by one; the learner predicts each label before it is told. On 16 "
            "thresholds the best learner makes 4 mistakes at worst. Take 16 other hypotheses: each "
            "is 1 at one of 16 points, its own, and 0 at all others. How many mistakes does the "
            "best learner make now, at worst?"
        ),
        hint="What would you predict, and what do you know after your first mistake?",
        answer=ChoiceAnswer(
            ("1", "2", "4", "15"),
            right=0,
            shown=lambda result: (result.hypotheses, result.dimension, _points()) == (16, 4, 1),
        ),
        solution=_points_solved,
    ),
    Exercise(
        name="right-but-never-the-same",
        level="warm-up",
        minutes=4,
        link="view=stability&rare=6&sighting=0.5&runs=20",
        question=(
            r"The target has $d$ ones, all at rare points. A sample shows each of them with "
            r"probability one half, and the optimal algorithm outputs the set it has seen. For "
            r"$d = 8$, how often does any one set come out, in percent?"
        ),
        hint=r"How many sets are there, and is one likelier than another?",
        answer=NumberAnswer(_alone, tolerance=0.06, unit="%"),
        solution=_alone_solved,
    ),
    Exercise(
        name="messages-that-mean-nothing",
        level="work",
        minutes=6,
        link="view=messages&dispersion=least&users=200&epsilon=1&delta=1e-6",
        question=(
            r"To hide who holds a one, the users together add noise messages, whose number has "
            r"the mean $rp/(1 - p)$ with $p = e^{-0.2\varepsilon}$. The text below the figure "
            r"says which $r$ is the least that keeps the promise. How many noise messages are "
            r"there on average at $\varepsilon = 1$? (Are there more with 2,000 users?)"
        ),
        hint=r"Take $r$ from the figure's text. What of the formula depends on the users?",
        answer=NumberAnswer(
            lambda result: result.protocol.mean_noise, tolerance=0.02, unit="messages"
        ),
        solution=_noise_solved,
    ),
    Exercise(
        name="of-one-opinion",
        level="work",
        minutes=8,
        link="view=votes&learner=gibbs&concept=thresholds&bits=8&users=30&epsilon=1",
        question=(
            r"A server releases one of 256 hypotheses; $h$, which $c_h$ users voted for, comes out "
            r"with probability proportional to $e^{\varepsilon c_h}$, which is $\varepsilon$-DP if "
            r"one user is added or removed. With shared darts all users vote for the same one. How "
            r"many users are enough to release it with probability 0.95, at $\varepsilon = 1$?"
        ),
        hint=r"Write down the weight of the winner and those of the 255 others.",
        answer=NumberAnswer(_voters, tolerance=0, unit="users"),
        solution=_voters_solved,
    ),
    Exercise(
        name="no-fewer-users-than-this",
        level="proof",
        minutes=20,
        link="view=parity&bits=8&epsilon=1",
        question=(
            r"$A$ is $\varepsilon$-DP if one user is added or removed. There are $N$ targets, and "
            r"no output is good for two of them: the sets $G_1, \dots, G_N$ of good outputs are "
            r"disjoint. For every $i$, on $n$ users with examples of target $i$, the output is in "
            r"$G_i$ with probability at least $p$. Prove $n \ge \ln(pN)/\varepsilon$. What does it "
            r"say for the 256 parities on 8 bits, $p = 0.95$ and $\varepsilon = 1$? (No function "
            r"has an error below $\tfrac14$ for two parities.)"
        ),
        hint="Run the learner on no users at all. On which target does it do worst?",
        answer=None,
        solution=_packing_solved,
    ),
    Exercise(
        name="a-dimension-by-recursion",
        level="program",
        minutes=25,
        link="view=mistakes&family=thresholds&depth=4",
        question=(
            r"The Littlestone dimension of a class is the depth of its deepest mistake tree: 0 for "
            r"one hypothesis, else the largest, over points where the class disagrees, of "
            r"1 plus the *smaller* dimension of the two parts, those that label the point 1 and "
            r"those that label it 0. Write a program, and find the dimension of all intervals on "
            r"11 points in a row (1 inside, 0 outside, the empty interval included)."
        ),
        hint=(
            "Recurse over sets of hypotheses and keep what you have computed: the same set comes "
            "up many times. Try it on 16 thresholds first, which have 4."
        ),
        answer=NumberAnswer(_intervals, tolerance=0),
        solution=_program_solved,
    ),
)
"""In rising order."""
