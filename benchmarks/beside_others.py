"""Ten tasks beside dp_accounting, OpenDP, diffprivlib and autodp, as the table in docs/numbers.md.

Of each: the lines a program needs after its imports, processor seconds (the least of three), and
what is found, beside the two ends between which dpviz proves the truth to lie. What a library has
no function for stays empty. The libraries are in an environment of their own, as diffprivlib 0.6.6
needs an older scikit-learn:

    python3 -m venv /tmp/others
    /tmp/others/bin/pip install . dp-accounting==0.6.0 opendp==0.16.0 diffprivlib==0.6.6 \
        autodp==0.2.3.1 scikit-learn==1.5.2
    PYTHONPATH=. /tmp/others/bin/python -m benchmarks.beside_others
"""

import argparse
import contextlib
import io
import math
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from textwrap import dedent
from typing import Any

from benchmarks.options import parsed

IMPORTS = {
    "dpviz": "import dpviz",
    "dp-accounting": """
        import dp_accounting as da
        from dp_accounting.pld.pld_privacy_accountant import PLDAccountant
        from dp_accounting.pld.privacy_loss_distribution import from_discrete_gaussian_mechanism
        from dp_accounting.rdp import RdpAccountant
        from scipy.optimize import brentq
    """,
    "opendp": """
        import opendp.prelude as dp
        dp.enable_features("contrib")
    """,
    "diffprivlib": """
        from diffprivlib import BudgetAccountant
        from diffprivlib.mechanisms import GaussianAnalytic, LaplaceBoundedNoise
    """,
    "autodp": """
        from autodp import calibrator_zoo, mechanism_zoo, transformer_zoo
        from scipy.optimize import brentq
    """,
}
_REALS = "dp.vector_domain(dp.atom_domain(T=float, nan=False))"


@dataclass(frozen=True)
class Task:
    """What is asked, and by which lines each library answers; the last one sets `found`.

    larger: whether a larger number than the truth still keeps the promise.
    """

    asked: str
    lines: Mapping[str, str]


TASKS = (
    Task(
        "σ of a Gaussian answer, ε = 1, δ = 10⁻⁶",
        {
            "dpviz": "found = dpviz.sigma(epsilon=1, delta=1e-6, queries=1)",
            "dp-accounting": "found = da.get_sigma_gaussian(1, 1e-6)",
            "opendp": f"""
                space = {_REALS}, dp.l2_distance(T=float)
                def spent(scale):
                    one = dp.m.make_gaussian(*space, scale)
                    return dp.c.make_zCDP_to_approxDP(one).map(1.0).epsilon(1e-6)
                found = dp.binary_search(lambda scale: spent(scale) <= 1, bounds=(1.0, 20.0))
            """,
            "diffprivlib": "found = GaussianAnalytic(epsilon=1, delta=1e-6, sensitivity=1)._scale",
            "autodp": """
                calibrate = calibrator_zoo.ana_gaussian_calibrator()
                noise = calibrate(mechanism_zoo.GaussianMechanism, 1, 1e-6, name="one")
                found = noise.params["sigma"]
            """,
        },
    ),
    Task(
        "ε of a Gaussian answer, σ = 4, δ = 10⁻⁶",
        {
            "dpviz": "found = dpviz.epsilon(sigma=4, delta=1e-6, queries=1)",
            "dp-accounting": "found = da.get_epsilon_gaussian(4, 1e-6)",
            "opendp": f"""
                one = dp.m.make_gaussian({_REALS}, dp.l2_distance(T=float), 4.0)
                found = dp.c.make_zCDP_to_approxDP(one).map(1.0).epsilon(1e-6)
            """,
            "autodp": "found = mechanism_zoo.ExactGaussianMechanism(4).get_approxDP(1e-6)",
        },
    ),
    Task(
        "ε of 100 Gaussian answers, σ = 20",
        {
            "dpviz": "found = dpviz.epsilon(sigma=20, delta=1e-6, queries=100)",
            "dp-accounting": """
                accountant = PLDAccountant().compose(da.GaussianDpEvent(20), 100)
                found = accountant.get_epsilon(1e-6)
            """,
            "opendp": f"""
                one = dp.m.make_gaussian({_REALS}, dp.l2_distance(T=float), 20.0)
                all_of_them = dp.c.make_composition([one] * 100)
                found = dp.c.make_zCDP_to_approxDP(all_of_them).map(1.0).epsilon(1e-6)
            """,
            "autodp": """
                compose = transformer_zoo.Composition()
                noise = mechanism_zoo.GaussianMechanism(20)
                found = compose([noise], [100]).get_approxDP(1e-6)
            """,
        },
    ),
    Task(
        "ε of 100 Laplace answers, scale 20",
        {
            "dpviz": 'found = dpviz.compose(["laplace:scale=20,count=100"], delta=1e-6)',
            "dp-accounting": """
                accountant = PLDAccountant().compose(da.LaplaceDpEvent(20), 100)
                found = accountant.get_epsilon(1e-6)
            """,
            "opendp": f"""
                one = dp.m.make_laplace({_REALS}, dp.l1_distance(T=float), 20.0)
                all_of_them = dp.c.make_composition([dp.c.make_pureDP_to_zCDP(one)] * 100)
                found = dp.c.make_zCDP_to_approxDP(all_of_them).map(1.0).epsilon(1e-6)
            """,
            "diffprivlib": """
                accountant = BudgetAccountant(slack=1e-6)
                for _ in range(100):
                    accountant.spend(1 / 20, 0)
                found = accountant.total()[0]
            """,
            "autodp": """
                compose = transformer_zoo.Composition()
                noise = mechanism_zoo.LaplaceMechanism(b=20)
                found = compose([noise], [100]).get_approxDP(1e-6)
            """,
        },
    ),
    Task(
        "ε of three Gaussian answers, σ = 2, and one Laplace, scale 1",
        {
            "dpviz": """
                released = ["gaussian:sigma=2,count=3", "laplace:scale=1"]
                found = dpviz.compose(released, delta=1e-6)
            """,
            "dp-accounting": """
                accountant = PLDAccountant().compose(da.GaussianDpEvent(2), 3)
                found = accountant.compose(da.LaplaceDpEvent(1)).get_epsilon(1e-6)
            """,
            "opendp": f"""
                real = {_REALS}
                one = dp.m.make_laplace(real, dp.l1_distance(T=float), 1.0)
                spent = dp.c.make_pureDP_to_zCDP(one).map(1.0)
                spent += 3 * dp.m.make_gaussian(real, dp.l2_distance(T=float), 2.0).map(1.0)
                same = dp.m.make_gaussian(real, dp.l2_distance(T=float), (2 * spent) ** -0.5)
                found = dp.c.make_zCDP_to_approxDP(same).map(1.0).epsilon(1e-6)
            """,
            "autodp": """
                compose = transformer_zoo.Composition()
                noises = [mechanism_zoo.GaussianMechanism(2), mechanism_zoo.LaplaceMechanism(b=1)]
                found = compose(noises, [3, 1]).get_approxDP(1e-6)
            """,
        },
    ),
    Task(
        "ε of 10,000 steps, σ = 1, each of a Poisson sample at rate 0.01, δ = 10⁻⁵",
        {
            "dpviz": """
                steps = "gaussian:sigma=1,rate=0.01,count=10000"
                found = dpviz.compose([steps], delta=1e-5)
            """,
            "dp-accounting": """
                step = da.PoissonSampledDpEvent(0.01, da.GaussianDpEvent(1))
                found = PLDAccountant().compose(step, 10_000).get_epsilon(1e-5)
            """,
            "autodp": """
                steps = mechanism_zoo.NoisySGD_Mechanism(prob=0.01, sigma=1, niter=10_000)
                found = steps.get_approxDP(1e-5)
            """,
        },
    ),
    Task(
        "ε of 0.1-zCDP, δ = 10⁻⁶",
        {
            "dpviz": "found = dpviz.convert(rho=0.1, delta=1e-6)",
            "dp-accounting": """
                accountant = RdpAccountant().compose(da.ZCDpEvent(0.1))
                found = accountant.get_epsilon(1e-6)
            """,
            "opendp": f"""
                same = dp.m.make_gaussian({_REALS}, dp.l2_distance(T=float), 5.0**0.5)
                found = dp.c.make_zCDP_to_approxDP(same).map(1.0).epsilon(1e-6)
            """,
            "autodp": "found = mechanism_zoo.zCDP_Mechanism(0.1).get_approxDP(1e-6)",
        },
    ),
    Task(
        "scale of Laplace noise for 100 answers, ε = 1, δ = 10⁻⁶",
        {
            "dpviz": """
                privacy = {"epsilon": 1, "delta": 1e-6, "queries": 100}
                found = dpviz.sigma(**privacy, noise="laplace")
            """,
            "dp-accounting": """
                def answers(scale):
                    return da.SelfComposedDpEvent(da.LaplaceDpEvent(scale), 100)
                ends = da.ExplicitBracketInterval(20, 60)
                found = da.calibrate_dp_mechanism(PLDAccountant, answers, 1, 1e-6, ends)
            """,
            "opendp": f"""
                space = {_REALS}, dp.l1_distance(T=float)
                def spent(scale):
                    one = dp.c.make_pureDP_to_zCDP(dp.m.make_laplace(*space, scale))
                    total = dp.c.make_composition([one] * 100)
                    return dp.c.make_zCDP_to_approxDP(total).map(1.0).epsilon(1e-6)
                found = dp.binary_search(lambda scale: spent(scale) <= 1, bounds=(20.0, 90.0))
            """,
            "autodp": """
                compose = transformer_zoo.Composition()
                def excess(scale):
                    noise = mechanism_zoo.LaplaceMechanism(b=scale)
                    return compose([noise], [100]).get_approxDP(1e-6) - 1
                found = brentq(excess, 20, 90)
            """,
        },
    ),
    Task(
        "σ of discrete Gaussian noise for 10 counts, ε = 1, δ = 10⁻⁶",
        {
            "dpviz": """
                privacy = {"epsilon": 1, "delta": 1e-6, "queries": 10}
                found = dpviz.sigma(**privacy, noise="discrete_gaussian")
            """,
            "dp-accounting": """
                def excess(sigma):
                    one = from_discrete_gaussian_mechanism(sigma)
                    return one.self_compose(10).get_epsilon_for_delta(1e-6) - 1
                found = brentq(excess, 10, 20)
            """,
            "opendp": """
                space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=int)
                def spent(scale):
                    one = dp.m.make_gaussian(*space, scale)
                    total = dp.c.make_composition([one] * 10)
                    return dp.c.make_zCDP_to_approxDP(total).map(1).epsilon(1e-6)
                found = dp.binary_search(lambda scale: spent(scale) <= 1, bounds=(10.0, 20.0))
            """,
            "autodp": """
                compose = transformer_zoo.Composition()
                def excess(sigma):
                    noise = mechanism_zoo.DiscreteGaussianMechanism(sigma)
                    return compose([noise], [10]).get_approxDP(1e-6) - 1
                found = brentq(excess, 10, 20)
            """,
        },
    ),
    Task(
        "what no error of a Laplace answer that is cut off exceeds, ε = 1, δ = 10⁻⁶",
        {
            "dpviz": """
                privacy = {"epsilon": 1, "delta": 1e-6, "queries": 1}
                found = dpviz.radius(**privacy, noise="truncated_laplace")
            """,
            "diffprivlib": """
                noise = LaplaceBoundedNoise(epsilon=1, delta=1e-6, sensitivity=1)
                noise.randomise(0)
                found = noise._noise_bound
            """,
        },
    ),
)


def ran(library: str, code: str, repeats: int) -> tuple[Any, float, int]:
    """Return what some lines find, the least of their processor seconds, and how many they are."""
    names: dict[str, Any] = {}
    text, best = dedent(code).strip(), math.inf
    with contextlib.redirect_stdout(io.StringIO()):
        exec(dedent(IMPORTS[library]), names)
        for _ in range(repeats):
            begin = time.process_time()
            exec(text, names)
            best = min(best, time.process_time() - begin)
    return names["found"], best, len(text.splitlines())


def digits(value: float, low: float, high: float) -> str:
    """Return in how many digits a number agrees with the truth, and on which side it is.

    Of all that are found, a number below the truth breaks the promise.
    """
    if low * (1 - 1e-9) <= value <= high * (1 + 1e-9):
        return "all known"
    apart = value / high - 1 if value > high else 1 - value / low
    count = max(math.floor(-math.log10(apart)), 0)
    return f"{count}{'' if value > high else ', below the truth'}"


def row(task: Task, library: str, truth: Any, repeats: int) -> str:
    """Return the cell of a library in the row of a task."""
    if library not in task.lines:
        return "none"
    try:
        found, seconds, lines = ran(library, task.lines[library], repeats)
    except Exception as fault:
        return f"{type(fault).__name__}: {str(fault).splitlines()[0][:60]}"
    scale = math.sqrt(2) if task.asked.startswith("scale") else 1.0
    ends = truth.lower / scale, truth.upper / scale
    value = float(found) / (scale if library == "dpviz" else 1.0)
    known = f"[{ends[0]:.7g}, {ends[1]:.7g}]" if library == "dpviz" else digits(value, *ends)
    shown = known if library == "dpviz" else f"{value:.7g}: {known}"
    return f"{lines}; {seconds:.2g} s; {shown}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    options = parsed(parser, repeats=1)
    warnings.simplefilter("ignore")
    libraries = []
    for name in IMPORTS:
        with contextlib.suppress(PackageNotFoundError):
            found_version = version(name) if name != "dpviz" else ""
            libraries.append((name, f"{name} {found_version}".strip()))
    print("| |", " | ".join(called for _, called in libraries), "|")
    print("|---" * (len(libraries) + 1) + "|")
    for asked_of in TASKS:
        true, *_ = ran("dpviz", asked_of.lines["dpviz"], 1)
        cells = [row(asked_of, name, true, options.repeats) for name, _ in libraries]
        print(f"| {asked_of.asked} |", " | ".join(cells), "|", flush=True)
