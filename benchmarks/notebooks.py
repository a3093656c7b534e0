"""Run the cells of the notebooks in assets/examples, and store what they show below them.

    python -m benchmarks.notebooks [--small]

Figures are stored as the picture that Jupyter shows where nothing is live. --small: only run the
first cells, and store nothing.
"""

import argparse
import ast
import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dpviz.results.folders import ASSETS

EXAMPLES = sorted((ASSETS / "examples").glob("*.ipynb"))


def shown(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any, str]]:
    """Yield each cell of code with the value of its last line, and what it prints."""
    known: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        *before, last = ast.parse("".join(cell["source"])).body
        assert isinstance(last, ast.Expr), "each cell ends in what it shows"
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(ast.Module(before, []), "cell", "exec"), known)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), known)
        yield cell, value, said.getvalue()


def outputs(value: Any, said: str, count: int) -> list[dict[str, Any]]:
    """Return the outputs of a cell as the format of notebooks has them."""
    found: list[dict[str, Any]] = []
    if said:
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(said)})
    if value is not None:
        kinds = {"text/plain": _lines(repr(value))}
        if make := getattr(value, "_repr_mimebundle_", None):
            kinds["image/svg+xml"] = _lines(make()["image/svg+xml"])
        elif make := getattr(value, "_repr_html_", None):
            kinds["text/html"] = _lines(make())
        result = {"data": kinds, "execution_count": count, "metadata": {}}
        found.append({"output_type": "execute_result", **result})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def run(file: Path, *, small: bool = False) -> None:
    """Store what the cells of a notebook show."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    for count, (cell, value, said) in enumerate(shown(notebook), 1):
        cell |= {"execution_count": count, "outputs": outputs(value, said, count)}
        print(f"{file.name}, cell {count}")
        if small and count == 2:
            return
    text = json.dumps(notebook, ensure_ascii=False, indent=1)
    file.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    for example in EXAMPLES:
        run(example, small=options.small)
