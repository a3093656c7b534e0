"""Our modules as one text: browsers run no module from disk, and one packs better than many."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from dpviz.serve.modules import code, modules

_FOLDER = Path(__file__).parent
# What is imported beside the app's modules: what files and books share, and what books have alone.
_SHARED = ("controls.js", "held.js", "../book/search.js")
_IMPORT = re.compile(r'^import ([^"\n]+) from "\./(\w+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (default )?((?:async )?(?:function|class|const)) ?(\w*)", re.MULTILINE
)
_INDENT = re.compile(r"\n\s+")
_DEFAULT = "byDefault"  # the name of what has none
_VALUE = re.compile(r"^export default (?!(?:async )?(?:function|class)\b)", re.MULTILINE)


@cache
def _modules() -> Mapping[str, str]:
    files = (_FOLDER / name for name in _SHARED)
    own = {file.name: code(file.read_text(encoding="utf-8")) for file in files}
    return {**modules(), **own}


def script(entry: str) -> str:
    """Return a script that runs a module: all that it imports, each in a function of its own.

    entry: the module; it imports from "./<name>.js" in lines of their own, as all of them do.
    """
    entry = code(entry)
    inner = _made(name for _, name in _IMPORT.findall(entry)) + _body(entry)
    return f'(() => {{\n"use strict";\n{inner}}})();\n'


def joined(*names: str) -> str:
    """Return these modules and all that they import as one, whose `made` has what each exports.

    Lines are not indented, which saves a fortieth, packed: no text of theirs goes over several.
    """
    return _INDENT.sub("\n", f"{_made(names)}export {{ made }};\n")


def beside(name: str, joint: str) -> str:
    """Return a module that takes what it imports from a `joined` one, which has all of it.

    joint: the name of that one.
    """
    taken = _IMPORT.sub(_taken, _modules()[name])
    return f'import {{ made }} from "./{joint}";\n{taken}'


def _made(names: Iterable[str]) -> str:
    parts, made = ["const made = {};\n"], set[str]()

    def add(name: str) -> None:
        if name in made:
            return
        made.add(name)
        text = _modules()[name]
        for _, other in _IMPORT.findall(text):
            add(other)
        parts.append(f'made["{name}"] = (() => {{\n{_body(text)}}})();\n')

    for name in names:
        add(name)
    return "".join(parts)


def _body(text: str) -> str:
    """Return a module as the body of a function, which returns what it exports."""
    names: dict[str, str] = {}

    def bare(found: re.Match[str]) -> str:
        default, kind, name = found.groups()
        names["default" if default else name] = name or _DEFAULT
        return f"{kind} {name or _DEFAULT}"

    named = _VALUE.sub("export default const = ", _IMPORT.sub(_taken, text))
    body = _EXPORT.sub(bare, named)
    pairs = names.items()
    given = ", ".join(name if name == held else f"{name}: {held}" for name, held in pairs)
    return f"{body}return {{ {given} }};\n" if names else body


def _taken(found: re.Match[str]) -> str:
    """Return an import as an assignment; what has no braces is the default."""
    what, name = found.groups()
    wanted = what.replace(" as ", ": ") if what.startswith("{") else f"{{ default: {what} }}"
    return f'const {wanted} = made["{name}"];'
