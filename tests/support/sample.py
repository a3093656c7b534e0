"""A small page with every kind of parameter and view, to test the frame on."""

import numpy as np

from dpviz.plot.chart import draw
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.parameters import LIMITS, validate
from dpviz.scene.codec import Choice, Flag, Number, Seed
from dpviz.scene.page import Page, Preset
from dpviz.scene.view import View

calls: list[dict] = []


def _chart(x, y, key="drawn", evidence=Evidence.EXACT):
    curve = Curve(key, "drawn curve", Subject.BOUNDED, evidence, Source("Test"), x, y)
    return Chart(Axis("queries", "Queries, k"), Axis("error", "Error"), (curve,))


def curve(*, epsilon, queries, log, x):
    calls.append({"epsilon": epsilon, "queries": queries, "log": log, "x": x})
    k = np.geomspace(1, queries, 9)
    return _chart(k, np.sqrt(k) / epsilon)


def refined(*, epsilon):
    for points in (5, 9, 9, 5, 9):
        calls.append({"points": points})
        k = np.geomspace(1, 100, points)
        yield _chart(k, k / validate("epsilon", epsilon))


def lengthy(*, epsilon):
    yield from refined(epsilon=epsilon)


def random(*, epsilon, rng):
    k = np.arange(1.0, 6.0)
    return _chart(k, rng.uniform(1, 2, 5) / epsilon, evidence=Evidence.SIMULATED)


def refuses(*, queries):
    k = np.arange(1.0, 6.0)
    return _chart(k, k / validate("epsilon", 1 - queries / 500))


def breaks(*, queries):
    raise RuntimeError(f"secret detail {queries}")


def sentence(chart):
    return f"The last error is {chart.curves[0].y[-1]:.6g}."


PAGE = Page(
    slug="sample",
    parameters=(
        Choice("x", "Across", {"queries": "k", "epsilon": "ε"}, "queries"),
        Number(LIMITS["epsilon"]),
        Number(LIMITS["queries"].narrowed(minimum=10, maximum=10**6, default=1000)),
        Flag("log", "Logarithmic", True),
        Seed(),
    ),
    for_everyone=(
        View("curve", "Curve", curve, draw, sentence, ("x", "epsilon", "queries", "log")),
        View("refined", "Refined", refined, draw, sentence, ("epsilon",)),
        View("lengthy", "Lengthy", lengthy, draw, sentence, ("epsilon",), first_seconds=0.0),
        View("random", "Random", random, draw, sentence, ("epsilon", "seed")),
        View("refuses", "Refuses", refuses, draw, sentence, ("queries",)),
        View("breaks", "Breaks", breaks, draw, sentence, ("queries",)),
    ),
    presets=(Preset("Small", {"queries": 100, "epsilon": 1.0}),),
)
