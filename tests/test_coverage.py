"""What is declared of a paper's results agrees with the pages, and no result is forgotten."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import decode_link
from dpviz.scene.coverage import LEFT_OUT, Item, coverage, left_out, papers
from dpviz.ui.frame import prose
from tests.support.declarations import page

ROOT = Path(__file__).parents[1]
NAMES = papers()
SLUGS = {entry.slug for entry in PAGES}
KINDS = (
    "Theorem|Lemma|Corollary|Definition|Observation|Algorithm|Proposition|Claim|Remark|Condition"
)


@cache
def words_about(slug):
    """Everything the repository says about a topic: its prose, its theory, the shared theory."""
    files = [ROOT / "assets" / "prose" / f"{slug}.md", ROOT / "pages" / f"{slug}.py"]
    files += [*(ROOT / "dpviz" / "topics" / slug).rglob("*.py")]
    files += [*(ROOT / "dpviz" / "maths").rglob("*.py")]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@cache
def mentioned(text):
    """The results a text names: also "Lemmas 27 and 32 to 35", "Theorems 40 to 46", "Claim 8.6"."""
    found = set()
    text = text.replace("Corollaries", "Corollary")
    for kind, numbers in re.findall(
        rf"\b({KINDS})s? ((?:(?:\d+\.)?\d+|, | and | to | or )+)", text
    ):
        last = None
        for joint, section, digits in re.findall(r"(to )?(\d+\.)?(\d+)", numbers):
            start = last + 1 if joint and last is not None else int(digits)
            found |= {f"{kind} {section}{n}" for n in range(start, int(digits) + 1)}
            last = int(digits)
    return found


def test_ranges_and_lists_of_results_are_understood():
    said = "Lemmas 27 and 32 to 34, Theorem 15; Theorems 4, 9"
    expected = {"Lemma 27", "Lemma 32", "Lemma 33", "Lemma 34", "Theorem 15", "Theorem 4"}
    assert mentioned(said) == expected | {"Theorem 9"}
    assert mentioned("Lemmas 8.2 to 8.4 and 9.") == {
        f"Lemma {n}" for n in ("8.2", "8.3", "8.4", "9")
    }
    assert mentioned("Theorem 8.1.") == {"Theorem 8.1"}


@pytest.mark.parametrize("name", NAMES)
def test_every_view_and_topic_named_exists_and_speaks_of_the_result(name):
    for item in coverage(name).items:
        for address in (*item.live, *item.stated):
            place, _, settings = address.partition("?")
            slug, _, key = place.partition("/")
            assert slug in SLUGS, item
            asked = {name: [text] for name, text in parse_qsl(settings)}
            assert not decode_link(asked, page(slug).url_parameters)[1], item
            assert not key or key in {view.key for view in page(slug).views}, item
            if re.fullmatch(rf"({KINDS}) [\d.]+", item.name) and not item.name.startswith("Def"):
                assert item.name in mentioned(words_about(slug)), (item, slug)
        assert all("/" in place for place in item.live), item
        assert item.live or item.reason, f"{item.name} is not shown, and nobody says why"


@pytest.mark.parametrize("name", NAMES)
def test_no_numbered_result_is_forgotten(name):
    paper = coverage(name)
    names = [item.name for item in paper.items]
    assert len(set(names)) == len(names)
    for kind, count in paper.numbered.items():
        own = re.findall(rf"^({KINDS}) (\d+\.)?(\d+)$", "\n".join(names), re.M)
        others = set(paper.numbered) - {""}
        numbers = [
            int(n) for k, section, n in own if kind in (k, section) and (kind or k not in others)
        ]
        assert sorted(numbers) == [*range(1, count + 1)], kind


@pytest.mark.parametrize("slug", sorted(SLUGS))
def test_a_page_lists_every_result_that_it_does_not_show_in_full(slug):
    reasons = dict(prose(slug)).get(LEFT_OUT, "").splitlines()
    for item in (i for name in NAMES for i in coverage(name).items if slug in i.topics):
        lines = [line for line in reasons if line.endswith(f"**: {item.reason}.")]
        heads = [line.partition("**: ")[0].removeprefix("- **") for line in lines]
        listed = any(item.name == head or item.name in mentioned(head) for head in heads)
        assert listed == bool(item.reason), item


@pytest.mark.parametrize("name", NAMES)
def test_who_looks_for_what_is_absent_is_led_to_a_page(name):
    for item in coverage(name).items:
        assert (item.page in SLUGS) == (item.status == "absent"), item


@pytest.mark.parametrize("slug", sorted(SLUGS))
def test_what_is_listed_is_folded_and_each_fold_says_how_much_it_holds(slug):
    listed = left_out(slug)
    folds = re.findall(r"<details><summary>[^<]+: (\d+)</summary>(.*?)</details>", listed, re.S)
    assert bool(folds) == bool(listed)
    for count, text in folds:
        lines = re.findall(r"^- \*\*(.+?)\*\*: ", text, re.M)
        assert sum(len(mentioned(line)) or 1 for line in lines) == int(count)


def test_results_that_share_a_reason_share_a_line(tmp_path, monkeypatch):
    step = '{ absent = "a step", page = "clipping" }'
    names = ["Lemma 1", "Lemma 2", "Lemma 3", "Corollary 4", "Corollary 5", "Table 1, left"]
    lines = ['paper = "Nobody 2000"', 'page = "promise"', "numbered = {}", "[items]"]
    lines += [f'"{name}" = {step}' for name in names]
    (tmp_path / "invented.toml").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr("dpviz.scene.coverage.DECLARED", tmp_path)
    listed = left_out.__wrapped__("clipping")
    assert "<summary>Not here: 6</summary>\n\n*Nobody 2000*" in listed
    for together in ("Lemmas 1, 2 and 3", "Corollaries 4 and 5", "Table 1, left"):
        assert f"- **{together}**: a step." in listed
    assert left_out.__wrapped__("promise") == ""
    (tmp_path / "another.toml").write_text(
        "\n".join([*lines[:3], "[items]", '"Lemma 9" = { absent = "left" }']), encoding="utf-8"
    )
    assert "- **Lemma 9**: left." in left_out.__wrapped__("promise")


def test_the_table_counts_what_it_lists():
    paper = coverage("ul")
    first, *_, last = paper.rows()
    live = sum(item.status == "live" for item in paper.items)
    assert f": {live} live," in first
    assert paper.items[-1].name in last
    assert Item("Theorem 1", reason="why").status == "absent"
