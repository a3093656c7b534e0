"""The reference speaks of every public function, in its own words."""

import importlib
import inspect
import re
from html import unescape

import pytest
from starlette.applications import Starlette

from dpviz.results.folders import ROOT
from dpviz.serve import reference
from dpviz.topics import promise
from tests.serve.asgi import asked
from tests.support.declarations import SLUGS, page
from tests.support.examples import chosen
from tests.support.loops import run

APP = Starlette(routes=[reference.route()])


def html_of(path):
    answer = run(asked(APP, f"/reference/{path}"))
    assert answer.status == 200
    return answer.content.decode()


def functions(module):
    return [
        member
        for name, member in vars(importlib.import_module(module)).items()
        if inspect.isfunction(member) and member.__module__ == module and name[0] != "_"
    ]


VIEWS = f"{promise.__name__}.views.odds_after_answers"


@pytest.mark.parametrize("module", [*chosen(reference.PUBLIC, reference.PUBLIC[::3]), VIEWS])
def test_every_public_function_is_there_with_its_words(module):
    html = html_of(reference.address(module).removeprefix("/reference/"))
    plain = " ".join(unescape(re.sub("<[^>]*>", "", html)).split())
    for function in functions(module):
        assert f'id="{function.__name__}"' in html
        first = " ".join(function.__doc__.split()[:3])
        assert re.sub("[`*]", "", first) in re.sub("[`*]", "", plain)
    assert "<script" not in html


def test_what_is_computed_in_steps_is_said_to_return_its_result():
    html = html_of("dpviz/maths/accounting/calibration.html")
    start = html.index('class="name">minimal_radius<')
    signature = re.sub("<[^>]*>", "", html[start : html.index("</section>", start)])
    assert "Bracket" in signature
    assert "Generator" not in signature


def test_the_index_leads_to_every_page():
    html = html_of("")
    for path in reference.modules():
        assert f'href="{path}"' in html


def test_every_view_s_function_has_a_page():
    for slug in SLUGS:
        if slug:
            for view in page(slug).views:
                module = view.compute.__module__
                assert reference.address(module) == f"/reference/{module.replace('.', '/')}.html"
                assert module in reference.modules().values()


@pytest.mark.parametrize("path", ["dpviz/serve/scheduler.html", "os.html", "../app.py", "x"])
def test_nothing_else_is_documented(path):
    assert run(asked(APP, f"/reference/{path}")).status == 404


def test_what_needs_a_package_that_is_missing_is_left_out(monkeypatch):
    monkeypatch.setattr(reference, "find_spec", lambda _: None)
    names = reference.modules.__wrapped__().values()
    assert set(reference.PUBLIC) - set(names) == {"dpviz.maths.accounting.pld"}


def test_it_is_what_the_docs_call_public():
    numbers = (ROOT / "docs" / "numbers.md").read_text(encoding="utf-8")
    section = numbers.partition("These modules are public")[2].partition("\n## ")[0]
    named = re.findall(r"`(dpviz\.[a-z_.]+)`", section)
    assert set(named) == set(reference.PUBLIC)


def test_the_whole_reference_is_written(tmp_path, monkeypatch):
    few = dict(list(reference.modules().items())[:1])
    monkeypatch.setattr(reference, "modules", lambda: few)
    reference.write(tmp_path)
    assert {f.relative_to(tmp_path).as_posix() for f in tmp_path.rglob("*.html")} == {
        "index.html",
        *few,
    }
