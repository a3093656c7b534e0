"""Whether every address still shows what it showed: ``python -m benchmarks.same_figures``.

    python -m benchmarks.same_figures record FOLDER [--only TOPIC ...]
    python -m benchmarks.same_figures compare FOLDER [--only TOPIC ...] [--words] [--pairs PLACE]

`record`, run before code is changed, writes to FOLDER a packed file for each topic: what its page
and views declare, and for each address what the figure's route answers (headline, detail, notes,
odds, how far it is), its drawings for a wide window and a narrow one, each for both schemes, its
table, what is asked before it is shown and what the answer to that is; digests of what is read off
by pointing. `compare`, run after, computes all of it again, says which
parts of which addresses differ, with `--words` also from what to what, and ends with status 1 if
any do. With `--pairs` it writes to PLACE, for each topic, a page that shows the drawings that
differ, old and new.

Addresses: every view at its defaults, with every choice it offers, under every preset; the scenes
of the lectures that ship; the links, literal states and heavy states in `tests`. They are computed
in this process, at most `--results` results far. A result is due at every look at the clock, so
nothing here depends on how fast the machine is. Views that measure time are left out.
"""

import argparse
import ast
import json
import lzma
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import orjson

from dpviz.plot.schemes import variables
from dpviz.results.folders import ASSETS, ROOT
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import Pace
from dpviz.scene.codec import Choice, Flag, Value, decode_link, encode
from dpviz.scene.lectures import shipped
from dpviz.scene.odds import odds_line
from dpviz.scene.page import Page, csv_text
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import RESULTS, Computation, Progress
from dpviz.serve.lines import Look, adapted, line
from dpviz.ui.server import prepare
from tests.support.declarations import SLUGS, page
from tests.support.heavy import HEAVY
from tests.support.pace import always

State = Mapping[str, Value]
Said = dict[str, Any]  # what an address answers, part by part
_LINK = re.compile(r"(?:^|[/\s\"'`(])([a-z_]+)\?([^\s\"'`)#]+)")
_ROUTE = re.compile(r"/?(?:figure|picture)/([a-z_]+)/([a-z_]+)(?:\.[a-z]+)?")
_WIDE, _NARROW = Look(width=960), Look(width=360, narrow=True)
_READ = ("readings", "scales", "drag", "play")  # kept as a digest
_NAME = re.compile(r'(?<= id=")|(?<=url\(#)')
_LONGEST = 500  # characters of what is printed of a part


# ---- which addresses ------------------------------------------------------------------------


def scenes(declared: Page) -> Iterator[Scene]:
    """Yield every scene to look at, once for each state that its view can tell apart."""
    known = set()
    for view, state in _states(declared):
        query = {key: [_text(value)] for key, value in state.items() if key != "view"}
        if len(declared.views) > 1:
            query["view"] = [view.key]
        values, _ = decode_link(query, declared.url_parameters)
        scene = Scene(declared, view, values)
        if (name := address(scene)) not in known:
            known.add(name)
            yield scene


def address(scene: Scene) -> str:
    """Return the address of a figure, with the parameters of its view alone."""
    own = [scene.page.parameter(key) for key in scene.view.parameters]
    return f"{scene.page.name}/{scene.view.key}?{urlencode(encode(scene.values, own))}"


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return value if isinstance(value, str) else repr(value)


def _states(declared: Page) -> Iterator[tuple[View, State]]:
    views = {view.key: view for view in declared.views}
    for view in declared.views:
        yield view, {}
        for key in view.parameters:
            parameter = declared.parameter(key)
            if isinstance(parameter, Choice):
                yield from ((view, {key: option}) for option in parameter.options)
            elif isinstance(parameter, Flag):
                yield from ((view, {key: on}) for on in (False, True))
    for preset in declared.presets:
        yield declared.open_view(preset.values), preset.values
    linked = [*_lectures(declared), *_tests(declared)]
    for key, state in linked:
        yield views.get(key or declared.unnamed, declared.views[0]), state
    for place, states in HEAVY.items():
        slug, _, key = place.partition("/")
        yield from ((views[key], state) for state in states if slug == declared.name)


def _lectures(declared: Page) -> Iterator[tuple[str, State]]:
    for lecture in shipped().values():
        for scene in lecture.scenes:
            if scene.page == declared.slug:
                yield str(scene.state.get("view", "")), scene.state


def _tests(declared: Page) -> Iterator[tuple[str, State]]:
    """Yield the view, "" for the first, and the state of what tests name in plain sight."""
    for links, calls, pages in _files_of_tests():
        for slug, query in links:
            if slug == declared.name:
                state = {key: values[-1] for key, values in parse_qs(query).items()}
                yield state.get("view", ""), state
        for call in calls:
            if found := _called(call, pages, declared):
                yield found


@cache
def _files_of_tests() -> tuple[tuple[list[Any], list[ast.Call], dict[str, str]], ...]:
    """Return of every file of tests its links, its calls, and its names of pages."""
    texts = [file.read_text(encoding="utf-8") for file in sorted((ROOT / "tests").rglob("*.py"))]
    trees = map(ast.parse, texts)
    return tuple(
        (
            _LINK.findall(text),
            [node for node in ast.walk(tree) if isinstance(node, ast.Call)],
            dict(_named_pages(tree)),
        )
        for text, tree in zip(texts, trees, strict=True)
    )


def _named_pages(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a test gives to pages: ``PAGE = page("promise")``."""
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="page"), args=[ast.Constant(value=str(slug))]),
            ):
                yield name, slug or "home"


def _called(
    call: ast.Call, pages: Mapping[str, str], declared: Page
) -> tuple[str, dict[str, Value]] | None:
    """Return the view and the state that a call names, as far as it does so literally."""
    slug, key, state = "", "", dict[str, Value]()
    for argument in call.args:
        match argument:
            case ast.Name(id=name) if name in pages:
                slug = pages[name]
            case ast.Constant(value=str(text)) if route := _ROUTE.fullmatch(text):
                slug, key = route.groups()
            case ast.Constant(value=str(text)) if text in SLUGS and not slug:
                slug = text or "home"
            case ast.Constant(value=str(text)):
                key = key or text
            case ast.Dict():
                state |= dict(_literals(zip(argument.keys, argument.values, strict=True)))
    if slug != declared.name:
        return None
    named = ((ast.Constant(value=keyword.arg), keyword.value) for keyword in call.keywords)
    state |= dict(_literals(named))
    known = {parameter.key for parameter in declared.url_parameters}
    state = {key: value for key, value in state.items() if key in known}
    key = str(state.get("view", key))
    return (key, state) if key in {view.key for view in declared.views} else None


def _literals(pairs: Any) -> Iterator[tuple[str, Value]]:
    for key, value in pairs:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            try:
                said = ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError):
                said = _number(value)
            if isinstance(said, int | float | str):
                yield key.value, said


def _number(node: ast.expr) -> float | None:
    """Return a number written as a power or a product, such as ``10**5``."""
    match node:
        case ast.BinOp(
            left=ast.Constant(value=int() | float() as left),
            op=ast.Pow(),
            right=ast.Constant(value=int() as right),
        ) if abs(right) < 100:
            return float(left**right)
    return None


# ---- what they show -------------------------------------------------------------------------


def said(scene: Scene, results: int) -> Said:
    """Return what an address answers, part by part, at most `results` results far."""
    RESULTS.clear()
    computation = Computation(scene)
    try:
        for _ in range(results):
            computation.advance()
            if computation.whole:
                break
        progress = computation.progress
        return _words(scene, progress) if progress is not None else {"problem": "no result"}
    except ParameterError as refused:
        return {"problem": str(refused)}
    except Exception as fault:  # the same fault as before is no difference
        return {"fault": f"{type(fault).__name__}: {fault}"}


def _words(scene: Scene, progress: Progress) -> Said:
    result = progress.result
    wide, narrow = (_line(scene, progress, look) for look in (_WIDE, _NARROW))
    answer = wide | {
        "svg narrow": narrow["svg"],
        "legend narrow": narrow["legend"],
        "table": csv_text(result.columns()),
        "meanings": repr(result.meanings),
        "idle": sorted(scene.idle),
        "offers": {key: list(options) for key, options in scene.offers.items()},
    }
    if (prediction := scene.prediction) is not None:
        value = prediction.value(result)
        answer["answer"] = [prediction.answer(result), None if value is None else repr(value)]
        guess = prediction.guess.write(prediction.guess.default)
        for when, look in (("asked", {"ask": True}), ("guessed", {"guess": guess})):
            said = _line(scene, progress, replace(_WIDE, **look))
            answer[f"svg {when}"] = said.pop("svg")
            answer[when] = said
    if (sketch := scene.sketch) is not None:
        answer["sketch"] = [sketch.question, sketch.curve]
    return answer


def _line(scene: Scene, progress: Progress, look: Look) -> Said:
    """Return the line of the route, what is read off its drawing as a digest."""
    view = adapted(scene, look)
    text = line(view, progress.result, look, whole=progress.whole, odds=odds_line(scene))
    parts: Said = orjson.loads(text)
    read = _digest(orjson.dumps([parts.pop(key) for key in _READ]))
    return parts | {"read off": read}


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]


def declaration(declared: Page) -> dict[str, Said]:
    """Return what a page and its views declare, but for functions."""
    usual = {p.key: p.default for p in declared.url_parameters}
    own = {
        "parameters": [_plain(parameter) for parameter in declared.parameters],
        "presets": [[preset.label, dict(preset.values)] for preset in declared.presets],
        "views": [view.key for view in declared.views],
        "promise": repr(declared.promise(usual | {"view": declared.views[0].key})),
    }
    return {f"{declared.name}": own} | {
        f"{declared.name}/{view.key}": {
            part.name: _plain(getattr(view, part.name)) for part in fields(view)
        }
        for view in declared.views
    }


def _plain(value: Any) -> Any:
    """Return a declared value in words: functions only as being there."""
    if callable(value):
        return "a function"
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    try:
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    except TypeError:
        return repr(value)


def shown(declared: Page, results: int) -> dict[str, Said]:
    """Return the declarations of a page, and what each of its addresses answers."""
    found = declaration(declared)
    return found | {address(scene): said(scene, results) for scene in scenes(declared)}


# ---- before and after -----------------------------------------------------------------------


def record(folder: Path, declared: Page, results: int) -> int:
    """Write what a page shows; return how many addresses and declarations that is."""
    folder.mkdir(parents=True, exist_ok=True)
    found = shown(declared, results)
    # Its window is wide enough for drawings of the next addresses, which are nearly the same.
    _file(folder, declared).write_bytes(lzma.compress(_written(found), preset=1))
    print(f"{declared.name}: {len(found)} addresses and declarations", end="", flush=True)
    return len(found)


def _file(folder: Path, declared: Page) -> Path:
    return folder / f"{declared.name}.json.xz"


def _written(found: dict[str, Said]) -> bytes:
    return json.dumps(found, ensure_ascii=False, sort_keys=True).encode()


def compare(
    folder: Path, declared: Page, results: int, *, words: bool, pairs: Path | None = None
) -> int:
    """Print how a page differs from what was written; return at how many addresses.

    words: whether to print what differs, too. pairs: where to write a page that shows both drawings
    of each that differs.
    """
    before = json.loads(lzma.decompress(_file(folder, declared).read_bytes()))
    now = json.loads(_written(shown(declared, results)))
    differing: dict[str, list[str]] = {}
    for name in dict.fromkeys([*before, *now]):
        was, became = before.get(name), now.get(name)
        if was == became:
            continue
        if was is None or became is None:
            differing[name] = []
            print(f"{name}: {'was not there' if was is None else 'is gone'}")
            continue
        parts = [
            part for part in dict.fromkeys([*was, *became]) if was.get(part) != became.get(part)
        ]
        differing[name] = parts
        print(f"{name}: {', '.join(parts)}")
        if words:
            for part in parts:
                print(f"    {part}: {_in_short(was, part)}\n      -> {_in_short(became, part)}")
    if pairs is not None and differing:
        pairs.mkdir(parents=True, exist_ok=True)
        text = side_by_side(before, now, differing)
        (pairs / f"{declared.name}.html").write_text(text, encoding="utf-8")
    print(f"{declared.name}: {len(differing)} of {len(before)} differ", end="", flush=True)
    return len(differing)


def _in_short(said: Said, part: str) -> str:
    """Return what is printed of a part: of a drawing how long it is."""
    if _is_drawing(part) and part in said:
        return f"{len(said[part])} characters of SVG"
    text = repr(said.get(part))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _is_drawing(part: str) -> bool:
    return part.partition(" ")[0] == "svg"


_PAIRS = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Old and new drawings</title>
<style>{variables}
@font-face {{ font-family: "Source Sans"; src: url({fonts}/sans.woff2); font-weight: 100 900 }}
:root {{ color-scheme: light }}
:root:has(#dark:checked) {{ color-scheme: dark }}
body {{ background: var(--ink-background); color: var(--ink-text); font-family: sans-serif }}
h2 {{ font-size: 1rem; overflow-wrap: anywhere }}
div {{ align-items: start; display: flex; gap: 1rem }}
figure {{ flex: 0 1 auto; margin: 0 }}
svg {{ height: auto; max-width: 100% }}
</style><label><input type="checkbox" id="dark"> dark</label>
"""


def side_by_side(
    before: Mapping[str, Said], now: Mapping[str, Said], differing: Mapping[str, list[str]]
) -> str:
    """Return a page, as HTML, with both drawings of each of the addresses that differ in one."""
    fonts = (ASSETS / "fonts").as_uri()
    parts, number = [_PAIRS.format(variables=variables(), fonts=fonts)], 0
    for name, differs in differing.items():
        for part in filter(_is_drawing, differs):
            parts.append(f"<h2>{escape(name)}: {escape(part)}</h2>\n<div>")
            for when, said in (("old", before), ("new", now)):
                number += 1
                drawing = _named_apart(said[name].get(part, ""), number)
                parts.append(f"<figure><figcaption>{when}</figcaption>{drawing}</figure>")
            parts.append("</div>\n")
    return "".join(parts)


def _named_apart(drawing: str, number: int) -> str:
    """Return a drawing whose parts have names that no other one of a page has."""
    return _NAME.sub(f"{number}-", drawing)


def main() -> None:
    """Write or compare, topic by topic."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_figures", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", default=[slug or "home" for slug in SLUGS])
    parser.add_argument("--results", type=int, default=3, help="of each address, at most")
    parser.add_argument("--words", action="store_true", help="print what differs in words")
    parser.add_argument("--pairs", type=Path, help="a folder for pages of what differs")
    given = parser.parse_args()
    prepare()
    setattr(Pace, "due", always)  # noqa: B010  # types forbid to assign a method
    differing = 0
    for name in given.only:
        begin = time.perf_counter()
        declared = page("" if name == "home" else name)
        if given.what == "record":
            record(given.folder, declared, given.results)
        else:
            looks = {"words": given.words, "pairs": given.pairs}
            differing += compare(given.folder, declared, given.results, **looks)
        print(f" ({time.perf_counter() - begin:.0f} s)")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
