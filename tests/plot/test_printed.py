"""Figures for papers: size, type, dashes in place of colours, and fonts that are missing."""

import re
import struct
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from dpviz.plot import typefaces
from dpviz.plot.printed import ONE_COLUMN, TWO_COLUMNS, Sheet, in_points, italic, printed
from dpviz.plot.typefaces import FontError, families, folders_of, lacking
from dpviz.results.folders import ASSETS
from dpviz.serve import files
from dpviz.serve.link_results import computed, opened
from tests.support.declarations import SLUGS, opening, page
from tests.support.declarations import opened as view_of
from tests.support.examples import chosen

USUAL = [("clipping", "people"), ("bounded_noise", "noise"), ("few_users", "mistakes")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def errors():
    scene, _ = opened("bounded_noise?view=errors&units=absolute")
    return scene, computed(scene)


def drawn(errors, sheet):
    scene, progress = errors
    return printed(lambda theme: scene.view.figure(progress.result, theme), sheet)


@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMNS, 2.0])
@pytest.mark.parametrize("points", [7.0, 8.0])
def test_a_figure_is_as_wide_as_its_column_and_its_type_as_large(width, points):
    scene, _ = opened("bounded_noise?view=errors")  # whose value is larger on the page
    errors = scene, computed(scene)
    root = ET.fromstring(drawn(errors, Sheet(width, points)))
    assert root.attrib["width"] == f"{width:g}in"
    across = float(root.attrib["viewBox"].split()[2])
    sizes = {float(e.attrib["font-size"]) for e in root.iter(f"{SVG}text")}
    assert max(sizes) * width * 72 / across == pytest.approx(points, rel=0.01)
    assert min(sizes) * width * 72 / across >= points - 1.2
    pdf = ET.fromstring(in_points(drawn(errors, Sheet(width, points))))
    assert float(pdf.attrib["width"]) == pytest.approx(72 * width)


def test_nothing_is_said_but_what_the_figure_needs(errors):
    scene, progress = errors
    text = files.contents("svg", scene, progress, "https://x.org/y", sheet=Sheet()).decode()
    words = " ".join("".join(e.itertext()) for e in ET.fromstring(text).iter(f"{SVG}text"))
    assert "https://" not in words
    assert "dpviz" not in words
    assert scene.view.headline(progress.result) not in words
    assert "Queries answered" in words


@pytest.mark.parametrize("sheet", [None, Sheet()])
def test_exponents_are_raised_in_files_too(sheet):
    scene, _ = opened("bounded_noise?view=best&show=power")
    text = files.contents("svg", scene, computed(scene), "", sheet=sheet).decode()
    words = ["".join(e.itertext()) for e in ET.fromstring(text).iter(f"{SVG}text")]
    assert any("(1 − u²)⁻ᵖ" in said for said in words)
    assert not any("^" in said for said in words)


@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMNS])
def test_every_curve_is_told_from_every_other_without_colour(errors, width):
    root = ET.fromstring(drawn(errors, Sheet(width, curves="all")))
    looks = [
        (e.attrib.get("stroke-dasharray"), e.attrib["stroke-width"])
        for e in root.iter(f"{SVG}path")
        if e.attrib.get("fill") == "none"
    ]
    assert len(looks) >= 7
    for (dash, width), (other, wide) in combinations(looks, 2):
        weights = sorted((float(width), float(wide)))
        assert dash != other or weights[1] > 1.8 * weights[0]


@pytest.mark.parametrize(
    ("slug", "key"),
    chosen([(slug, view.key) for slug in SLUGS for view in page(slug).views], USUAL),
)
@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMNS])
def test_every_view_can_be_printed(slug, key, width):
    found, scene = opening(page(slug), key), view_of(page(slug), key)
    root = ET.fromstring(files.contents("svg", scene, found, "", sheet=Sheet(width)))
    assert root.attrib["width"] == f"{width:g}in"
    assert float(root.attrib["height"].removesuffix("in")) < 9


def test_a_long_name_is_broken_and_keeps_to_its_column():
    scene, _ = opened("adaptive_analysis?view=queries&show_best=1")
    root = ET.fromstring(drawn((scene, computed(scene)), Sheet(2.0, curves="all")))
    lines = ["".join(e.itertext()) for e in root.iter(f"{SVG}text")]
    [begins] = [line for line in lines if line.startswith("A fresh part")]
    assert not begins.endswith("for each query")
    places = [float(e.attrib["y"]) for e in root.iter(f"{SVG}text")]
    assert max(places) < float(root.attrib["viewBox"].split()[3])


def test_hundreds_of_pale_points_are_a_small_file():
    scene, _ = opened("bounded_noise?view=noise")
    progress = computed(scene)
    root = ET.fromstring(drawn((scene, progress), Sheet()))
    points = list(root.iter(f"{SVG}circle"))
    assert len(points) > 400
    assert not any("opacity" in point.attrib for point in points)
    assert sum(point.attrib.get("fill-opacity") == "0.5" for point in points) > 400
    assert len(files.contents("pdf", scene, progress, "")) < 150_000


def test_a_pdf_has_the_width_of_the_column_and_its_font(errors):
    scene, progress = errors
    pdf = files.contents("pdf", scene, progress, "", sheet=Sheet(2.5))
    assert pdf.startswith(b"%PDF")
    [box] = re.findall(rb"/MediaBox ?\[([^\]]*)\]", pdf)
    assert float(box.split()[2]) == pytest.approx(180, abs=0.1)
    assert b"/FontFile" in pdf


def test_a_pdf_has_a_title_and_its_symbols_are_in_italics(errors):
    scene, progress = errors
    pdf = files.contents("pdf", scene, progress, "")
    assert b"dpvizSans-Italic" in pdf
    *_, table, _ = pdf.rpartition(b"startxref")[2].split(b"\n", 2)
    [told] = re.findall(rb"/Title <([0-9a-f]+)>", pdf)
    assert bytes.fromhex(told.decode()).decode("utf-16") == scene.view.title
    # the last table of objects says where they stand, and where the one before it is
    begin = int(table)
    number, at = re.match(
        rb"xref\n0 1\n0{10} 65535 f \n(\d+) 1\n(\d{10}) 00000 n \n", pdf[begin:]
    ).groups()
    assert pdf[int(at) :].startswith(number + b" 0 obj\n<< /Title")
    before = int(re.findall(rb"/Prev (\d+)", pdf[begin:])[0])
    assert pdf[before:].startswith(b"xref")


def test_in_one_column_stand_the_curves_that_a_figure_is_about(errors):
    def dashes(sheet):
        root = ET.fromstring(drawn(errors, sheet))
        words = ["".join(e.itertext()) for e in root.iter(f"{SVG}text")]
        lines = [e for e in root.iter(f"{SVG}path") if e.attrib.get("fill") == "none"]
        return len({e.attrib.get("stroke-dasharray") for e in lines}), words

    few, words = dashes(Sheet())
    assert few == 2
    assert "Gaussian, 50%" not in words
    assert "Gaussian, 95%" in words
    for sheet in (Sheet(curves="all"), Sheet(TWO_COLUMNS)):
        many, words = dashes(sheet)
        assert many > 5
        assert any(line.startswith("Gaussian, 50%") for line in words)


def test_symbols_are_set_in_italics():
    assert italic("Queries answered, k") == "Queries answered, <i>k</i>"
    assert italic("ε = 3, a bound") == "<i>ε</i> = 3, a bound"
    assert italic("<b>n</b> users") == "<b><i>n</i></b> users"
    assert italic("it's &lt; 5 A") == "it's &lt; 5 A"


def test_a_missing_font_is_an_error_that_says_so():
    with pytest.raises(FontError, match="no font 'No Such Font'; install it"):
        folders_of("No Such Font")


def test_fonts_are_known_by_the_names_in_their_files(tmp_path, monkeypatch):
    ours = ASSETS / "fonts" / "picture-regular.ttf"
    assert families(ours) == {"dpviz Sans"}
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.TTF").write_bytes(ours.read_bytes())
    (tmp_path / "broken.ttf").write_bytes(ours.read_bytes()[:40])
    (tmp_path / "none.otf").write_bytes(b"")
    (tmp_path / "wild.ttc").write_bytes(b"ttcf" + struct.pack(">II", 0, 2**32 - 1))
    monkeypatch.setattr(typefaces, "folders", lambda: [tmp_path, tmp_path / "nowhere"])
    assert folders_of("DPVIZ sans") == (tmp_path / "deep",)
    with pytest.raises(FontError, match="there is dpviz Sans"):
        folders_of("dpviz")
    assert lacking("dpviz Sans", "Error ε ⁻² 中😀") == {"中", "😀"}


def test_exponents_are_set_where_a_font_lacks_raised_digits(errors, monkeypatch):
    """Latin Modern has ² and ³ alone: 10² and 10⁴ of one axis would be in two fonts."""
    missing = set("⁰¹⁴⁵⁶⁷⁸⁹")
    monkeypatch.setattr(typefaces, "lacking", lambda _, words: missing.intersection(words))
    root = ET.fromstring(drawn(errors, Sheet(font="No Such Font")))
    lines = {"".join(e.itertext()): e for e in root.iter(f"{SVG}text")}
    assert {"102", "104"} <= set(lines)
    for words in ("102", "104"):
        [raised] = lines[words]
        assert raised.text == words[2:]
        assert raised.get("dy") < "0"
    assert not any(line.get("font-family") for line in root.iter(f"{SVG}text"))


def test_a_line_with_a_character_that_a_font_lacks_is_in_ours(errors, monkeypatch):
    monkeypatch.setattr(typefaces, "lacking", lambda _, characters: {"Δ"} & set(characters))
    root = ET.fromstring(drawn(errors, Sheet(font="No Such Font")))
    assert root.attrib["font-family"].startswith("'No Such Font'")
    lines = {"".join(e.itertext()): e.get("font-family", "") for e in root.iter(f"{SVG}text")}
    assert {"Error (Δ)"} < {words for words, font in lines.items() if "Source Sans" in font}
    assert all(bool(font) == ("Δ" in words) for words, font in lines.items())
