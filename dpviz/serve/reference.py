"""GET /reference/...: the reference of the public core, made of its docstrings by pdoc.

A copy of dpviz explains the version it runs. A page is made when it is first asked for, and kept.
"""

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from dpviz.scene.catalogue import PAGES
from dpviz.serve.clients import CLIENT, Client, network_id
from dpviz.serve.jobs import BusyError
from dpviz.serve.workers import ASIDES

PUBLIC = (
    "dpviz.maths.gaussian",
    "dpviz.maths.bounded_noise",
    "dpviz.maths.dagan_kur",
    "dpviz.maths.accounting.calibration",
    "dpviz.maths.accounting.inverse",
    "dpviz.maths.accounting.pld",
    "dpviz.maths.accounting.tuning",
    "dpviz.maths.tuned_noise",
    "dpviz.maths.joint_noise",
    "dpviz.maths.joint_optimality",
    "dpviz.maths.joint_program",
    "dpviz.maths.cut_joint_noise",
    "dpviz.maths.nested_noise",
    "dpviz.maths.noise_converse",
    "dpviz.maths.one_pair_converse",
    "dpviz.maths.optimal_noise",
    "dpviz.maths.calculator",
    "dpviz.maths.comparison",
    "dpviz.maths.contributions",
    "dpviz.maths.composing",
    "dpviz.maths.mechanisms",
    "dpviz.maths.composed_losses",
    "dpviz.maths.conversions",
    "dpviz.maths.noises",
    "dpviz.maths.cut_noises",
    "dpviz.maths.sweeps",
    "dpviz.maths.laplace_rivals",
    "dpviz.maths.least_noise",
    "dpviz.maths.discrete_noise",
    "dpviz.maths.divergence",
    "dpviz.maths.local_deletion",
    "dpviz.maths.exponential_mechanism",
    "dpviz.maths.selection",
    "dpviz.maths.correlated_sampling",
    "dpviz.results.evidence",
    "dpviz.results.parameters",
    "dpviz.results.user_data",
)
"""The modules whose names are kept, beside the views of all topics."""

_NEEDS = {"dpviz.maths.accounting.pld": "dp_accounting"}  # what may not be installed

_FOLDER = "/reference/"
_INDEX = "index.html"
_making = Lock()


@cache
def modules() -> Mapping[str, str]:
    """Return the public modules by the path of their page."""
    views = (f"dpviz.topics.{entry.slug}.views" for entry in PAGES)
    public = [name for name in PUBLIC if name not in _NEEDS or find_spec(_NEEDS[name])]
    names = [*public, *(name for package in views for name in (package, *_within(package)))]
    return MappingProxyType({f"{name.replace('.', '/')}.html": name for name in names})


def address(module: str) -> str:
    """Return where the page of a public module is."""
    return f"{_FOLDER}{module.replace('.', '/')}.html"


def page(path: str) -> str:
    """Return a page of the reference as HTML; `path` is one of `modules`, or index.html."""
    from pdoc import render  # takes a fifth of a second, and most readers need none of it

    with _making:  # pdoc keeps its settings for the whole process
        render.configure(docformat="markdown", search=False, show_source=False)
        if path == _INDEX:
            return render.html_index(_documented())
        return render.html_module(_documented()[modules()[path]], _documented())


def write(folder: Path, tell: Callable[[str], None] = lambda _: None) -> None:
    """Write the whole reference into a folder. tell: gets how far it is, in words."""
    paths = (_INDEX, *modules())
    for number, path in enumerate(paths, 1):
        tell(f"page {number} of {len(paths)}")
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(path), encoding="utf-8")


def route() -> Route:
    """Return the route of the reference."""
    kept = cache(page)

    async def shown(request: Request) -> Response:
        path = request.path_params["path"] or _INDEX
        if path != _INDEX and path not in modules():
            return PlainTextResponse("There is no such page.\n", 404)
        CLIENT.set(Client(network_id(request)))
        try:
            text = await ASIDES.do(kept, path)
        except BusyError:
            return PlainTextResponse("Ask again in a few seconds.\n", 503, {"Retry-After": "2"})
        return HTMLResponse(text, headers={"Cache-Control": "no-cache"})

    return Route(f"{_FOLDER}{{path:path}}", shown, methods=["GET"])


def _within(package: str) -> list[str]:
    """Return what views compute, not how they are shown."""
    folder = Path(__file__).parents[2].joinpath(*package.split("."))
    names = (file.stem for file in folder.glob("*.py"))
    return sorted(
        f"{package}.{name}" for name in names if name[0] != "_" and not name.endswith("_shown")
    )


@cache
def _documented() -> Mapping[str, Any]:
    from pdoc.doc import Module

    return {name: Module(importlib.import_module(name)) for name in modules().values()}
