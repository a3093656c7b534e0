"""What a program outside meets, for a type checker: mypy in CI, pyright by `make types`."""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from typing import assert_type

import numpy as np

import dpviz
from dpviz.maths.accounting.calibration import RadiusSweep
from dpviz.maths.sweeps import TunedSweep
from dpviz.notebook import NotebookFigure
from dpviz.results.answer import Answer, ComparedNoise, Comparison
from dpviz.results.evidence import FloatArray


def asked() -> None:
    assert_type(dpviz.sigma(epsilon=1, delta=1e-6, l2=4), Answer)
    assert_type(dpviz.radius(epsilon=1, delta=1e-6, queries=10, noise="tuned"), Answer)
    assert_type(dpviz.epsilon(delta=1e-6, queries=10, sigma=9.0), Answer)
    assert_type(dpviz.delta(epsilon=1, queries=10, sigma=9.0), Answer)
    assert_type(dpviz.error(queries=10, sigma=9.0), Answer)
    assert_type(dpviz.users(bias=0.1, examples_per_user=3, epsilon=1), Answer)
    assert_type(dpviz.sensitivity(touched=1, most=1, neighbours="substitute"), Answer)
    assert_type(dpviz.compose(["laplace:scale=1"], delta=1e-6), Answer)
    assert_type(dpviz.convert(rho=0.1, delta=1e-6), Answer)
    table = dpviz.compare(epsilon=1, delta=1e-6, queries=10)
    assert_type(table, Comparison)
    assert_type(table.row("gaussian"), ComparedNoise)
    many = np.array([1, 10])
    assert_type(dpviz.minimal_sigma(epsilon=1, delta=1e-6, queries=many), FloatArray)
    assert_type(dpviz.minimal_radii("power", epsilon=1, delta=1e-6, queries=many), RadiusSweep)
    assert_type(dpviz.tuned_noises(epsilon=1, delta=1e-6, queries=many), TunedSweep)
    assert_type(dpviz.least_radii(epsilon=1, delta=1e-6, queries=many), FloatArray)
    assert_type(dpviz.figure("promise"), NotebookFigure)
    assert_type(dpviz.__version__, str)
    assert_type(dpviz.sigma(epsilon=1, delta=1e-6, l2=4) < 3, bool)


def mistaken() -> None:
    dpviz.sigma(epsilon="one", delta=1e-6, queries=1)  # type: ignore[arg-type]
    dpviz.sigma(epsilon=1, delta=1e-6, querys=1)  # type: ignore[call-arg]
    dpviz.raduis(epsilon=1)  # type: ignore[attr-defined]
