"""What types.d.ts says of what travels is what the server sends."""

import ast
import json
import re

import pytest

from dpviz.results.folders import ASSETS, ROOT
from dpviz.results.parameters import LIMITS
from dpviz.scene.ranges import description

TYPES = (ROOT / "dpviz" / "scripts" / "types.d.ts").read_text(encoding="utf-8")
LINES = json.loads((ASSETS / "schemas" / "figure.json").read_text(encoding="utf-8"))["$defs"]
SPELT_OUT = {  # in the schema
    "spec?": "object",
    "scales?": "Record<string, number[]>",
    "drag?": "Dragged | null",
    "play?": "Play | null",
    "readings?": "Reading[]",
    "frames?": "Change[][]",
}
_SIMPLE = {"integer": "number", "null": "null"}


def fields(name: str) -> dict[str, str]:
    """The fields of an interface and their types; an optional one ends in "?"."""
    [inner] = re.findall(rf"^export interface {name} {{\n(.*?)^}}", TYPES, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"^  (\w+\??): (.*);$", inner, re.MULTILINE))


def written(schema) -> str:
    """A type of JSON Schema as TypeScript has it."""
    if "$ref" in schema:
        return "Html"
    if "const" in schema:
        return "boolean"
    if "oneOf" in schema:
        return " | ".join(sorted(map(written, schema["oneOf"]), reverse=True))
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if kinds == ["array"]:
        return f"{written(schema['items'])}[]"
    return " | ".join(_SIMPLE.get(kind, kind) for kind in kinds)


def sent(path: str) -> set[str]:
    """The keys of what a file of Python gives to a component as `data`."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    [said] = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "data" and isinstance(node.value, ast.Dict)
    ]
    return {key.value for key in said.keys if isinstance(key, ast.Constant)}


@pytest.mark.parametrize("name", ["Figure", "Problem", "Waiting"])
def test_a_line_is_typed_as_its_schema_has_it(name):
    schema = LINES[name.lower()]
    optional = set(schema["properties"]) - set(schema["required"])
    typed = {
        f"{key}?" if key in optional else key: written(part)
        for key, part in schema["properties"].items()
        if f"{key}?" not in SPELT_OUT
    }
    if name == "Figure":
        typed |= SPELT_OUT
    assert fields(name) == typed


def test_components_are_sent_what_is_typed():
    wanted = {key.removesuffix("?") for key in fields("Wanted")}
    assert wanted == sent("dpviz/ui/stage.py")
    ranged = sent("dpviz/ui/controls/range_control.py") | set(description(LIMITS["epsilon"]))
    assert set(fields("Range")) == ranged
