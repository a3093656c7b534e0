"""The command `dpviz`, from the repository and from a wheel that is installed elsewhere."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dpviz import __main__ as command
from dpviz.results.folders import ROOT
from dpviz.results.parameters import ParameterError
from dpviz.results.version import VERSION
from dpviz.serve import link_results
from dpviz.serve.computing import Computation
from dpviz.shell import waiting
from dpviz.topics.promise.views.odds_after_answers import odds_after_answers
from tests.serve.lecture.files import packed
from tests.support.declarations import page
from tests.support.examples import only_in_ci, only_in_nightly

LINK = "promise?epsilon=2&view=odds"


def table(text):
    rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("# ")))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def written(tmp_path, kind, link=LINK, *options):
    file = tmp_path / f"figure.{kind}"
    assert command.main(["figure", link, "-o", str(file), *options]) == 0
    return file


def test_the_numbers_of_a_link_are_those_of_the_core(tmp_path):
    declared = page("promise")
    [view] = [view for view in declared.views if view.key == "odds"]
    usual = {p.key: p.default for p in declared.parameters} | view.defaults | {"epsilon": 2.0}
    *_, last = odds_after_answers(**declared.call(declared.arguments(view, usual)))
    expected = last.columns()
    found = table(written(tmp_path, "csv").read_text(encoding="utf-8"))
    assert list(found) == list(expected)
    for name, column in expected.items():
        for text, value in zip(found[name], column, strict=True):
            assert text == str(value) or float(text) == pytest.approx(float(value), nan_ok=True)


def test_the_lines_above_the_numbers_can_be_left_out(tmp_path):
    whole = written(tmp_path, "csv").read_text(encoding="utf-8")
    bare = written(tmp_path, "csv", LINK, "--bare").read_text(encoding="utf-8")
    assert whole.endswith(bare)
    assert all(line.startswith("# ") for line in whole.removesuffix(bare).splitlines())
    assert "# suspicion: probability" in whole
    assert not bare.startswith("#")


def test_every_kind_of_file_is_what_it_says(tmp_path):
    root = ET.parse(written(tmp_path, "svg")).getroot()
    assert any("epsilon=2" in "".join(text.itertext()) for text in root.iter())
    assert "@font-face" in root[0].text  # no machine has to have the font
    dark = written(tmp_path, "svg", LINK, "--dark").read_text(encoding="utf-8")
    assert "#171614" in dark
    assert written(tmp_path, "png").read_bytes().startswith(b"\x89PNG")
    drawn = json.loads(written(tmp_path, "json").read_bytes())
    assert drawn["whole"] is True
    said = re.sub("<[^>]*>", "", drawn["takeaway"]).replace("\N{NO-BREAK SPACE}", " ")
    assert said in written(tmp_path, "html").read_text(encoding="utf-8")
    compile(written(tmp_path, "py").read_text(encoding="utf-8"), "figure.py", "exec")


def test_a_whole_address_will_do(tmp_path):
    link = f"https://dpviz.example.edu/sub/{LINK}"
    assert "https://dpviz.example.edu/sub/promise?" in written(tmp_path, "py", link).read_text()


def test_a_file_names_an_address_only_where_one_is_given(tmp_path):
    assert "://" not in re.sub('xmlns="[^"]*"', "", written(tmp_path, "csv").read_text())
    assert f"# dpviz {VERSION}: {LINK.split('?')[0]}?" in written(tmp_path, "csv").read_text()
    named = written(tmp_path, "csv", LINK, "--site", "https://dpviz.example.edu/").read_text()
    assert f"# dpviz {VERSION}: https://dpviz.example.edu/promise?" in named


def test_a_figure_is_printed_for_a_column(tmp_path):
    options = ("--width", "84 mm", "--points", "7")
    assert written(tmp_path, "pdf", LINK, *options).read_bytes().startswith(b"%PDF")
    root = ET.parse(written(tmp_path, "svg", LINK, *options)).getroot()
    assert float(root.attrib["width"].removesuffix("in")) == pytest.approx(84 / 25.4, abs=1e-4)


def test_a_point_is_that_of_tex(tmp_path):
    root = ET.parse(written(tmp_path, "svg", LINK, "--width", "229.5pt")).getroot()
    assert float(root.attrib["width"].removesuffix("in")) == pytest.approx(229.5 / 72.27, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--width", "3.3"), "--width must be from 1.5in to 20in, as in 3.3in"),
        (("--width", "nanin"), "--width must be"),
        (("--width", "1e999in"), "--width must be"),
        (("--width", "1.2.3in"), "--width must be"),
        (("--width", "99in"), "--width must be"),
        (("--points", "1e9"), "--points must be from 4 to 24"),
        (("--font", "No Such Font"), "no font 'No Such Font'"),
        (("--font", 'a";b'), "--font must be the name of a font"),
    ],
)
def test_a_sheet_that_cannot_be_is_refused(options, words, tmp_path, capsys):
    assert command.main(["figure", LINK, "-o", str(tmp_path / "a.pdf"), *options]) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_figure_starts_nothing_of_the_app(tmp_path):
    code = (
        "import sys; from dpviz.__main__ import main\n"
        f"for kind in ('svg', 'html'):\n"
        f"    assert main(['figure', {LINK!r}, '-o', {str(tmp_path / 'a.')!r} + kind]) == 0\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    app = {"streamlit", "starlette", "pandas", "plotly", "altair", "dpviz.ui"}
    assert not app & set(done.stdout.split())
    assert "dpviz.serve.files" in done.stdout.split()


@pytest.mark.parametrize(
    ("link", "file", "words"),
    [
        ("nowhere?epsilon=1", "a.svg", "must lead to one of promise, bounded_noise"),
        ("http://[x/promise", "a.svg", "this is no link"),
        (LINK, "a.gif", "must end in one of svg, png"),
        ("clipping?view=real&data=own", "a.csv", "does not carry a reader's own data"),
        (LINK, "missing/a.svg", "there is no folder"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(link, file, words, tmp_path, capsys):
    assert command.main(["figure", link, "-o", str(tmp_path / file)]) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


GARBLED = [
    ("promise?view=odds&epsilon=nan", "  epsilon: 'nan' is not a finite number; using 1.\n"),
    ("promise?view=odds&epsilon=-4", "  epsilon: '-4' is not a number from"),
    ("promise?view=odds&epsilom=2", "  Left out, as this page has no such parameter: 'epsilom'.\n"),
    ("promise?view=odd", "  view: 'odd' is not one of "),
    ("clipping?view=real&threshold=20", "  threshold: 20 is more than can be used here; using 8"),
]


@pytest.mark.parametrize(("link", "words"), GARBLED)
def test_a_link_that_cannot_be_read_as_it_stands_is_refused(link, words, tmp_path, capsys):
    assert command.main(["figure", link, "-o", str(tmp_path / "a.csv")]) == 2
    assert not list(tmp_path.iterdir())
    said = capsys.readouterr().err
    assert words in said
    assert "--lenient draws it so" in said
    assert "**" not in said
    assert "`" not in said


def test_how_a_page_is_shown_is_no_mistake_in_its_link():
    shown = "embed=true&embed_options=dark_theme&present=1&tab=source&scene=2&users=5"
    scene, notes = link_results.opened(f"{LINK}&{shown}")
    assert (scene.values, notes) == (link_results.opened(LINK)[0].values, ())


def test_what_cannot_be_read_is_said_and_takes_its_default_if_that_will_do(tmp_path, capsys):
    garbled = written(tmp_path, "csv", "promise?view=odds&epsilon=nan", "--lenient").read_text()
    assert "dpviz: epsilon: 'nan' is not a finite number" in capsys.readouterr().err
    assert garbled == written(tmp_path, "csv", "promise?view=odds").read_text()


@pytest.mark.parametrize(
    ("file", "options", "words"),
    [
        ("a.csv", "--dark", "--dark has no effect on a .csv; it is for .svg or .png"),
        ("a.pdf", "--dark", "--dark has no effect on a .pdf"),
        ("a.svg", "--bare", "--bare has no effect on a .svg; it is for .csv"),
        ("a.png", "--width 3.3in", "--width has no effect on a .png; it is for .svg or .pdf"),
        ("a.csv", "--points 7", "--points has no effect on a .csv"),
        ("a.png", "--curves all", "--curves has no effect on a .png; it is for .svg or .pdf"),
        ("a.pdf", "--width 6.9in --curves all", "--curves has no effect on so wide a figure"),
        ("a.json", "--site https://a.example", "--site has no effect on a .json"),
        ("a.svg", "--width 3.3in --dark", "--dark has no effect on a figure for a paper (--width)"),
    ],
)
def test_an_option_without_effect_is_refused(file, options, words, tmp_path, capsys):
    typed = ["figure", LINK, "-o", str(tmp_path / file), *options.split()]
    assert command.main(typed) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_a_command_that_takes_its_time_says_how_far_it_is(stream, tmp_path, monkeypatch):
    errors = stream()
    monkeypatch.setattr(sys, "stderr", errors)
    monkeypatch.setattr(waiting, "_SILENT", 0.0)
    seen = threading.Event()
    advance = Computation.advance

    def told(self):
        advance(self)
        assert seen.wait(60)  # until something was said: a machine may be slow

    monkeypatch.setattr(Computation, "advance", told)
    watched = waiting.Waiting._beat

    def beat(self):
        write = errors.write
        monkeypatch.setattr(errors, "write", lambda text: (write(text), seen.set())[0])
        watched(self)

    monkeypatch.setattr(waiting.Waiting, "_beat", beat)
    assert command.main(["figure", LINK, "-o", str(tmp_path / "a.csv")]) == 0
    text = errors.getvalue()
    assert re.match(r"\r?dpviz: computing, \d+ s so far", text)
    assert text.endswith("\r" if stream is Terminal else "\n")


def test_a_refusal_of_the_core_is_passed_on(tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise ParameterError("epsilon", "must be small", 1.0)

    monkeypatch.setattr(link_results, "computed", refuse)
    assert command.main(["figure", LINK, "-o", str(tmp_path / "a.csv")]) == 2
    assert "epsilon" in capsys.readouterr().err


def lecture_file(tmp_path, **parts):
    scene = {"page": "promise", "state": {"view": "odds", "epsilon": "2"}, "prompt": "Then?"}
    file = tmp_path / "lecture.json"
    file.write_text(json.dumps({"title": "Mine", "scenes": [scene]} | parts), encoding="utf-8")
    return str(file)


def test_who_interrupts_a_command_meets_no_traceback(tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(link_results, "computed", interrupted)
    assert command.main(["figure", LINK, "-o", str(tmp_path / "a.svg")]) == 130
    assert "Traceback" not in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_lecture_becomes_one_file(tmp_path, capsys):
    out = str(tmp_path / "a.html")
    options = ["-o", out, "--seconds", "0", "--site", "https://dpviz.example.edu"]
    assert command.main(["lecture", lecture_file(tmp_path), *options]) == 0
    html = Path(out).read_text(encoding="utf-8")
    assert "<title>Mine</title>" in html
    assert len(packed(html, 'class="scene"')) == 1
    [[page]] = packed(html, 'id="handouts"')
    assert page["link"].startswith("https://dpviz.example.edu/promise?view=odds")
    assert re.search(r"\d\.\d MB", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"scenes": []}, "damaged"),
        ({"scenes": [{"page": "promise"}]}, "holds no lecture"),
        ({"scenes": 1}, "holds no lecture"),
    ],
)
def test_what_is_no_lecture_is_refused_in_words(parts, words, tmp_path, capsys):
    out = tmp_path / "a.html"
    assert command.main(["lecture", lecture_file(tmp_path, **parts), "-o", str(out)]) == 2
    assert words in capsys.readouterr().err
    assert command.main(["lecture", str(tmp_path / "none.json"), "-o", str(out)]) == 2
    assert not out.exists()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what a wheel of dpviz installs; its dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import hatchling.build as b, sys; print(b.build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


APP = """
import pathlib, dpviz
from streamlit.testing.v1 import AppTest
from dpviz.results.folders import ROOT
assert ROOT == pathlib.Path(dpviz.__file__).parent / "site", ROOT
assert (ROOT / ".streamlit" / "config.toml").is_file()
app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run()
assert not app.exception, app.exception
assert not app.switch_page("pages/clipping.py").run().exception, app.exception
print("fine")
"""


@only_in_nightly
def test_a_wheel_carries_the_app_along(installed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    options = {"cwd": tmp_path, "env": environment, "check": True, "text": True}
    drawn = subprocess.run([sys.executable, "-c", APP], capture_output=True, **options)
    assert drawn.stdout.strip() == "fine"
    link = "clipping?view=real"  # whose data are a file beside the code
    subprocess.run([sys.executable, "-m", "dpviz", "figure", link, "-o", "a.csv"], **options)
    here = written(tmp_path, "csv", link).read_text(encoding="utf-8")
    assert Path(tmp_path / "a.csv").read_text(encoding="utf-8") == here


@pytest.mark.skipif(os.name == "nt", reason="no process takes the place of another there")
def test_who_ends_the_command_ends_the_server_that_a_network_reaches(monkeypatch):
    begun = []
    monkeypatch.setattr(subprocess, "call", lambda *_: 0)
    monkeypatch.setattr(os, "execv", lambda program, words: begun.append((program, words)))
    command.start(["--server.port=8600"])
    [(program, words)] = begun
    assert program == words[0] == sys.executable
    assert words[-2:] == ["--server.address=127.0.0.1", "--server.port=8600"]
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")
    command.start([])
    assert begun[-1][1][-1].endswith("app.py")


def test_a_class_reaches_the_app_and_is_told_where(monkeypatch, capsys):
    started = []
    monkeypatch.setattr("dpviz.serve.local_network.own_addresses", lambda: ["192.168.1.5"])
    monkeypatch.setattr(command, "start", lambda options: started.append(list(options)) or 0)
    assert command.main(["--class", "--server.port=8600"]) == 0
    assert started == [
        [
            "--server.address",
            "0.0.0.0",
            "--browser.serverAddress",
            "localhost",
            "--server.port=8600",
        ]
    ]
    assert "http://192.168.1.5:8600/" in capsys.readouterr().out
    for options in (["--server.port=8600"], ["--server.port", "8600"]):
        assert command.main(options) == 0
        assert started[-1] == options  # else nothing changes
    assert command.main(["--class", "--server.port", "8601"]) == 0
    assert started[-1][-2:] == ["--server.port", "8601"]
    assert ":8601/" in capsys.readouterr().out
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "8700")
    assert command.main(["--class"]) == 0
    assert "http://192.168.1.5:8700/" in capsys.readouterr().out


@only_in_ci
@pytest.mark.parametrize("typed", ["sigma --epsilon 1 --delta 1e-6 --queries 9", "--help"])
def test_a_reader_who_has_had_enough_meets_no_traceback(typed):
    reading, writing = os.pipe()
    os.close(reading)
    run = [sys.executable, "-m", "dpviz", *typed.split()]
    done = subprocess.run(
        run, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT
    )
    os.close(writing)
    assert all(line.startswith("dpviz: computing") for line in done.stderr.splitlines())
    assert done.returncode in (0, 128 + 13)  # 0 where argparse itself swallows it
