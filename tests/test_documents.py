"""README and docs do what they say: Python runs, links lead somewhere, excerpts are true."""

import ast
import importlib.util
import re

import pytest

from dpviz.results.folders import ROOT
from dpviz.results.version import VERSION
from dpviz.scene.catalogue import PAGES
from tests.support.declarations import page

README = ROOT / "README.md"
DOCUMENTS = [README, *sorted(ROOT.glob("docs/**/*.md"))]
OTHERS = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
FENCE = r"\n(.*?)^```$"


def read(file):
    return file.read_text(encoding="utf-8")


def blocks(file, language):
    return re.findall(rf"^```{language}{FENCE}", read(file), re.MULTILINE | re.DOTALL)


def of_docs(name):
    return read(ROOT / "docs" / name)


STEP_BY_STEP = ROOT / "docs" / "sweeps.md"
ALONE = [
    (file, code) for file in DOCUMENTS if file != STEP_BY_STEP for code in blocks(file, "python")
]
EXCERPT = re.compile(rf"^<!-- from (\S+) -->\n```\w+{FENCE}", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("file", "code"), ALONE, ids=lambda part: getattr(part, "name", ""))
def test_python_blocks_run(file, code):
    exec(compile(code, file.name, "exec"), {})


def test_there_are_blocks_to_run():
    assert {file.name for file, _ in ALONE} == {"README.md", "numbers.md", "bounded-noise.md"}


def test_the_example_runs_from_its_first_block_to_its_last(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile("".join(blocks(STEP_BY_STEP, "python")), "sweeps.md", "exec"), {})
    assert len(read(tmp_path / "sweep.csv").splitlines()) == 9


def test_the_worked_example_is_the_view_itself():
    excerpts = EXCERPT.findall(of_docs("adding-a-view.md"))
    assert len(excerpts) >= 5
    for path, code in excerpts:
        assert code in read(ROOT / path), path


def test_the_changelog_speaks_of_this_version():
    [newest, *_] = re.findall(r"^## ([0-9.]+)", read(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert newest == VERSION
    assert f"version: {VERSION}\n" in read(ROOT / "CITATION.cff")


def test_the_readme_is_one_screen_and_its_commands_need_nothing_but_python():
    assert len(read(README).splitlines()) <= 120
    run, test = blocks(README, "sh")
    assert run.startswith("python3 -m venv .venv && .venv/bin/pip install -q -r requirements.lock")
    assert run.strip().endswith("streamlit run app.py --server.address 127.0.0.1")
    assert test.strip().endswith(".venv/bin/pytest")


def test_every_page_has_a_section_that_links_to_its_views_as_they_are():
    sections = of_docs("pages.md").split("\n## ")[1:]
    for entry, section in zip(PAGES, sections, strict=False):
        assert section.startswith(f"{entry.title}\n\n{entry.question}\n\n")
        links = re.findall(r"\[([^\]]+)\]\((http[^)]+)\)", section)
        assert [(" ".join(title.split()), address) for title, address in links] == [
            (view.title, f"http://localhost:8501/{entry.slug}?view={view.key}")
            for view in page(entry.slug).views
        ]


@pytest.mark.parametrize("file", DOCUMENTS + OTHERS, ids=lambda file: file.name)
def test_what_it_links_to_exists(file):
    text = read(file)
    targets = re.findall(r"\]\((?!http)([^)]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for target in targets:
        named, _, section = target.partition("#")
        assert (file.parent / named).exists(), target
        if section:
            headings = re.findall(r"^#+ (.*)$", read(file.parent / named), re.MULTILINE)
            assert section in {one.lower().replace(" ", "-") for one in headings}, target


@pytest.mark.parametrize("file", DOCUMENTS + OTHERS, ids=lambda file: file.name)
def test_the_paths_it_names_exist(file):
    folders = "app|assets|benchmarks|docs|dpviz|hosting|pages|tests"
    for path in re.findall(rf"`((?:{folders})/[\w/.-]+)`", read(file)):
        assert (ROOT / path).exists(), path


def test_every_document_can_be_reached_from_the_readme():
    linked = set(re.findall(r"\]\((docs/[\w/-]+\.md)\)", read(README)))
    assert linked == {str(file.relative_to(ROOT)) for file in DOCUMENTS if file != README}


def test_modules_it_calls_public_exist():
    section = of_docs("numbers.md").partition("These modules are public")[2].partition("\n## ")[0]
    table = "".join(line for line in section.splitlines() if line.startswith("| `"))
    names = re.findall(r"`(dpviz[\w.<>]+)`", table)
    assert len(names) >= 10
    for name in names:
        for topic in PAGES if "<topic>" in name else PAGES[:1]:
            assert importlib.util.find_spec(name.replace("<topic>", topic.slug)), name


def said(tree):
    """Every text of a module but those that stand alone, as docstrings do."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_what_readers_see_speaks_of_errors_and_nothing_errs():
    """docs/style.md: error is the field's noun; err is its symbol in formulas only."""
    assert list(said(ast.parse('"""Errs."""\nx = f"noise errs {1}"'))) == ["noise errs "]
    modules = [*ROOT.glob("dpviz/**/*.py"), *ROOT.glob("pages/*.py")]
    texts = [(path, text) for path in modules for text in said(ast.parse(read(path)))]
    texts += [(path, read(path)) for path in ROOT.glob("assets/prose/*.md")]
    texts += [(path, read(path)) for path in ROOT.glob("assets/lectures/*.json")]
    errs = re.compile(r"(?<!mathrm\{)\berr(s|ed|ing)?\b", re.IGNORECASE)
    assert not {path.name for path, text in texts if errs.search(text)}
