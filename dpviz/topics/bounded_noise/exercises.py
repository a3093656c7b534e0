"""Six exercises on errors that are certain, and errors that are not."""

import math

import numpy as np
from scipy.special import ndtri

from dpviz.maths.accounting.inverse import most_queries
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, FloatArray
from dpviz.scene.exercise import ChoiceAnswer, Exercise, NumberAnswer
from dpviz.topics.bounded_noise.views.error_curves import ErrorComparison
from dpviz.topics.bounded_noise.views.solve_for_epsilon_or_queries import TargetSolutions

_CERTAIN, _LIKELY, _RARE = "bounded_certain", "gaussian_0.05", "gaussian_0.001"
_QUANTILE = "bounded_0.05"
_MILLION = 1e6
_POWER = 2.0  # of the noise that the links open


def _errors(chart: Chart, key: str, queries: FloatArray) -> FloatArray:
    """Return the errors of a curve at so many answers, between its points along a power law."""
    curve = chart.curve(key)
    errors: FloatArray = np.exp(np.interp(np.log(queries), np.log(curve.x), np.log(curve.y)))
    return errors


def _crossing(chart: ErrorComparison) -> float:
    """Return the number of answers from which on the certain bound is the smaller one."""
    queries = np.geomspace(10, 1e6, 5001)
    wins = _errors(chart, _CERTAIN, queries) < _errors(chart, _LIKELY, queries)
    return float(queries[np.flatnonzero(~wins)[-1] + 1])


def _growth(chart: ErrorComparison) -> float:
    before, after = _errors(chart, _CERTAIN, np.array([_MILLION, 4 * _MILLION]))
    return float(after / before)


def _widest(result: TargetSolutions) -> float:
    """Return how many queries bounded noise answers where ten times the error is accepted."""
    noise = PowerNoise(_POWER)
    target, privacy = 10 * result.target, {"epsilon": result.epsilon, "delta": result.delta}
    bounds = most_queries(noise, target=target, **privacy, width=1e-3)
    assert bounds is not None, "ten times the error allows fewer queries"
    return bounds.lower


def _least_steps(result: ErrorComparison) -> float:
    """Return the least R/Δ, rounded up, of symmetric bounded noise on one answer."""
    eps, delta = result.epsilon, result.delta
    return math.log1p(math.expm1(eps) / (2 * delta)) / eps


def _crossing_solved(chart: ErrorComparison) -> str:
    return (
        rf"The two curves cross near $k = {readable(_crossing(chart), 2)}$. Both grow about like "
        r"$\sqrt{k}$, which is what $k$ answers of the same privacy cost either noise. But the "
        r"largest of $k$ Gaussian errors also grows in standard deviations, like $\sqrt{2 \ln k}$; "
        r"bounded noise has its radius, whatever $k$."
    )


def _growth_solved(chart: ErrorComparison) -> str:
    return (
        rf"The radius grows by {readable(_growth(chart), 3)}. For many answers it is in proportion "
        r"to $\sqrt{k}$, as for Gaussian noise: the privacy losses of $k$ answers add up to a mean "
        r"and a spread that depend on $k\,(\Delta/R)^2$ alone."
    )


def _rare_solved(chart: ErrorComparison) -> str:
    likely, rare = chart.value(_LIKELY), chart.value(_RARE)
    low, high = (
        readable(float(ndtri((1 + (1 - failure) ** (1 / chart.queries)) / 2)))
        for failure in (chart.failure_probability, 0.001)
    )
    return (
        r"All $k$ errors stay within $z\sigma$ with probability $(2\Phi(z) - 1)^k$. For $k = 100$ "
        rf"and a failure of $0.05$ this gives $z \approx {low}$; for $0.001$ it gives "
        rf"$z \approx {high}$. "
        r"(Dividing the failure by $k$, the union bound, gives nearly the same: "
        r"$z = \Phi^{-1}(1 - \beta/2k)$.) The noise is the same, so the error grows in proportion: "
        rf"{readable(likely, 4)} · {high}/{low} Δ, about {readable(rare)} Δ."
    )


def _widest_solved(result: TargetSolutions) -> str:
    queries, wider = float(result.value("certain")), _widest(result)
    return (
        r"The error grows like $\sqrt{k}$ at the same privacy. So ten times the error allows "
        rf"a hundred times the queries: 100 · {readable(queries, 6)}. The figure finds "
        rf"{readable(wider / queries, 4)} times as many: at so many queries the law is nearly "
        r"exact."
    )


def _support_solved(result: ErrorComparison) -> str:
    steps = _least_steps(result)
    return (
        r"Let $X$ be the noise and $T_j = \Pr[X > R - j\Delta]$, so that $T_0 = 0$. Two neighbours "
        r"have true answers $q$ and $q - \Delta$. The event that more than $q + R - j\Delta$ is "
        r"published has probability $T_j$ under the first and $T_{j-1}$ under the second. Privacy "
        r"says"
        "\n\n"
        r"$$T_j \le e^\varepsilon T_{j-1} + \delta, \qquad\text{hence}\qquad "
        r"T_j \le \delta\,\frac{e^{j\varepsilon} - 1}{e^\varepsilon - 1}.$$"
        "\n\n"
        r"With $j = 1$ this is (a): at most $\delta$ of the noise lies in the last $\Delta$. "
        r"With $\delta = 0$ all $T_j$ are 0, and no noise is left: bounded noise is never pure. "
        r"For (b) take $j = \lceil R/\Delta \rceil$. Then $R - j\Delta \le 0$, and by symmetry "
        r"$T_j \ge \tfrac12$. Solved for $j$,"
        "\n\n"
        r"$$\lceil R/\Delta \rceil \ge \frac1\varepsilon "
        r"\ln\Bigl(1 + \frac{e^\varepsilon - 1}{2\delta}\Bigr).$$"
        "\n\n"
        rf"In the figure's state that is {readable(steps, 4)}. The noise drawn there, made for "
        rf"many answers, needs a radius of {readable(result.radius.upper)} Δ for one."
    )


_PROGRAM = """\
import numpy as np

R, k, failure = 3119.9, 100, 0.05
u = np.linspace(0, 1, 200_001)[:-1]  # the density is 0 at the end
weight = np.exp(-1 / (1 - u**2) ** 2)
within = np.cumsum(weight) / np.sum(weight)  # Pr[|X| <= R u]
answer = R * np.interp((1 - failure) ** (1 / k), within, u)
"""


def _quantile_solved(chart: ErrorComparison) -> str:
    return (
        r"All $k$ errors stay within $x$ with probability $\Pr[|X| \le x]^k$, so that $x$ is the "
        r"place where $\Pr[|X| \le x] = 0.95^{1/k}$. With $u = x/R$ the distribution function is a "
        r"running sum of the density, divided by the whole sum:"
        f"\n\n```python\n{_PROGRAM}```\n\n"
        rf"Gaussian noise of the same privacy has {readable(chart.value(_LIKELY))} Δ there, and no "
        r"largest error at all."
    )


EXERCISES = (
    Exercise(
        name="where-certainty-costs-nothing",
        level="warm-up",
        minutes=3,
        link="view=errors&queries=100000&epsilon=0.1&delta=1e-10&failure_probability=0.05&power=2&units=absolute",
        question=(
            r"With few answers, the bound that no error of bounded noise exceeds is larger than "
            r"the error that Gaussian noise exceeds one time in twenty. From about how many "
            r"answers on is it smaller?"
        ),
        hint=r"Drag the line in the figure to where the two strong curves cross.",
        answer=NumberAnswer(_crossing, tolerance=0.25, unit="answers"),
        solution=_crossing_solved,
    ),
    Exercise(
        name="four-times-the-answers",
        level="warm-up",
        minutes=3,
        link="view=errors&queries=1000000&epsilon=0.1&delta=1e-10&units=absolute",
        question=(
            r"At a million answers, bounded noise needs some radius $R$. At the same "
            r"$(\varepsilon, \delta)$, about how large must $R$ be for four million answers?"
        ),
        hint=r"How does the noise of $k$ answers grow with $k$ where the curves are straight?",
        answer=ChoiceAnswer(
            ("As large as before", "Twice as large", "4 times", "16 times"),
            right=1,
            shown=lambda result: 1.9 < _growth(result) < 2.1,
        ),
        solution=_growth_solved,
    ),
    Exercise(
        name="one-time-in-a-thousand",
        level="work",
        minutes=10,
        link="view=errors&queries=100&epsilon=0.1&delta=1e-10&failure_probability=0.05&power=2&units=absolute",
        question=(
            r"Over $k = 100$ answers the largest Gaussian error exceeds 1,880 Δ one time in "
            r"twenty. Which error does it exceed only one time in a thousand? Work it out with the "
            r"normal distribution, then check it: $\beta$ is among the controls."
        ),
        hint=(
            r"With $z$ standard deviations, all of $k$ independent errors are within the bound "
            r"with probability $(2\Phi(z) - 1)^k$. The noise stays, only $z$ changes."
        ),
        answer=NumberAnswer(lambda result: float(result.value(_RARE)), tolerance=0.03, unit="Δ"),
        solution=_rare_solved,
    ),
    Exercise(
        name="ten-times-the-error",
        level="work",
        minutes=8,
        link="view=turned&solve_for=queries&target=100000&epsilon=0.1&delta=1e-10&power=2",
        question=(
            r"If errors up to $T = 100{,}000\,\Delta$ are accepted, bounded noise answers 225,087 "
            r"queries with certainty. Estimate how many it answers if errors ten times as large "
            r"are accepted, at the same privacy. Then move $T$."
        ),
        hint=r"The error grows in proportion to a power of $k$. Which one?",
        answer=NumberAnswer(_widest, tolerance=0.03, unit="queries"),
        solution=_widest_solved,
    ),
    Exercise(
        name="how-short-a-support-can-be",
        level="proof",
        minutes=30,
        link="view=errors&queries=1&epsilon=0.1&delta=1e-10&power=2&units=absolute",
        question=(
            r"One answer with sensitivity $\Delta$ gets noise $X$ that never exceeds $R$ in size, "
            r"and is $(\varepsilon, \delta)$-DP. (a) Show that $\Pr[X > R - \Delta] \le \delta$, "
            r"so that no bounded noise has $\delta = 0$. (b) Let $X$ have a symmetric density. "
            r"Show that $\lceil R/\Delta \rceil \ge \frac1\varepsilon "
            r"\ln\bigl(1 + \frac{e^\varepsilon - 1}{2\delta}\bigr)$."
        ),
        hint=(
            r"Compare two neighbours whose true answers are $\Delta$ apart, on the event that more "
            r"than $R - j\Delta$ is published. How are the chances for $j$ and $j - 1$ related?"
        ),
        answer=None,
        solution=_support_solved,
    ),
    Exercise(
        name="one-time-in-twenty-within-the-bound",
        level="program",
        minutes=20,
        link="view=errors&queries=100&epsilon=0.1&delta=1e-10&failure_probability=0.05&power=2&units=absolute",
        question=(
            r"Bounded noise has a density in proportion to $\exp(-(1 - (x/R)^2)^{-2})$ on "
            r"$(-R, R)$. For 100 answers at $\varepsilon = 0.1$ and $\delta = 10^{-10}$ it needs "
            r"$R = 3119.9\,\Delta$. Write a few lines that find the error which the largest of 100 "
            r"such errors exceeds one time in twenty. The figure has a curve for it."
        ),
        hint=(
            r"Add up the density over a fine grid of $u = x/R$ from 0 to 1. All 100 errors are "
            r"within $x$ if each of them is."
        ),
        answer=NumberAnswer(
            lambda result: float(result.value(_QUANTILE)), tolerance=0.01, unit="Δ"
        ),
        solution=_quantile_solved,
    ),
)
"""In rising order."""
