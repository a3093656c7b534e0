"""Six exercises on an analyst who asks one data set again and again."""

import math

import numpy as np

from dpviz.plot.text import readable
from dpviz.scene.exercise import ChoiceAnswer, Exercise, NumberAnswer
from dpviz.topics.adaptive_analysis.overfitting import (
    NoiseLaw,
    agreement_probability,
    expected_claim,
)
from dpviz.topics.adaptive_analysis.views.attack import AttackChart

_CLAIM = 0.84
_COINS = 101  # of the program


def _claim(samples: float, coins: float, law: NoiseLaw) -> float:
    """Return the accuracy that is claimed on average after so many coins."""
    return float(expected_claim(np.array([coins]), agreement_probability(samples, law))[0])


def _coins(result: AttackChart) -> float:
    """Return the fewest coins after which 84 % is claimed without noise."""
    agreement = agreement_probability(result.sample_size, NoiseLaw())
    coins = np.arange(1.0, 4 * result.sample_size, 2)
    return float(coins[np.argmax(expected_claim(coins, agreement) >= _CLAIM)])


def _four_times(result: AttackChart) -> tuple[float, float]:
    """Return the claims after n coins without noise, for n samples and for 4n."""
    n = result.sample_size
    return _claim(n, n, NoiseLaw()), _claim(4 * n, 4 * n, NoiseLaw())


def _protected(result: AttackChart) -> tuple[float, float]:
    """Return the claims against Gaussian noise of one privacy, for k coins and for ten times k."""
    n, k = result.sample_size, result.questions
    more = math.sqrt((10 * k + 1) / (k + 1))
    return (
        _claim(n, k, NoiseLaw(result.sigma)),
        _claim(n, 10 * k, NoiseLaw(result.sigma * more)),
    )


def _one_coin(result: AttackChart) -> float:
    """Return the accuracy, in percent, that is claimed after one coin without noise."""
    return 100 * float(result.expected["empirical"][0])


def _simulated(result: AttackChart) -> float:
    return 100 * _claim(result.sample_size, _COINS, NoiseLaw())


def _one_solved(result: AttackChart) -> str:
    return (
        r"The coin agrees with $b$ labels, and the analyst keeps the sign for which that is at "
        r"least half. The claim is $\tfrac12 + \mathbb{E}\,|b/n - \tfrac12|$. The standard "
        r"deviation of $b/n$ is $1/(2\sqrt n)$, and a normal number is on average "
        r"$\sqrt{2/\pi}$ standard deviations from its mean: "
        r"$\tfrac12 + 1/\sqrt{2\pi n}$, "
        rf"about {readable(50 + 100 / math.sqrt(2 * math.pi * result.sample_size))} %. "
        rf"The exact value is {readable(_one_coin(result))} %."
    )


def _four_solved(result: AttackChart) -> str:
    few, many = _four_times(result)
    return (
        rf"It stays: {readable(100 * few)} % with {result.sample_size} samples and coins, "
        rf"{readable(100 * many)} % with four times both. A coin agrees with a sample about "
        r"$1/\sqrt{2\pi n}$ more often than half the time, and a majority of $k$ coins multiplies "
        r"this by about $\sqrt{k}$. Only $k/n$ counts."
    )


def _coins_solved(result: AttackChart) -> str:
    n = result.sample_size
    return (
        r"The lead of the right side among $k$ coins has mean $2k/\sqrt{2\pi n}$ and standard "
        r"deviation about $\sqrt k$. So the majority is right with probability "
        r"$\Phi(\sqrt{2k/(\pi n)})$. This is $0.84 = \Phi(1)$ at $k = \pi n/2$, about "
        rf"{readable(math.pi * n / 2)}. Exactly, it takes {readable(_coins(result), 4)} coins."
    )


def _protected_solved(result: AttackChart) -> str:
    before, after = _protected(result)
    return (
        r"For the same $(\varepsilon, \delta)$ the noise must grow like $\sqrt k$. Noise of "
        r"standard deviation $\sigma$, large beside $1/\sqrt n$, leaves each coin a lead over "
        r"one half in proportion to $1/\sigma$, and a majority of $k$ coins multiplies it by "
        r"$\sqrt k$. Both cancel: "
        rf"{readable(100 * before)} % before, {readable(100 * after)} % after. Without noise "
        r"nothing cancels."
    )


def _sign_solved(result: AttackChart) -> str:
    agreement = agreement_probability(result.sample_size, NoiseLaw())
    return (
        r"Look at one sample and the other $n - 1$, an even number. If these do not tie, their "
        r"majority leads by two at least and decides alone: our sample agrees with it with "
        r"probability $\tfrac12$. If they tie, with probability "
        r"$t = \binom{n-1}{(n-1)/2} 2^{-(n-1)}$, our sample decides, and agrees for certain. "
        r"Together"
        "\n\n"
        r"$$p = \tfrac12 (1 - t) + t = \tfrac12 + \tfrac{t}{2}.$$"
        "\n\n"
        r"By Stirling's formula $t \approx \sqrt{2/(\pi n)}$, hence "
        r"$p \approx \tfrac12 + 1/\sqrt{2\pi n}$. "
        rf"At $n = {result.sample_size}$ the exact value is $p = {readable(agreement, 5)}$."
    )


_PROGRAM = """\
import numpy as np

n, k, runs = 101, 101, 500
rng = np.random.default_rng(1)
claims = []
for _ in range(runs):
    agrees = rng.choice([-1, 1], size=(n, k))  # coin times label: is it right?
    kept = np.sign(agrees.sum(axis=0))  # n is odd: no ties
    claims.append(np.mean((agrees @ kept) > 0))  # and so is k
answer = 100 * np.mean(claims)
"""


def _simulated_solved(result: AttackChart) -> str:
    return (
        r"Only the products of coins and labels matter, and these are fair coins themselves:"
        f"\n\n```python\n{_PROGRAM}```\n\n"
        rf"The exact mean is {readable(_simulated(result))} %, though on fresh samples every "
        r"predictor is right half the time."
    )


EXERCISES = (
    Exercise(
        name="one-useless-coin",
        level="warm-up",
        minutes=6,
        link="view=attack&sample_size=101&questions=31",
        question=(
            r"A coin that has nothing to do with the labels is compared with $n = 101$ of them, "
            r"and counted the way round that agrees with more. How often, on average and in "
            r"percent, does it seem to be right?"
        ),
        hint=(
            r"How far is the share of heads among $n$ tosses from one half, on average? Or look at "
            r"the left end of the exact curve without noise."
        ),
        answer=NumberAnswer(_one_coin, tolerance=0.01, unit="%"),
        solution=_one_solved,
    ),
    Exercise(
        name="four-times-the-samples",
        level="warm-up",
        minutes=4,
        link="view=attack&sample_size=500&questions=100",
        question=(
            r"An analyst without noise asks about as many coins as there are samples. Now both "
            r"are four times as many. What happens to the accuracy that is claimed?"
        ),
        hint="Try it: 500 samples and 500 coins, then 2,000 of each.",
        answer=ChoiceAnswer(
            ("It falls towards 50 %", "It stays about the same", "It rises towards 100 %"),
            right=1,
            shown=lambda result: abs(np.subtract(*_four_times(result))) < 0.005,
        ),
        solution=_four_solved,
    ),
    Exercise(
        name="coins-for-a-good-impression",
        level="work",
        minutes=12,
        link="view=attack&sample_size=1000&questions=100",
        question=(
            r"About how many useless coins must the analyst ask about, without noise and with "
            r"$n = 1000$ samples, until their majority seems to be right 84 % of the time?"
        ),
        hint=(
            r"$\Phi(1) = 0.84$. Each coin agrees with a sample with probability "
            r"$\tfrac12 + 1/\sqrt{2\pi n}$; by how many standard deviations does the majority lead?"
        ),
        answer=NumberAnswer(_coins, tolerance=0.05, unit="coins"),
        solution=_coins_solved,
    ),
    Exercise(
        name="ten-times-the-coins-against-noise",
        level="work",
        minutes=8,
        link="view=attack&sample_size=1000&questions=300",
        question=(
            r"Gaussian noise keeps all answers $(\varepsilon, \delta)$-DP together. The analyst "
            r"asks about ten times as many coins, with noise that keeps the same "
            r"$(\varepsilon, \delta)$. What becomes of the claim that is expected against Gaussian "
            r"noise?"
        ),
        hint=r"By which factor must the noise grow, and what does a majority of $k$ coins gain?",
        answer=ChoiceAnswer(
            (
                "It stays about the same",
                "Its lead over 50 % grows about threefold",
                "Its lead over 50 % grows about tenfold",
            ),
            right=0,
            shown=lambda result: abs(np.subtract(*_protected(result))) < 0.003,
        ),
        solution=_protected_solved,
    ),
    Exercise(
        name="how-often-the-kept-sign-agrees",
        level="proof",
        minutes=20,
        link="view=attack&sample_size=999&questions=31",
        question=(
            r"A fair coin is tossed for each of an odd number $n$ of samples. Without noise, the "
            r"analyst keeps its sign that agrees with most labels. Prove that one given sample's "
            r"label agrees with it with probability $p = \tfrac12 + \binom{n-1}{(n-1)/2} 2^{-n}$."
        ),
        hint=r"Toss for the other $n - 1$ samples first. When does the last one decide?",
        answer=None,
        solution=_sign_solved,
    ),
    Exercise(
        name="simulate-the-analyst",
        level="program",
        minutes=20,
        link="view=attack&sample_size=101&questions=11",
        question=(
            r"Simulate the analyst without noise, with $n = 101$ samples and $k = 101$ coins: keep "
            r"for every coin the sign that agrees with most labels, and let the majority of the "
            r"coins predict the same samples. Which percentage seems right, on average over some "
            r"hundred runs? Then move the number of coins to 101."
        ),
        hint="Only coin times label matters. An array of n rows and k columns of ±1 is a run.",
        answer=NumberAnswer(_simulated, tolerance=0.02, unit="%"),
        solution=_simulated_solved,
    ),
)
"""In rising order."""
