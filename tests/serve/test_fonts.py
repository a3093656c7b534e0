"""Pages begin with our small fonts, which have every icon that a page may show."""

import re

import pytest
from PIL import ImageFont
from starlette.applications import Starlette
from starlette.middleware import Middleware

from dpviz.results.folders import ROOT
from dpviz.serve import fonts
from tests.serve.asgi import SHELL, asked
from tests.support.loops import run

ICON = re.compile(r":material/([a-z0-9_]+):")
NOT_AN_ICON = "star_filled"  # named by Streamlit, unknown to Material Symbols


def test_streamlits_page_loads_our_fonts_first():
    made = fonts.lightened(SHELL.read_text(encoding="utf-8"))
    early = re.findall(r'href="([^"]*)"\s+as="font"', made)
    assert early == [f".{fonts.address(name)}" for name in ("sans.woff2", fonts.SERIF)]
    assert made.index(fonts.address(fonts.SERIF)) < made.index("<script")
    assert all(fonts.address(name) in made for name in ("sans.woff2", "sans-italic.woff2"))


@pytest.mark.parametrize("name", fonts.names())
def test_browsers_keep_a_font(name):
    path, _, query = fonts.address(name).partition("?")
    answer = run(asked(Starlette(routes=fonts.routes()), path, query))
    assert answer.content == (fonts.FOLDER / name).read_bytes()
    assert answer.headers["content-type"] == "font/woff2"
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("MaterialSymbols", "icons.woff2"),
        ("SourceSansVF-Upright", "sans.woff2"),
        ("SourceSansVF-Italic", "sans-italic.woff2"),
    ],
)
def test_streamlits_fonts_are_ours(theirs, ours):
    site = Starlette(middleware=[Middleware(fonts.OurFonts)])
    css = (SHELL.parent / "static" / "css").glob("index.*.css")
    [path] = re.findall(rf"media/{theirs}[^)]*", next(css).read_text(encoding="utf-8"))
    answer = run(asked(site, f"/static/{path}"))
    assert answer.headers["location"] == f"../..{fonts.address(ours)}"
    assert answer.headers["cache-control"] == "no-cache"  # a later version may have more letters


def test_every_icon_is_in_the_font():
    scripts = (SHELL.parent / "static" / "js").glob("*.js")
    own = [*(ROOT / "dpviz").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    named = {icon for f in (*scripts, *own) for icon in ICON.findall(f.read_text(encoding="utf-8"))}
    known = set((fonts.FOLDER / "icons.txt").read_text(encoding="utf-8").split())
    assert len(named) > 20
    assert named - {NOT_AN_ICON} <= known


def test_a_sign_that_is_in_none_has_no_font_loaded():
    rules = fonts.own_rules().split("@font-face")
    [ranges] = (re.findall(r"U\+(\w+)(?:-(\w+))?", rule) for rule in rules if "/sans-rare." in rule)
    rare = {sign for a, b in ranges for sign in range(int(a, 16), int(b or a, 16) + 1)}
    assert rare >= set(map(ord, "Łϊ€"))
    assert not rare & set(map(ord, "⌊⌋⌈⌉↦ℝℤℬℐ◄►▲▼"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sans.woff2", "f̂f̃f̄ 10⁻⁶ × é ≥ ′ √ Δ ‖ Ā"),
        ("sans-rare.woff2", "Łā ϊ €"),
        ("sans-italic.woff2", "f̂f̃ é “…”"),
        ("sans-italic-signs.woff2", "⁻⁶ Ā ε ≤"),
        ("sans-italic-rare.woff2", "Łā ϊ €"),
        ("serif.woff2", "10⁻⁶ ε′ × é √ Δ"),
        ("picture-regular.ttf", "(1 − u²)⁻ᵖ f̂ 10⁻⁶ ⊥ √k"),
        ("picture-semibold.ttf", "(1 − u²)⁻ᵖ f̂ 10⁻⁶ ⊥ √k"),
    ],
)
def test_a_font_has_what_pages_say(name, said):
    font = ImageFont.truetype(fonts.FOLDER / name, 40)
    missing = bytes(font.getmask("\ue123"))
    assert [
        letter for letter in said.replace(" ", "") if bytes(font.getmask(letter)) == missing
    ] == []
