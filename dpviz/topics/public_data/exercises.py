"""Six exercises on private learning with public data."""

import math

import numpy as np

from dpviz.plot.text import in_full, readable
from dpviz.results.evidence import Chart
from dpviz.scene.exercise import ChoiceAnswer, Exercise, NumberAnswer
from dpviz.topics.public_data.rich_class import least_broken_dimension
from dpviz.topics.public_data.views.cells_of_public_points import Cells
from dpviz.topics.public_data.views.error_against_shift import ShiftChart
from dpviz.topics.public_data.views.weights_against_dimension import WeightsChart

_POINTS = 80
_EPSILON = 0.5


def _only_accuracy(result: ShiftChart) -> bool:
    """Return whether the learner is bad and private all the same."""
    learner = result.learner
    return result.value(learner) > 0.2 and result.private[learner] == "pure"


def _laplace(result: Chart, points: int) -> float:
    """Return the Laplace noise that suffices at so many public points."""
    curve = result.curve("laplace")
    return float(np.exp(np.interp(math.log(points), np.log(curve.x), np.log(curve.y))))


def _drowned(result: Cells) -> float:
    """Return the standard deviation of the sum of all weights."""
    return result.own.scale * math.sqrt(2 * result.points)


def _broken(_: object) -> float:
    """Return the least VC dimension at which Gaussian weights break the promise."""
    return float(
        least_broken_dimension(
            alpha=0.1, smoothness=1.0, beta=0.05, epsilon=_EPSILON, delta=1e-6, constant=1.0
        )
    )


def _sigma_solved(result: ShiftChart) -> str:
    sigma, half = readable(result.here), readable(0.5 * result.here)
    return (
        r"Where public data have mass $\mu$, private data have at most $\mu/\sigma$. A function "
        r"that is wrong on a part $\alpha$ of the public data is wrong on at most "
        rf"$\alpha/{sigma}$ of the private data. This is 0.5 at $\alpha = {half}$. "
        r"From $\alpha = \sigma$ on, it says nothing at all."
    )


def _place_solved(result: ShiftChart) -> str:
    return (
        r"Only accuracy. The proof of privacy (the weights $\mathrm{Lap}(2m/\varepsilon)$ hide any "
        "one example) does not ask where the public points lie, nor where the private ones do. "
        "But the answer is known on the public points alone, and here nearly all of these lie "
        "where no private data are: so on average the function misclassifies "
        rf"{readable(100 * result.value(result.learner), 2)} % more than the best one. Public data "
        "that fit badly cost accuracy, never privacy."
    )


def _points_solved(result: Chart) -> str:
    return (
        r"$\rho = 1/\sqrt{0.1 \cdot 8000} \approx 0.0354$, so $\gamma = 80\,\rho \approx "
        rf"{readable(_laplace(result, _POINTS))}$: four times as much as at $m = 20$. Each value "
        r"needs the noise for all of them together, as one example may move all values. (Gaussian "
        r"noise follows the Euclidean length of the move, and grows like $\sqrt m$.)"
    )


def _drowned_solved(result: Cells) -> str:
    points = result.points
    return (
        r"A Laplace variable of scale $b$ has variance $2b^2$, and variances add up: "
        rf"$\sqrt{{{points} \cdot 2 \cdot {2 * points}^2}} \approx {readable(_drowned(result))}$. "
        rf"The private examples weigh {in_full(str(result.samples))} together. It grows like "
        r"$m^{3/2}$: with 80 points it is eight times as large, "
        rf"about {in_full(readable(8 * _drowned(result), 2))}. So more public points need more "
        "private examples."
    )


def _stable_solved(_: object) -> str:
    return (
        r"**The minimum is sharp.** Let $F(f) = L(f) + \eta\|f\|_m^2$ and $g \in \mathcal F$. For "
        r"$0 < t < 1$ the function $(1 - t)\bar f + t g$ is in $\mathcal F$. $L$ is convex, and "
        r"$\|(1 - t)\bar f + tg\|_m^2 = (1 - t)\|\bar f\|_m^2 + t\|g\|_m^2 - t(1 - t)\|\bar f - "
        r"g\|_m^2$, so"
        "\n\n"
        r"$$F(\bar f) \le F((1 - t)\bar f + tg) \le (1 - t)F(\bar f) + tF(g) - "
        r"\eta t(1 - t)\|\bar f - g\|_m^2.$$"
        "\n\n"
        r"Subtract $(1 - t) F(\bar f)$, divide by $t$ and let $t \to 0$: "
        r"$F(g) \ge F(\bar f) + \eta\|\bar f - g\|_m^2$. "
        r"**Use it twice**, with $g = \bar f'$ in $F$ and with $g = \bar f$ in $F'$, and add up. "
        r"The norms of $\bar f$ and $\bar f'$ cancel:"
        "\n\n"
        r"$$2\eta\|\bar f - \bar f'\|_m^2 \le \bigl[L(\bar f') - L'(\bar f')\bigr] - "
        r"\bigl[L(\bar f) - L'(\bar f)\bigr].$$"
        "\n\n"
        r"$L$ and $L'$ differ in one example of $n$, by at most $1/n$ as losses are in $[0, 1]$. "
        r"So the right-hand side is at most $2/n$, and "
        r"$\|\bar f - \bar f'\|_m \le 1/\sqrt{\eta n}$."
    )


_PROGRAM = """\
import numpy as np
from scipy.special import erf

eps, delta, alpha, beta = 0.5, 1e-6, 0.1, 0.05
d = np.arange(1, 1_000_001)
copies = np.rint((1 + np.log(1 / beta) / d) / alpha**2)
scale = np.sqrt(copies * d * np.log(1 / delta)) / eps
near = erf(1 / (scale * np.sqrt(2 * copies)))  # one |W| is below 1
flipped = -np.expm1(d * np.log1p(-near))
guess, allowed = (1 + flipped) / 2, (np.exp(eps) + delta) / (1 + np.exp(eps))
answer = d[np.argmax(guess > allowed)]
"""


def _program_solved(result: WeightsChart) -> str:
    return (
        f"```python\n{_PROGRAM}```\n\n"
        rf"The promise is broken from dimension {in_full(str(round(_broken(result))))} on; at "
        rf"$\varepsilon = {readable(result.epsilon)}$ it was "
        rf"{in_full(str(round(result.broken_from)))}. The size of $W$ grows like $\sqrt d$ only, "
        r"and there are $d$ of them, so the least comes ever closer to 0. With Laplace weights of "
        r"scale $2m/\varepsilon$ the size of $W$ grows like $d$, which is enough."
    )


EXERCISES = (
    Exercise(
        name="what-sigma-allows",
        level="warm-up",
        minutes=3,
        link="view=shift&task=thresholds&learner=rrspm&family=mixture&smoothness=0.02",
        question=(
            r"Private data are $\sigma$-smooth with $\sigma = 0.02$: no place is more than "
            r"$1/\sigma = 50$ times as likely among private data as among public data. How small "
            r"must a function's error $\alpha$ on public data be, so that $\sigma$ alone rules out "
            r"an error above 0.5 on private data?"
        ),
        hint="If all its errors lie where private data are 50 times as frequent, what happens?",
        answer=NumberAnswer(lambda result: 0.5 * result.here, tolerance=0.02),
        solution=_sigma_solved,
    ),
    Exercise(
        name="public-points-in-the-wrong-place",
        level="warm-up",
        minutes=4,
        link="view=shift&task=thresholds&learner=rrspm&noise=laplace&smoothness=0.01&family=window",
        question=(
            "The private data lie in a narrow window, the public points are spread over the whole "
            "range, and hardly any falls into the window. What does RRSPM lose by that?"
        ),
        hint="Does its proof of privacy say anything about where the public points lie?",
        answer=ChoiceAnswer(
            (
                "Privacy: the noise is no longer hidden among public points",
                "Accuracy, not privacy",
                "Both",
                "Neither: what it learns comes from the private labels",
            ),
            right=1,
            shown=_only_accuracy,
        ),
        solution=_place_solved,
    ),
    Exercise(
        name="noise-for-more-points",
        level="work",
        minutes=8,
        link="view=noise&noise_at=points&public_points=20&samples=8000&epsilon=1&eta=0.1",
        question=(
            r"Algorithm 3 learns from $n = 8000$ private examples with $\eta = 0.1$. One example "
            r"moves its function $\bar f$ by at most $\rho = 1/\sqrt{\eta n}$ in the root of the "
            r"mean square over $m$ public points, so the $m$ values together by at most $m\rho$. "
            r"What scale $\gamma$ of Laplace noise on each value keeps $\varepsilon = 1$ at "
            r"$m = 80$? Check it along the curve *Laplace, proved to suffice*."
        ),
        hint=(
            r"Laplace noise of scale $\gamma$ hides moves of the values that add up to "
            r"$\gamma\varepsilon$."
        ),
        answer=NumberAnswer(lambda result: _laplace(result, _POINTS), tolerance=0.02),
        solution=_points_solved,
    ),
    Exercise(
        name="weights-beside-the-data",
        level="work",
        minutes=6,
        link="view=cells&samples=2000&public_points=20&epsilon=1",
        question=(
            r"RRSPM gives each of $m = 20$ public points a random label and a random weight, "
            r"Laplace of scale $2m/\varepsilon$ with $\varepsilon = 1$; each of $n = 2000$ private "
            r"examples weighs 1. What is the standard deviation of the sum of the 20 weights?"
        ),
        hint=r"A Laplace variable of scale $b$ has variance $2b^2$.",
        answer=NumberAnswer(_drowned, tolerance=0.02),
        solution=_drowned_solved,
    ),
    Exercise(
        name="stable-by-a-penalty",
        level="proof",
        minutes=30,
        link="view=noise&noise_at=here&public_points=20&samples=2000&epsilon=1&eta=0.1",
        question=(
            r"$L$ is the average loss on $n$ examples, convex in $f$, each loss in $[0, 1]$; "
            r"$\mathcal F$ is a convex class, and $\|f\|_m^2$ the mean of $f(Z_i)^2$ over the "
            r"public points. $\bar f$ minimises $L(f) + \eta\|f\|_m^2$ over $\mathcal F$, and "
            r"$\bar f'$ the same after one example was exchanged. Prove "
            r"$\|\bar f - \bar f'\|_m \le 1/\sqrt{\eta n}$."
        ),
        hint=(
            r"First show that any $g \in \mathcal F$ has an objective larger than the minimum by "
            r"at least $\eta\|g - \bar f\|_m^2$ (look at points between $\bar f$ and $g$). Then "
            r"compare $\bar f$ and $\bar f'$ in both objectives."
        ),
        answer=None,
        solution=_stable_solved,
    ),
    Exercise(
        name="how-rich-a-class-breaks-it",
        level="program",
        minutes=30,
        link="view=weights&alpha=0.1&epsilon=1&delta=1e-6&vc_dimension=1000000&beta=0.05&smoothness=1",
        question=(
            r"With Gaussian weights RRSPM breaks its promise on rich classes. At VC dimension $d$ "
            r"there are $d$ places with $r$ public points each, $r$ the whole number nearest to "
            r"$(1 + \ln(1/\beta)/d)/\alpha^2$. The weights at a place add up to "
            r"$W \sim N(0, r s^2)$ with $s = \sqrt{r d \ln(1/\delta)}/\varepsilon$. With "
            r"probability $p$ at least one of the $d$ independent $|W|$ is below 1, and then a "
            r"private label shows: it can be guessed with probability $(1 + p)/2$, where "
            r"$(e^\varepsilon + \delta)/(1 + e^\varepsilon)$ is allowed. Find the least $d$ that "
            r"breaks $\varepsilon = 0.5$, with $\delta = 10^{-6}$, $\alpha = 0.1$ and "
            r"$\beta = 0.05$. (The figure is at $\varepsilon = 1$.)"
        ),
        hint=(
            r"$\Pr[|W| < 1] = \mathrm{erf}\bigl(1/(s\sqrt{2r})\bigr)$, and $p$ is one less the "
            r"probability that all $d$ are larger. The answer is below a million, so trying all "
            r"is quick."
        ),
        answer=NumberAnswer(_broken, tolerance=0.005),
        solution=_program_solved,
    ),
)
"""In rising order."""
