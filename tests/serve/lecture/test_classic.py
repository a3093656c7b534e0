"""Our modules as one classic script do what they do as modules."""

from dpviz.serve.lecture import classic
from dpviz.serve.modules import modules
from tests.scripts.test_modules import node

_ENTRY = """import { Grid } from "./grid.js";
import { typeset as written } from "./numbers.js";
import address from "./range_control.js";
import { changed } from "./held.js";
/** Of no use
 * to a reader. */
globalThis.said = [
  // Neither is this.
  new Grid(["1", "2", "4"], true).text(1),
  written("10000", true),
  typeof address, "https://x", // stays
  changed([1, { a: 2 }], ["at", { 1: ["in", { a: ["is", 3] }, []] }]),
];
"""


def test_imports_find_what_modules_export(tmp_path):
    file = tmp_path / "all.cjs"
    file.write_text(f"{classic.script(_ENTRY)}console.log(JSON.stringify(globalThis.said));")
    assert "to a reader" not in file.read_text()
    assert "Neither" not in file.read_text()
    assert node(file).strip() == '["2","10,000","function","https://x",[1,{"a":3}]]'


def test_every_module_can_be_in_one(tmp_path):
    entry = "".join(f'import {{ x as a{n} }} from "./{m}";\n' for n, m in enumerate(modules()))
    made = classic.script(entry)
    assert not [line for line in made.splitlines() if line.startswith(("import ", "export "))]
    file = tmp_path / "all.js"
    file.write_text(made)
    node("--check", file)
