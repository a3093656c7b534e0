"""What links may name without end is kept within bounds."""

import ast
import functools
import importlib
import inspect
import typing

import pytest

from benchmarks.hostile.hoard import MOST
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.coin_tests import _tosses_law
from dpviz.maths.gaussian_samples import gaussian_difference_law
from dpviz.maths.lattice_law import difference_law
from dpviz.results.caching import Cache, weight
from dpviz.topics.bounded_noise.error_points import _published_radius
from dpviz.topics.bounded_noise.tuned_and_converse import _tuned
from dpviz.topics.clipping.tasks import make_task
from dpviz.topics.propose_test_release.example_sums import _usual
from tests.test_arrows import MODULES, ROOT

# A cache without bounds may go by these: a few names and small whole numbers that pages declare.
FEW = {
    "name: str",
    "family: str",
    "slug: str",
    "column: str",
    "bits: int",
    "bins: int",
    "alone: bool",
    "presenting: bool",
    "limit: Limit",
    "kind: type",
}

# What counts its entries may hold numbers and words; of all else it is told here how few and small.
SMALL = {float, int, bool, str, bytes}
BYTES = {
    "noise_converse._first_levels": 16 * 2**15,
    "covers.cover": 32 * 2**14,
    "rare_points._overlaps": 16 * 2**16,
    "joined_lists._answers": 2**11,
    "enough_counts.local_errors": 4096 * 200,
    "exact_law._log_hypergeometric": 8192 * 1200,  # of the 100 users of a sketch at most
    "problems.packing": 64 * 2**14,
    "calibrating.least_noise": 64 * 2**15,
    "theme._template": 64 * 2**14,
    "theme._subjects": 8 * 2**12,
    "people_shown._specification": 2 * 16 * 2**16,
    "clients.proxies": 8 * 2**14,
    "tuning._found_at": 2048 * 2**10,
    "typefaces.installed": 2**20,
    "lectures.unpack": 8 * 300_000,  # most of a link of 64 kB unpacked: four bytes a letter
}

# What weighs most of all that pages ask each of them for.
HEAVIEST = [
    (_tosses_law, {"examples": 10**6, "rate": 0.5}),
    (difference_law, {"samples": 10**6, "rate": 0.5}),
    (gaussian_difference_law, {"samples": 10**6}),
    (make_task, {"task": "gaussian", "candidates": 64}),
    (make_task, {"task": "noisy_thresholds", "candidates": 64}),
    (_usual, {"m": 10**9, "rate": 0.5}),
    (_tuned, {"epsilon": 1.0, "delta": 1e-6, "queries": 100.0}),
    (
        _published_radius,
        {"noise": PowerNoise(2.0), "epsilon": 1.0, "delta": 1e-6, "queries": 100.0},
    ),
]
ALL = 288 * 10**6  # bytes: what docs/hosting.md says


def endless(decorator: ast.expr) -> bool:
    """Whether it keeps all answers there ever were."""
    text = ast.unparse(decorator)
    return text in ("cache", "functools.cache") or text.startswith("lru_cache(maxsize=None")


FOUND = [
    (module, node)
    for module, file in MODULES.items()
    if "cache" in (text := file.read_text(encoding="utf-8"))
    for node in ast.walk(ast.parse(text))
    if isinstance(node, ast.FunctionDef) and any(map(endless, node.decorator_list))
]


def test_there_are_such_caches():
    assert len(FOUND) > 10


@pytest.mark.parametrize(("module", "node"), FOUND, ids=lambda part: getattr(part, "name", part))
def test_a_cache_without_bounds_goes_by_few_things(module, node):
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    kinds = {ast.unparse(argument) for argument in given}
    assert kinds <= FEW, f"{module}.{node.name} keeps an answer for every {kinds - FEW}"


@pytest.fixture(scope="module")
def declared():
    """All that the modules of dpviz name, once each."""
    modules = [importlib.import_module(name) for name in MODULES if "__main__" not in name]
    return {id(value): value for module in modules for value in vars(module).values()}.values()


def test_a_cache_that_counts_its_entries_holds_small_ones(declared):
    counting = [one for one in declared if isinstance(one, functools._lru_cache_wrapper)]
    bounded = [one for one in counting if one.cache_info().maxsize is not None]
    assert len(bounded) > 15
    for one in bounded:
        name = f"{one.__module__.rpartition('.')[2]}.{one.__name__}"
        if name not in BYTES and one.__module__.startswith("dpviz."):
            assert typing.get_type_hints(one)["return"] in SMALL, f"let {name} count its bytes"


def test_all_that_counts_its_bytes_holds_no_more_together_than_is_said(declared):
    counting = [one for one in declared if isinstance(one, Cache)]
    counting += [one.cache for one in declared if isinstance(getattr(one, "cache", 0), Cache)]
    assert len(counting) > 12
    assert sum(cache.size for cache in counting) + sum(BYTES.values()) <= ALL


def test_the_docs_say_what_caches_may_hold_and_what_the_benchmark_allows():
    hosting = " ".join((ROOT / "docs" / "hosting.md").read_text(encoding="utf-8").split())
    assert f"caches together hold at most {ALL // 10**6} MB" in hosting
    assert f"hoard` says when that is more than {MOST:.0f} MB" in hosting


@pytest.mark.parametrize(
    ("function", "given"), HEAVIEST, ids=lambda part: getattr(part, "__name__", "")
)
def test_the_heaviest_is_kept_and_weighed_whole(function, given):
    """Else it would be computed anew as often as a figure asks, or take more than is counted."""
    function.cache.clear()
    value = function(**given)
    assert function(**given) is value
    for name, part in inspect.getmembers_static(type(value)):
        if isinstance(part, functools.cached_property):
            getattr(value, name)
    assert weight(value) <= function.cache.bytes <= function.cache.size
