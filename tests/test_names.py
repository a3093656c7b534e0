"""A name has one meaning: what is a class in the house is no other class elsewhere in it."""

import ast
from collections import defaultdict

from dpviz.results.folders import ROOT

# Topics have their own words, each in its folder; mathematics has the papers'.
HOUSE = ("results", "plot", "scene", "serve", "ui", "shell")


def types():
    """Return where each class and each name of a type is made, by the name."""
    made = defaultdict(set)
    for folder in HOUSE:
        for file in sorted((ROOT / "dpviz" / folder).rglob("*.py")):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                for name in named(node):
                    if name[0].isupper() and name != name.upper():
                        made[name].add(str(file.relative_to(ROOT)))
    return made


def named(node):
    """Yield the names of types that a statement makes."""
    if isinstance(node, ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def test_no_two_types_of_the_house_have_one_name():
    made = types()
    assert {"Landmark", "Cache", "Placeholder", "Slide"} <= made.keys()
    assert {name: files for name, files in made.items() if len(files) > 1} == {}
