"""Private selection: privacy by exact divergences between neighbours, errors as promised."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats

from dpviz.maths.divergence import log_closeness
from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.local import HadamardHistogram, walsh_hadamard
from dpviz.maths.selection.shuffle import (
    NegativeBinomialSum,
    ShuffleSelection,
    exchange_delta,
    least_dispersion,
    least_exchange_dispersion,
    proof_dispersion,
    theorem_dispersion,
)
from dpviz.maths.selection.stable import StableHistogram
from dpviz.maths.truncated_laplace import TruncatedDiscreteLaplace
from dpviz.results.parameters import ParameterError
from tests.support.examples import chosen, examples, some
from tests.support.strategies import outside

few = examples(25)
epsilons = st.sampled_from([0.1, 0.5, 1.0, 2.0])
deltas = st.sampled_from([0.05, 1e-3, 1e-6])


def divergence(first, second, epsilon):
    """The larger hockey-stick divergence, summed naively."""
    forward = np.maximum(first - math.exp(epsilon) * second, 0).sum()
    return max(forward, np.maximum(second - math.exp(epsilon) * first, 0).sum())


def p_value(counts, law):
    assert not counts[law == 0].any()
    expected = law * counts.sum()
    small = expected < 5
    seen = np.append(counts[~small], counts[small].sum())
    wanted = np.append(expected[~small], expected[small].sum())
    return stats.chisquare(seen[wanted > 0], wanted[wanted > 0]).pvalue


def neighbours(counts):
    """All counts with one user less."""
    for i, count in enumerate(counts):
        if count:
            yield np.array([c - (i == j) for j, c in enumerate(counts)])


# Lemma 11.


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.05), (1.0, 1e-3), (2.0, 1e-6)])
def test_the_stable_histogram_is_private_and_no_more(epsilon, delta):
    """Only one count differs between neighbours, and the others are independent of it."""
    mechanism = StableHistogram(epsilon, delta)
    size = 2 * mechanism.error + 4
    laws = [mechanism.released_law(count, size) for count in range(size - 1)]
    exact = [divergence(a, b, epsilon) for a, b in itertools.pairwise(laws)]
    assert laws[0][0] == 1
    assert all(law.sum() == pytest.approx(1) for law in laws)
    assert max(exact) <= delta * (1 + 1e-9)
    # from both sides: the mass of an end is spent, and half of ε would not do
    assert max(exact) == pytest.approx(mechanism.noise.pmf(0).item())
    shorter = TruncatedDiscreteLaplace(epsilon, delta, mechanism.noise.kappa - 1)
    assert shorter.pmf(0) > delta  # a noise two shorter is no longer private
    assert max(exact) > 0.9 * delta * math.exp(-epsilon)
    assert max(divergence(a, b, epsilon / 2) for a, b in itertools.pairwise(laws)) > delta


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [0.4, 1e-3, 1e-200])
def test_the_shortest_noise_is_the_least_whose_ends_fit(epsilon, delta):
    found = TruncatedDiscreteLaplace.shortest(epsilon, delta).kappa
    masses = [TruncatedDiscreteLaplace(epsilon, delta, found - less).log_pmf(0) for less in (0, 1)]
    assert masses[0] <= math.log(delta) + 1e-9
    assert found == 0 or masses[1] > math.log(delta)
    assert found <= TruncatedDiscreteLaplace(epsilon, delta).kappa


@few
@given(counts=st.lists(st.integers(0, 12), min_size=1, max_size=4), epsilon=epsilons, delta=deltas)
def test_selecting_from_the_stable_histogram_is_private(counts, epsilon, delta):
    mechanism = StableHistogram(epsilon, delta)
    law = mechanism.law(counts)
    assert law.sum() == pytest.approx(1)
    for other in neighbours(counts):
        assert divergence(law, mechanism.law(other), epsilon) <= delta * (1 + 1e-9)


def test_the_stable_histogram_draws_from_its_law():
    mechanism = StableHistogram(0.5, 0.05)
    counts = np.array([14, 12, 0, 5])
    rng = np.random.default_rng(0)
    drawn = np.array([mechanism.select(counts, rng) for _ in range(4000)])
    assert p_value(np.bincount(drawn % 5, minlength=5), mechanism.law(counts)) > 1e-3


@few
@given(
    counts=st.lists(st.integers(0, 60), min_size=1, max_size=6),
    epsilon=epsilons,
    delta=deltas,
    seed=st.integers(0, 100),
)
def test_the_stable_histogram_errs_as_little_as_promised_with_certainty(
    counts, epsilon, delta, seed
):
    mechanism = StableHistogram(epsilon, delta)
    released = mechanism.histogram(counts, np.random.default_rng(seed))
    assert np.all(released <= counts)
    assert np.all(released >= np.array(counts) - mechanism.error)
    place = mechanism.select(counts, np.random.default_rng(seed))
    reached = 0 if place < 0 else counts[place]
    assert reached >= max(counts) - mechanism.error
    assert mechanism.error <= 4 + 2 * math.log(1 / delta) / epsilon


# Lemma 12.


@few
@given(
    counts=st.lists(st.integers(0, 20), min_size=1, max_size=5),
    absent=st.integers(0, 3),
    epsilon=epsilons,
)
def test_the_exponential_mechanism_is_purely_private(counts, absent, epsilon):
    every = np.array([*counts, *[0] * absent])
    mechanism = CountExponential(epsilon, every.size)
    law = mechanism.law(every)
    assert law.sum() == pytest.approx(1)
    for other in neighbours(every):
        ratios = np.log(law) - np.log(mechanism.law(other))
        assert np.abs(ratios).max() <= epsilon * (1 + 1e-9)


def test_the_exponential_mechanism_spends_its_epsilon():
    mechanism = CountExponential(1.0, 10**6)
    counts = np.zeros(10**6)
    counts[3] = 1
    ratio = mechanism.law(counts)[3] / mechanism.law(np.zeros(10**6))[3]
    assert math.log(ratio) == pytest.approx(1.0, abs=1e-5)


def test_the_exponential_mechanism_draws_from_its_law_without_listing_the_universe():
    mechanism = CountExponential(0.7, 9)
    items, counts = np.array([7, 2, 4]), np.array([3, 1, 4])
    every = np.zeros(9)
    every[items] = counts
    rng = np.random.default_rng(1)
    drawn = [mechanism.select(items, counts, rng) for _ in range(some(4000))]
    assert p_value(np.bincount(drawn, minlength=9), mechanism.law(every)) > 1e-3
    held = mechanism.law(every)[items].sum()
    assert mechanism.held_probability(counts) == pytest.approx(held)


def test_a_universe_too_large_to_list():
    huge = 10**300
    mechanism = CountExponential(1.0, huge)
    rng = np.random.default_rng(2)
    drawn = [mechanism.select([5], [1], rng) for _ in range(50)]
    assert all(0 <= u < huge for u in drawn)
    assert max(drawn) > huge // 2
    assert mechanism.select([5], [2000], rng) == 5
    # ln |U| / ε votes are about what it takes
    assert mechanism.held_probability([690]) < 0.5 < mechanism.held_probability([692])


@pytest.mark.parametrize("universe", [2, 50, 10**6])
def test_the_exponential_mechanism_rarely_exceeds_its_error(universe):
    """Exactly: the worst counts have one good item, and all others just too bad."""
    mechanism, beta = CountExponential(1.0, universe), 0.05
    error = mechanism.error(beta)
    good = math.ceil(error)
    missed = 1 - mechanism.held_probability([good])
    assert missed <= beta
    assert missed > beta / 10


# Lemma 13.


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_local_message_is_purely_private_and_no_more(epsilon):
    mechanism = HadamardHistogram(epsilon, 6)
    ratios = [
        np.abs(np.log(mechanism.message_law(u, row) / mechanism.message_law(w, row))).max()
        for row in range(mechanism.rows)
        for u, w in itertools.product(range(6), repeat=2)
    ]
    assert max(ratios) == pytest.approx(epsilon)


def test_local_messages_follow_their_law():
    mechanism = HadamardHistogram(1.0, 6)
    rng = np.random.default_rng(3)
    for item, row in ((5, 3), (5, 5), (2, 1)):
        sent = mechanism.randomise(np.full(4000, item), np.full(4000, row), rng)
        ones = np.count_nonzero(sent == 1)
        law = mechanism.message_law(item, row)
        assert stats.binomtest(ones, 4000, law[0]).pvalue > 1e-3


def test_the_transform_is_that_of_the_hadamard_matrix():
    values = np.random.default_rng(4).normal(size=16)
    np.testing.assert_allclose(walsh_hadamard(values), linalg.hadamard(16) @ values)


def test_local_estimates_are_unbiased_and_err_as_promised():
    universe, users, beta = 20, 400, 0.05
    mechanism = HadamardHistogram(1.0, universe)
    items = np.repeat([3, 11, 19], [250, 100, 50])
    truth = np.bincount(items, minlength=universe)
    rng = np.random.default_rng(5)
    errors = np.array([mechanism.histogram(items, rng) - truth for _ in range(600)])
    spread = errors.std(axis=0) / math.sqrt(600)
    assert np.abs(errors.mean(axis=0) / spread).max() < 4
    bound = mechanism.error(users, beta)
    exceed = np.count_nonzero(np.abs(errors).max(axis=1) > bound)
    assert stats.binomtest(exceed, 600, beta, alternative="greater").pvalue > 1e-3
    assert np.abs(errors).max() > bound / 3
    # each estimate is a sum of n signs of variance 1 or nearly so
    assert errors[:, 0].std() == pytest.approx(mechanism.scale * math.sqrt(users), rel=0.1)


# Lemmas 36 to 40.


def divergence_of_totals(epsilon_of_noise, r, epsilon):
    """Both directions, by mpmath, from the definition of the negative binomial law."""
    with mp.workdps(50):
        p = mp.exp(-mp.mpf(2) / 10 * mp.mpf(epsilon_of_noise))
        r, factor = mp.mpf(r), mp.exp(mp.mpf(epsilon))
        mass, total = (1 - p) ** r, [mp.mpf(0), mp.mpf(0)]
        before, y = mp.mpf(0), 0
        while y < 10 or mass > mp.mpf(10) ** -40:
            total[0] += max(mass - factor * before, 0)
            total[1] += max(before - factor * mass, 0)
            before, mass = mass, mass * p * (y + r) / (y + 1)
            y += 1
        return float(max(total))


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    chosen(
        itertools.product((0.2, 0.5, 1.0), (0.4, 1e-2, 1e-6)),
        [(0.2, 1e-2), (0.5, 0.4), (1.0, 1e-6)],
    ),
)
def test_theorem_39_holds_and_how_much_it_leaves(epsilon, delta):
    bucket = NegativeBinomialSum(epsilon, theorem_dispersion(delta))
    exact = math.exp(bucket.log_privacy_delta())
    naive = divergence_of_totals(epsilon, bucket.dispersion, epsilon)
    assert exact == pytest.approx(naive, rel=1e-8)
    assert exact <= delta
    least = least_dispersion(epsilon, delta)
    assert least < bucket.dispersion
    assert divergence_of_totals(epsilon, least, epsilon) <= delta
    assert divergence_of_totals(epsilon, least * 0.999, epsilon) > delta


@pytest.mark.parametrize(("r", "epsilon"), [(0.3, 1.0), (0.9, 0.5), (4.0, 0.05), (4.0, 0.0001)])
def test_both_directions_count(r, epsilon):
    bucket = NegativeBinomialSum(1.0, r)
    exact = math.exp(bucket.log_privacy_delta(epsilon))
    assert exact == pytest.approx(divergence_of_totals(1.0, r, epsilon), rel=1e-8)


def test_estimates_lie_on_the_safe_side():
    rng = np.random.default_rng(6)
    bucket = NegativeBinomialSum(1.0, 3.0)
    for ones in (0, 1, 17, 40):
        bits = np.arange(40) < ones
        for _ in range(50):
            assert bucket.overestimate(bits, rng) >= ones >= bucket.underestimate(bits, rng)


def test_the_shares_of_all_users_add_up_to_the_noise():
    rng = np.random.default_rng(7)
    bucket = NegativeBinomialSum(1.0, 3.0)
    totals = np.array([bucket.overestimate(np.zeros(25, int), rng) for _ in range(5000)])
    law = bucket.noise_pmf(int(totals.max()) + 1)
    law = np.append(law, 1 - law.sum())
    assert p_value(np.bincount(totals, minlength=law.size), law) > 1e-3
    assert totals.mean() == pytest.approx(bucket.mean_noise, rel=0.05)


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-6])
def test_the_error_is_the_quantile_and_the_constant_of_the_proof_suffices(beta):
    delta = 1e-3
    bucket = NegativeBinomialSum(1.0, proof_dispersion(delta, beta))
    quantile = bucket.noise_quantile(beta)
    law = stats.nbinom(bucket.dispersion, bucket.success)
    assert law.sf(quantile) <= beta < law.sf(quantile - 1)
    assert law.sf(2 * bucket.dispersion / bucket.success) <= beta  # T of the proof
    assert quantile <= 2 * bucket.dispersion / bucket.success


def test_shuffled_selection_is_private_when_a_user_changes_buckets():
    """Two buckets change, in opposite directions: the law of both totals, exactly."""
    epsilon, delta = 1.0, 0.1
    mechanism = ShuffleSelection(epsilon, delta, 2, least_dispersion(epsilon / 2, delta / 2))
    f = mechanism.bucket.noise_pmf(some(2000))
    later = np.append(0.0, f[:-1])
    with np.errstate(divide="ignore"):
        first, second = (np.log(np.outer(a, b)).ravel() for a, b in ((f, later), (later, f)))
    exact = math.exp(log_closeness(first, second, epsilon=epsilon))
    assert exact <= delta
    assert exact > delta / 20
    law, other = mechanism.law([5, 4]), mechanism.law([4, 5])
    assert divergence(law, other, epsilon) <= exact


@pytest.mark.parametrize("epsilon", [0.4, 1.0, 2.0])
@pytest.mark.parametrize("dispersion", [1.0, 2.3, 17.0])
def test_an_exchange_costs_what_both_totals_together_show(epsilon, dispersion):
    bucket = NegativeBinomialSum(epsilon / 2, dispersion)
    size = int(stats.nbinom.isf(1e-15, dispersion, bucket.success)) + 2
    f = np.append(bucket.noise_pmf(size), 0.0)
    before = np.append(0.0, f[:-1])  # of X + 1
    first, second = np.outer(before, f), np.outer(f, before)
    expected = np.maximum(first - math.exp(epsilon) * second, 0).sum()
    assert exchange_delta(bucket, epsilon) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    other = np.maximum(second - math.exp(epsilon) * first, 0).sum()
    assert other == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1])
def test_the_least_noise_of_an_exchange_is_private_and_no_more_than_two_counts_need(epsilon, delta):
    least = least_exchange_dispersion(epsilon, delta)
    assert exchange_delta(NegativeBinomialSum(epsilon / 2, least), epsilon) <= delta
    assert least <= max(1.0, least_dispersion(epsilon / 2, delta / 2))
    if least > 1:
        less = NegativeBinomialSum(epsilon / 2, max(least * 0.9999, 1.0))
        assert exchange_delta(less, epsilon) > delta


def test_shuffled_selection_draws_from_its_law():
    mechanism = ShuffleSelection(2.0, 0.1, 4)
    counts = np.array([40, 30, 0, 35])
    rng = np.random.default_rng(8)
    drawn = [mechanism.select(counts, rng) for _ in range(5000)]
    assert p_value(np.bincount(drawn, minlength=4), mechanism.law(counts)) > 1e-3


def test_shuffled_selection_errs_as_promised():
    mechanism = ShuffleSelection(1.0, 1e-3, 50)
    counts = np.append([300, 260], np.zeros(48, int))
    rng = np.random.default_rng(9)
    beta = 0.1
    for _ in range(200):
        estimates = mechanism.estimates(counts, rng)
        assert np.all(estimates <= counts)
        histogram = mechanism.histogram(counts, rng)
        assert np.all(histogram[counts == 0] == 0)
    error = mechanism.error(beta)
    short = [300 - counts[mechanism.select(counts, rng)] for _ in range(400)]
    exceed = sum(s > error for s in short)
    assert stats.binomtest(exceed, 400, beta, alternative="greater").pvalue > 1e-3


# Parameters.


@given(data=st.data())
def test_what_is_out_of_range_is_refused(data):
    epsilon, delta = data.draw(outside("epsilon")), data.draw(outside("delta"))
    for broken in (
        lambda: StableHistogram(epsilon, 0.01),
        lambda: StableHistogram(1.0, delta),
        lambda: CountExponential(epsilon, 5),
        lambda: HadamardHistogram(epsilon, 5),
        lambda: NegativeBinomialSum(epsilon, 3.0),
        lambda: ShuffleSelection(1.0, delta, 5),
        lambda: theorem_dispersion(delta),
    ):
        with pytest.raises(ParameterError):
            broken()


@pytest.mark.parametrize(
    "broken",
    [
        lambda rng: StableHistogram(1.0, 0.1).select([1.5], rng),
        lambda rng: StableHistogram(1.0, 0.1).select([-1], rng),
        lambda rng: CountExponential(1.0, 0).select([], [], rng),
        lambda rng: CountExponential(1.0, 5).select([1, 1], [2, 3], rng),
        lambda rng: CountExponential(1.0, 5).select([7], [2], rng),
        lambda _: CountExponential(1.0, 5).law([1, 2]),
        lambda rng: HadamardHistogram(1.0, 5).select([5], rng),
        lambda _: HadamardHistogram(1.0, 2**21),
        lambda _: NegativeBinomialSum(1.0, 0.0),
        lambda rng: NegativeBinomialSum(1.0, 2.0).randomise([2], rng),
        lambda rng: ShuffleSelection(1.0, 0.1, 3).select([1], rng),
        lambda _: ShuffleSelection(1.0, 0.1, 0),
    ],
)
def test_what_makes_no_sense_is_refused(broken):
    with pytest.raises(ParameterError):
        broken(np.random.default_rng(0))


@pytest.mark.parametrize(("r", "p", "reach"), [(5, 0.8, 30), (44, 0.82, 400)])
def test_the_tail_of_the_noise_is_a_binomial_one_with_t_plus_r_trials(r, p, reach):
    """As the proof of Corollary 40 means; with T trials, as printed, it is only a bound."""
    tail = stats.nbinom.sf(reach, r, 1 - p)
    assert tail == pytest.approx(stats.binom.cdf(r - 1, reach + r, 1 - p))
    assert tail < stats.binom.cdf(r - 1, reach, 1 - p)


def test_selection_counts_zeros_item_by_item():
    """The protocol user by user, as its docstring tells it: the same law as the estimates."""
    mechanism = ShuffleSelection(1.0, 0.01, 3)
    picks = np.repeat([0, 2], [9, 5])
    rng = np.random.default_rng(30)
    answers = []
    for _ in range(3000):
        sent = [mechanism.bucket.randomise((picks != u).astype(int), rng).sum() for u in range(3)]
        answers.append(picks.size - np.array(sent))
    drawn = np.array([mechanism.estimates([9, 0, 5], rng) for _ in range(3000)])
    assert np.all(np.array(answers) <= [9, 0, 5])
    for u in range(3):
        assert stats.ks_2samp(np.array(answers)[:, u], drawn[:, u]).pvalue > 1e-3
