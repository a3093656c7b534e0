"""The pieces of the accountant's error budget, each against what it bounds.

The end results are tested in test_accounting; here the price of the cut, aliasing, the height of
the contour, the quadrature and the transform are compared, one by one, with the errors they are
charged for, computed in other ways.
"""

import math
from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss

from dpviz.maths.accounting import contour, quadrature
from dpviz.maths.accounting.answer import FINE, ROUNDING, Nodes, Problem, choose_cut
from dpviz.maths.accounting.band import Band
from dpviz.maths.accounting.contour import Contour
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.results.refining import whole
from tests.maths.accounting.test_calibration import crossing, delta_of_two, losses, positions
from tests.support import oracles
from tests.support.examples import chosen

TWO = [
    Problem(PowerNoise(2), 1 / 20, 0.1, 2),
    Problem(PowerNoise(1), 1 / 60, 1.0, 2),
    Problem(PowerNoise(4), 1 / 8, 1.0, 2),
    Problem(IteratedExponentialNoise(), 1 / 20, 0.2, 2),
]
MANY = [
    Problem(PowerNoise(2), 1 / 30, 0.5, 30),
    Problem(PowerNoise(1), 1 / 400, 0.1, 1e3),
    Problem(PowerNoise(3.5), 1e-5, 0.01, 1e8),
    Problem(IteratedExponentialNoise(), 1 / 300, 0.5, 300),
]


def delta_of_two_below(problem, y, epsilon):
    """E[(1 - e^(ε - Λ))₊; both answers at coordinates up to y], by the trapezoid rule in one."""
    noise, shift = problem.noise, problem.shift
    grid, step = np.linspace(-9, y, 20_001, retstep=True)
    above, gap = positions(shift, grid)
    density = np.exp(-noise.exponent(gap + shift, above) - noise.log_normaliser)
    density *= 2 * above * gap / (2 - shift)
    density[-1] /= 2
    rest = epsilon - losses(noise, shift, grid)
    star = np.minimum(crossing(noise, shift, rest), y)
    _, edge = positions(shift, np.append(star, y))
    tail = np.exp(noise.log_tail_from_edge(edge + shift))
    shifted = np.exp(noise.log_tail_from_edge(edge))
    between, shifted_between = tail[:-1] - tail[-1], shifted[:-1] - shifted[-1]
    return step * float(
        density @ (between - np.exp(np.minimum(rest, 700)) * shifted_between).clip(0)
    )


@pytest.mark.parametrize(
    ("problem", "log_goal"),
    chosen(product(TWO, (-4.0, -9.0)), zip(TWO, [-4.0, -9.0] * 2, strict=True)),
)
def test_the_price_of_the_cut(problem, log_goal):
    cut = choose_cut(problem, log_goal)
    assert cut.log_price <= log_goal + 1
    inside = delta_of_two_below(problem, cut.y, problem.epsilon)
    rest = delta_of_two(problem.noise, 1 / problem.shift, problem.epsilon) - inside
    lower = math.exp(cut.outside(problem.epsilon))
    assert lower * (1 - 1e-6) <= rest + 1e-9
    assert rest <= lower + math.exp(cut.log_price) + 1e-9


@pytest.mark.parametrize(
    ("problem", "target"),
    chosen(product(TWO, (1e-2, 1e-5)), zip(TWO, [1e-2, 1e-5] * 2, strict=True)),
)
def test_aliases_are_below_what_is_charged(problem, target):
    band = Band(problem, choose_cut(problem, math.log(1e-6)))
    period = band.period(target)
    aliases = 0.0
    for j in chosen((-3, -2, -1, 1, 2, 3), (-1, 1)):  # the nearest are nearly all of it
        delta = delta_of_two_below(problem, band.top.y, problem.epsilon + j * period)
        if delta > 1e-13:  # less would be rounding errors, which the factor makes large
            aliases += math.exp(j * band.c * period) * delta
    assert 0 <= aliases <= 1.2 * target * math.exp(band.peak)


def transform(band, t):
    """M(c + it)/M(c) at many t, from a rule of 40 panels of 64 nodes."""
    edges = np.linspace(band.problem.left_end, band.top.y, 41)
    nodes = Nodes(band.problem, edges, band.top.log_mass, FINE)
    law, k = nodes.tilted(band.c), band.problem.queries
    angle = nodes.loss - band.problem.epsilon / k
    return np.array([law @ np.expm1(1j * s * angle) for s in t])


@pytest.mark.parametrize("problem", MANY)
@pytest.mark.parametrize("target", [1e-3, 1e-6])
def test_what_the_height_leaves_out(problem, target):
    band = Band(problem, choose_cut(problem, math.log(1e-12)))
    line = Contour(band, target)
    start, step = line._height, line._spacing
    t = start + step * np.arange(1, min(4 * start / step, 4000))
    values = np.exp(problem.queries * np.log1p(transform(band, t)))
    s = band.c + 1j * t
    left_out = np.abs(values / (s * (s + 1))).sum() * step / math.pi
    assert left_out <= target
    # and it does not climb far above what is needed
    t = step * np.arange(1, start / 2 / step)
    values = np.exp(problem.queries * np.log1p(transform(band, t[-40:])))
    assert t.size < 2 or np.abs(values).max() > 1e-9 * target


@pytest.mark.parametrize("problem", MANY)
def test_the_quadrature_is_as_good_as_it_says(problem):
    band = Band(problem, choose_cut(problem, math.log(1e-12)))
    line = Contour(band, 1e-5)
    whole(line.log_bounds())
    edges, wrong = line._panels(1.0)
    nodes = Nodes(problem, edges, band.top.log_mass, FINE)
    found, peak, slack = whole(line._integrand(nodes, wrong))
    assert peak == pytest.approx(band.peak, abs=1e-9 * problem.queries**0.5 + 1e-7)
    some = np.unique(np.linspace(0, found.size - 1, 60).astype(int))
    expected = np.exp(problem.queries * np.log1p(transform(band, line._spacing * some)))
    errors = np.abs(found[some] - expected)
    # both sides have rounding errors
    assert np.all(errors <= 1e-6 + 3 * slack[some])


@pytest.mark.parametrize(("size", "block"), [(300, contour._BLOCK), (4000, 2**12)])
def test_the_fast_transform_is_as_good_as_it_says(monkeypatch, size, block):
    monkeypatch.setattr(contour, "_BLOCK", block)
    rng = np.random.default_rng(size)
    problem = MANY[0]
    line = Contour(Band(problem, choose_cut(problem, math.log(1e-12))), 1e-4)
    line._count = size
    law = rng.dirichlet(np.ones(500))
    angle = rng.uniform(-3, 3, 500) * rng.choice([1e-4, 1e-2, 1.0], 500)
    n = np.arange(size)
    expected = np.exp(1j * np.multiply.outer(n, angle)) @ law - 1
    turns = n * float(law @ np.abs(angle))
    fast, direct = whole(line._fast_sums(law, angle)), whole(line._direct_sums(law, angle))
    assert np.all(np.abs(fast - expected) <= contour._TRANSFORM + ROUNDING * turns[-1])
    # what is expected has rounding errors, too
    assert np.all(np.abs(direct - expected) <= 2 * ROUNDING * turns + 1e-14)


@pytest.mark.parametrize("problem", MANY)
def test_rounding_of_the_moment_generating_function(problem):
    band = Band(problem, choose_cut(problem, math.log(1e-12)))
    with mp.workdps(40):
        terms = [
            mp.expm1(mp.mpf(band.c) * mp.mpf(float(x))) * mp.mpf(float(w))
            for x, w in zip(band.nodes.loss, band.nodes.mass, strict=True)
        ]
        exact = mp.log1p(mp.fsum(terms) - mp.mpf(band.nodes.cut_mass))
        error = abs(mp.mpf(band.log_mgf) - exact)
    assert error <= band.nodes.mgf_rounding(band.c)


# ---- quadrature: a bound, against mpmath ------------------------------------------------------

ODD = [
    (Problem(PowerNoise(2.3), 0.037, 0.41, 61), 4.7, 90.0),
    (Problem(PowerNoise(0.7), 0.011, 0.23, 350), 9.1, 250.0),
    (Problem(PowerNoise(6.1), 0.4, 1.7, 31), 1.3, 6.0),
    (Problem(IteratedExponentialNoise(), 0.021, 0.09, 97), 3.3, 40.0),
]


def integrand(problem, s):
    """(e^(sl) − 1, or 1) times the density of y, at many digits, from the definitions."""
    f, v = oracles.exponent(problem.noise), mp.mpf(problem.shift)
    log_z, span = oracles.log_normaliser(problem.noise), 2 - mp.mpf(problem.shift)

    def g(y):
        distance = v + span / (1 + mp.exp(2 * y))  # 1 − u
        jacobian = 2 * span / (2 + mp.exp(2 * y) + mp.exp(-2 * y))
        here = f(distance)
        growth = 1 if s is None else mp.expm1(s * (f(distance - v) - here))
        return growth * mp.exp(-here - log_z) * jacobian

    return g


@pytest.mark.parametrize(
    ("case", "order"), chosen(product(ODD, (4, 10)), zip(ODD[::2], [4, 10], strict=True))
)
def test_the_quadrature_error_is_below_its_bound(monkeypatch, case, order):
    """By rules of so few nodes that there is an error to be seen."""
    problem, tilt, height = case
    monkeypatch.setattr(quadrature, "_ORDER", 2 * order)
    edges = np.linspace(-0.8, 0.2, 21)
    nodes = Nodes(problem, edges, -700.0, leggauss(order))
    found = nodes.mass * np.expm1((tilt + 1j * height) * nodes.loss)
    mass = nodes.mass.reshape(edges.size - 1, -1).sum(axis=1)
    bounds = np.exp(
        np.minimum(quadrature.log_errors(problem, edges[:-1], edges[1:], tilt, height), 300.0)
    )
    with mp.workdps(25):
        g, density = integrand(problem, mp.mpc(tilt, height)), integrand(problem, None)
        pieces = [np.linspace(a, b, 3).tolist() for a, b in pairwise(edges)]
        truth, true_mass = (
            np.array([complex(mp.quad(h, piece, method="gauss-legendre")) for piece in pieces])
            for h in (g, density)
        )
    errors = np.abs(found.reshape(edges.size - 1, -1).sum(axis=1) - truth)
    assert np.all(errors <= bounds[0] + 1e-13)
    assert np.all(np.abs(mass - true_mass) <= bounds[1] + 1e-13)
    telling = bounds[0] < 1e-2  # a bound that says something, of an error that is there
    assert telling.any()
    assert order == 10 or errors[telling].max() > 1e-12


@pytest.mark.parametrize(("problem", "tilt", "height"), ODD)
def test_panels_are_halved_until_the_bound_is_small(problem, tilt, height):
    s, goal = tilt + 10j * height, math.log(1e-12)
    edges, errors = quadrature.refined(
        problem,
        np.linspace(problem.left_end, 0.2, 4),
        tilt=s.real,
        height=s.imag,
        goals=lambda left: np.full(left.size, goal),
        most=500,
    )
    assert errors[0].max() <= goal
    assert edges.size < 120
    nodes = Nodes(problem, edges, -700.0, FINE)
    finer = Nodes(problem, np.sort(np.append(edges, (edges[1:] + edges[:-1]) / 2)), -700.0, FINE)
    sums = [n.mass @ np.expm1(s * n.loss) for n in (nodes, finer)]
    assert abs(sums[0] - sums[1]) <= 1e-12 * edges.size


# ---- what is estimated, and the margins it gets ------------------------------------------------

MARGINS = [
    Problem(PowerNoise(0.6), 0.0051, 0.53, 37),
    Problem(PowerNoise(1.3), 2.7e-4, 0.17, 1213),
    Problem(PowerNoise(6.1), 5e-6, 0.31, 7e5),
    Problem(IteratedExponentialNoise(), 0.002, 0.53, 37),
]


@pytest.mark.parametrize("problem", MARGINS)
def test_the_margins_of_the_height_cover_the_estimates(problem):
    band = Band(problem, choose_cut(problem, math.log(3e-8) - 11))
    y = np.linspace(problem.left_end, band.top.y, 200_001)
    loss, log_density = problem.losses(y)
    density = np.exp(log_density + band.c * loss - band.log_mgf) / np.gradient(loss, y)
    truth = np.abs(np.diff(density)).sum() + density[0] + density[-1]
    rise = np.diff(band.nodes.loss) / np.diff(band.nodes.y)
    of_nodes = np.exp(band.nodes.log_density + band.c * band.nodes.loss - band.log_mgf)
    estimate = contour._variation((of_nodes[1:] + of_nodes[:-1]) / 2 / rise)
    assert truth < estimate
    assert abs(estimate / contour._VARIATION / truth - 1) < 0.01

    line = Contour(band, 1e-6)
    few = slice(None, None, 100)
    law = np.exp(log_density[few] + band.c * loss[few])
    law /= law.sum()
    apart = np.abs(loss[few][:, None] - loss[few])
    deviation = math.sqrt(float(band.law @ (band.nodes.loss - band.mean) ** 2))
    for reach in deviation * np.array([0.3, 1.0, 3.0, 10.0]):
        square = law @ (apart**2 * (apart <= reach)) @ law
        t = 1e-3 * math.pi / reach
        log_phi = line._log_phi_by_moments(np.array([t]), np.array([reach]))[0]
        used = -math.expm1(2 * log_phi) / (2 * (t / math.pi) ** 2)
        assert used <= 0.85 * square


@pytest.mark.parametrize("problem", MARGINS)
def test_the_survey_s_moment_generating_function_is_good_to_its_margin(problem):
    band = Band(problem, choose_cut(problem, math.log(3e-8) - 11))
    edges = np.linspace(problem.left_end, band.top.y, 81)
    finer = Nodes(problem, edges, band.top.log_mass, FINE).log_mgf(np.array([band.c]))[0]
    assert problem.queries * abs(band.log_mgf - finer) < 1e-9
