"""Below a path: who asks there gets what is at the root elsewhere, and links lead back there."""

import re
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from dpviz.serve import scripts
from dpviz.serve.rooms import sheets
from dpviz.serve.site import Above, Below, at
from tests.serve.asgi import asked
from tests.support.loops import run


def app(base):
    async def ours(request: Request):
        return PlainTextResponse(f"ours {request.base_url}")

    async def theirs(request: Request):
        return PlainTextResponse(f"theirs {request.scope['path']}")

    routes = [Route("/promise", ours), Route("/", ours)]
    placed = [Middleware(Below, base=base), Middleware(Above, base=base, routes=routes)]
    return Starlette(routes=[*routes, Route("/{rest:path}", theirs)], middleware=placed)


@pytest.mark.parametrize(
    ("base", "path", "headers", "said"),
    [
        ("", "/promise", {}, "ours http://here/"),
        ("", "/static/x.js", {}, "theirs /static/x.js"),
        ("", "/promise", {"x-forwarded-prefix": "/dp/"}, "ours http://here/dp/"),
        ("", "/promise", {"x-forwarded-context": "/user/a@b/dp"}, "ours http://here/user/a@b/dp/"),
        ("", "/promise", {"x-forwarded-prefix": "//evil.example"}, "ours http://here/"),
        ("", "/promise", {"x-forwarded-prefix": "/a b\\c"}, "ours http://here/"),
        ("/dp", "/dp/promise", {}, "ours http://here/dp/"),
        ("/dp", "/dp/", {}, "ours http://here/dp/"),
        ("/dp", "/dp/static/x.js", {}, "theirs /dp/static/x.js"),
        ("/dp", "/dpx/promise", {}, "theirs /dp/dpx/promise"),
    ],
)
def test_a_path_before_the_site_is_taken_off_and_known(base, path, headers, said):
    answer = run(asked(app(base), path, "", {"host": "here", **headers}))
    assert answer.content.decode() == said


def test_the_site_without_a_slash_leads_to_itself():
    answer = run(asked(app("/dp"), "/dp", "a=1", {"host": "here"}))
    assert (answer.status, answer.headers["location"]) == (307, "/dp/?a=1")


@pytest.mark.parametrize("page", ["http://here/promise", "http://here/a/b/promise"])
@pytest.mark.parametrize("below", ["", "/x", "/x/y"])
def test_what_a_page_names_is_in_its_site(page, below):
    depth = 1 + below.count("/")
    assert urljoin(page + below, at("/fonts/x", depth)) == urljoin(page, "fonts/x")
    assert urljoin(page + below, at("", depth)) == urljoin(page, ".")


@pytest.mark.parametrize("name", ["open", "phone", "screen", "speaker", "notes", "refused", "word"])
def test_no_page_of_a_room_names_the_root_of_a_host(name):
    said = dict.fromkeys(re.findall(r"\{\{(\w+)\}\}", sheets._template(name)), "w")
    own = {"site", "files", "version", "token", "font", "name", "modules", "stage"}
    page = sheets.sheet(name, **{key: word for key, word in said.items() if key not in own})
    assert not re.findall(r'(?:href|src|action)="/', page)
    assert 'data-site="../"' in page
    assert not re.findall(r'(?:href|src)="/|from "/', scripts.early())
