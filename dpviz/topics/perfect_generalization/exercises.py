"""Six exercises on how far apart the outputs on two fresh samples are."""

import math

import numpy as np

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.plot.text import in_full, readable
from dpviz.scene.exercise import ChoiceAnswer, CurveAnswer, Exercise, NumberAnswer
from dpviz.topics.perfect_generalization.closeness import divergence_quantile
from dpviz.topics.perfect_generalization.views.root_n_against_n import GrowthChart
from dpviz.topics.perfect_generalization.views.sample_pairs import SamplePairs

_MANY = 100_000
_PROGRAMMED = 10_000


def _places(result: SamplePairs) -> float:
    """In how many places the drawn pairs differ on average."""
    return float(np.mean([drawn.pair.hamming for drawn in result.draws]))


def _apart(result: SamplePairs) -> float:
    """How far apart the sums of the drawn pairs are on average."""
    return float(np.mean([abs(drawn.pair.first - drawn.pair.second) for drawn in result.draws]))


def _needed(result: GrowthChart, samples: int) -> float:
    """Return the exact ε′ at so many samples, interpolated where the curve has no place there."""
    curve = result.curve("exact")
    return float(np.exp(np.interp(np.log(samples), np.log(curve.x), np.log(curve.y))))


def _samples_for_one(result: GrowthChart) -> float:
    """Return the samples at which the exact curve reaches ε′ = 1."""
    curve = result.curve("exact")
    return float(np.exp(np.interp(0.0, np.log(curve.y), np.log(curve.x))))


def _fair_coins(result: SamplePairs) -> float:
    """Return the ε′ of the pairs if the items were fair coins and all else as at the link."""
    return divergence_quantile(
        GeometricCount(0.005),
        samples=1000,
        rate=0.5,
        delta=1e-6,
        failure_probability=result.failure_probability,
    )


def _places_solved(result: SamplePairs) -> str:
    return (
        "Each place differs with probability one half, so about 500 of 1,000 do; on the pairs "
        f"drawn it is {readable(_places(result))} on average. Half of these differences go up and "
        r"half go down, so the sums differ like a random walk, by about $\sqrt{n/2} \approx 22$ "
        f"(on the pairs drawn by {readable(_apart(result), 2)} on average). Group privacy has to "
        "fear all the places; noise on the sum has to hide the sums only."
    )


def _many_solved(result: GrowthChart) -> str:
    here, there = _needed(result, 1000), _needed(result, _MANY)
    return (
        r"The sums of two samples differ like a random walk of $n$ steps, by something like "
        r"$\sqrt n$, and the loss of geometric noise is $\varepsilon$ times that difference. A "
        rf"hundred times the samples, ten times the $\varepsilon'$: from {readable(here)} at 1,000 "
        rf"to {readable(there)} at 100,000, where group privacy has {readable(_MANY * 0.005)}. On "
        r"these axes it is a straight line of slope $\tfrac12$; group privacy has slope 1."
    )


def _rare_solved(result: SamplePairs) -> str:
    return (
        r"The difference of the sums has variance $2np(1 - p)$. From $p = \tfrac12$ to $p = 0.1$ "
        r"this falls from $0.5\,n$ to $0.18\,n$, and $\varepsilon'$ follows its root: "
        r"$\sqrt{0.18/0.5} = 0.6$. The figure has "
        rf"$\varepsilon' = {readable(result.needed)}$ here and {readable(_fair_coins(result))} for "
        "fair coins. Theorem 13 does not see this: it holds for all distributions at once."
    )


def _one_solved(result: GrowthChart) -> str:
    return (
        r"The difference $D$ of two sums has variance $2n \cdot \tfrac14 = n/2$, so in 95 % of "
        r"pairs $|D| \le 1.96\sqrt{n/2}$, and the outputs are $\varepsilon|D|$-close. "
        r"$0.01 \cdot 1.96\sqrt{n/2} = 1$ gives $n = 2\,(1/0.0196)^2 \approx 5200$; the exact "
        rf"curve crosses 1 at about {in_full(readable(_samples_for_one(result), 2))}. Group "
        r"privacy, which must allow for $n\varepsilon = 1$, stops at $n = 100$."
    )


def _hoeffding_solved(result: GrowthChart) -> str:
    bound = 0.005 * math.sqrt(2 * 1000 * math.log(2 / 0.05))
    return (
        r"Let $s = \sum_i x_i$, $s' = \sum_i x'_i$ and $D = s - s'$. **The loss is at most "
        r"$\varepsilon |D|$**: the output $z$ has mass $c\,e^{-\varepsilon|z - s|}$ on $x$ and "
        r"$c\,e^{-\varepsilon|z - s'|}$ on $x'$. By the triangle inequality "
        r"$\bigl||z - s'| - |z - s|\bigr| \le |D|$, so the ratio of the two lies between "
        r"$e^{-\varepsilon|D|}$ and $e^{\varepsilon|D|}$ at every $z$, and summing over any set of "
        r"outputs keeps this: $A(x) \approx_{\varepsilon|D|,\, 0} A(x')$."
        "\n\n"
        r"**$|D|$ is rarely large**: $D$ is the sum of the $n$ independent variables "
        r"$x_i - x'_i$, each with mean 0 (both items have the same law) and in $[-1, 1]$. "
        r"Hoeffding's inequality for intervals of length 2 says"
        "\n\n"
        r"$$\Pr[|D| \ge t] \le 2\exp\!\Bigl(-\frac{2t^2}{n \cdot 2^2}\Bigr) = "
        r"2\,e^{-t^2/(2n)},$$"
        "\n\n"
        r"which is $\beta$ at $t = \sqrt{2n\ln(2/\beta)}$. Both together prove the claim. At "
        rf"$n = 1000$, $\varepsilon = 0.005$ and $\beta = 0.05$ it says {readable(bound)}; the "
        rf"truth for fair coins is {readable(result.needed)}."
    )


_PROGRAM = """\
import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm

n, sigma, delta, beta = 10_000, 1000, 1e-6, 0.05
# The sum of x and the zeros of x' together are 2n fair coins.
d = binom.ppf(1 - beta / 2, 2 * n, 0.5) - n


def excess(eps):
    far, near = -d / (2 * sigma) - eps * sigma / d, d / (2 * sigma) - eps * sigma / d
    return norm.cdf(near) - np.exp(eps) * norm.cdf(far) - delta


answer = brentq(excess, 0, 10)
"""


def _program_solved(result: GrowthChart) -> str:
    return (
        f"```python\n{_PROGRAM}```\n\n"
        r"The divergence grows with $|D|$, so it is enough to know the $d$ that $|D|$ exceeds in "
        rf"at most 5 % of pairs. At $n = 1000$ the figure has "
        rf"$\varepsilon' = {readable(result.needed)}$. Ten times the samples should cost "
        rf"$\sqrt{{10}} \approx 3.16$ times as much. In truth it is "
        rf"{readable(_needed(result, _PROGRAMMED) / result.needed)} times: of losses that spread "
        r"more widely the same $\delta'$ lets a smaller share stay above $\varepsilon'$."
    )


EXERCISES = (
    Exercise(
        name="places-and-sums",
        level="warm-up",
        minutes=3,
        link="view=pairs&mechanism=geometric&samples=1000&epsilon=0.005&rate=0.5",
        question=(
            "Two fresh samples are drawn, each of 1,000 fair coins. In how many of the 1,000 "
            "places do they differ, and by how much do their sums?"
        ),
        hint=(
            r"Two fair coins differ with probability one half. In the sum, a place where only the "
            r"first shows 1 cancels one where only the second does."
        ),
        answer=ChoiceAnswer(
            (
                "In about 20 places, the sums by about 20",
                "In about 500 places, the sums by about 500",
                "In about 500 places, the sums by about 20",
                "In nearly all places, the sums by about 20",
            ),
            right=2,
            shown=lambda result: 450 < _places(result) < 550 and 10 < _apart(result) < 30,
        ),
        solution=_places_solved,
    ),
    Exercise(
        name="as-the-samples-grow",
        level="warm-up",
        minutes=6,
        link="view=growth&mechanism=geometric&samples=1000&epsilon=0.005&failure_probability=0.05",
        question=(
            r"Geometric noise is added to the sum of $n$ fair coins. At $n = 1000$ the outputs on "
            r"95 % of pairs of fresh samples are within $\varepsilon' = 0.22$. Draw the "
            r"$\varepsilon'$ that they need at other $n$; the noise stays. (Group privacy needs "
            r"$0.005\,n$.) The figure opens with four times less noise."
        ),
        hint="The sums of two fresh samples drift apart like a random walk of n steps.",
        answer=CurveAnswer(
            "exact",
            "n",
            at=(10, 100, 1000, 10_000, 100_000),
            tolerance=0.025,
            beside="epsilon=0.02",
        ),
        solution=_many_solved,
    ),
    Exercise(
        name="ones-become-rare",
        level="work",
        minutes=8,
        link=(
            "view=pairs&mechanism=geometric&samples=1000&epsilon=0.005&rate=0.1"
            "&failure_probability=0.05"
        ),
        question=(
            r"The 1,000 items show 1 with probability $p = 0.1$ in place of $\tfrac12$. The noise "
            r"stays. What becomes of the $\varepsilon'$ that suffices for 95 % of the pairs?"
        ),
        hint=r"Compute the variance of the difference of two sums, for any $p$.",
        answer=ChoiceAnswer(
            (
                "Nothing: the theorem holds for every distribution",
                "It becomes 0.6 of what it was",
                "It becomes 0.36 of what it was",
                "It becomes 0.2 of what it was",
            ),
            right=1,
            shown=lambda result: 0.57 < result.needed / _fair_coins(result) < 0.63,
        ),
        solution=_rare_solved,
    ),
    Exercise(
        name="samples-for-a-loss-of-one",
        level="work",
        minutes=10,
        link="view=growth&mechanism=geometric&samples=1000&epsilon=0.01&failure_probability=0.05",
        question=(
            r"The sum of $n$ fair coins is released with geometric noise of $\varepsilon = 0.01$ "
            r"for each item. Up to which $n$ are the outputs on 95 % of pairs of fresh samples "
            r"within $\varepsilon' = 1$? Work it out with the normal law, then check it in the "
            r"figure. (What does group privacy allow?)"
        ),
        hint=(
            r"If the sums differ by $D$, the outputs are $\varepsilon|D|$-close. What is the "
            r"variance of $D$, and which $|D|$ do 95 % of pairs not exceed?"
        ),
        answer=NumberAnswer(_samples_for_one, tolerance=0.06, unit="samples"),
        solution=_one_solved,
    ),
    Exercise(
        name="the-root-of-n-proved-for-sums",
        level="proof",
        minutes=20,
        link="view=growth&mechanism=geometric&samples=1000&epsilon=0.005&failure_probability=0.05",
        question=(
            r"$A$ adds noise to the sum of $n$ items in $\{0, 1\}$; the noise $z$ is a whole "
            r"number with probability proportional to $e^{-\varepsilon|z|}$. The items of $x$ and "
            r"$x'$ are independent draws from one law. Prove that with probability at least "
            r"$1 - \beta$"
            "\n\n"
            r"$$A(x) \approx_{\varepsilon', 0} A(x'), \qquad "
            r"\varepsilon' = \varepsilon\sqrt{2n\ln(2/\beta)}.$$"
        ),
        hint=(
            r"First bound the loss of a fixed pair by $\varepsilon$ times the difference $D$ of "
            r"the sums. Then apply Hoeffding's inequality to $D = \sum_i (x_i - x'_i)$."
        ),
        answer=None,
        solution=_hoeffding_solved,
    ),
    Exercise(
        name="gaussian-noise-exactly",
        level="program",
        minutes=30,
        link=(
            "view=growth&mechanism=gaussian&samples=1000&sigma=1000&failure_probability=0.05"
            "&closeness_delta=1e-6&rate=0.5"
        ),
        question=(
            r"Gaussian noise with $\sigma = 1000$ is added to the sum of $n = 10{,}000$ fair "
            r"coins. Two outputs whose sums differ by $D$ are $(\varepsilon', \delta')$-close "
            r"exactly if, for $d = |D|$,"
            "\n\n"
            r"$$\Phi\Bigl(\frac{d}{2\sigma} - \frac{\varepsilon'\sigma}{d}\Bigr) - "
            r"e^{\varepsilon'}\,\Phi\Bigl(-\frac{d}{2\sigma} - \frac{\varepsilon'\sigma}{d}\Bigr) "
            r"\le \delta'.$$"
            "\n\n"
            r"Write a program for the least $\varepsilon'$ that suffices for 95 % of the pairs at "
            r"$\delta' = 10^{-6}$. What does it find?"
        ),
        hint=(
            r"Which $d$ does $|D|$ exceed in at most 5 % of pairs? The ones of $x$ and the zeros "
            r"of $x'$ are $2n$ fair coins. For this $d$, find the root in $\varepsilon'$."
        ),
        answer=NumberAnswer(lambda result: _needed(result, _PROGRAMMED), tolerance=0.02),
        solution=_program_solved,
    ),
)
"""In rising order."""
