"""What links may name without end is kept within bounds."""

import ast

import pytest

from tests.test_arrows import MODULES

# A cache without bounds may go by these: a few names and small whole numbers that pages declare.
FEW = {
    "name: str",
    "slug: str",
    "column: str",
    "bits: int",
    "bins: int",
    "presenting: bool",
    "limit: Limit",
}


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
