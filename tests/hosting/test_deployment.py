"""What goes into the images and the repository, and what must not."""

import configparser
import fnmatch
import re
import subprocess
import tomllib

import pytest

from dpviz.results.folders import ROOT


@pytest.mark.parametrize("path", [".streamlit/secrets.toml", ".env", "hosting/.env"])
def test_secrets_are_neither_committed_nor_sent_to_the_builder(path):
    ignored = subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False)
    assert ignored.returncode == 0
    sent = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        parts = [path, path.rpartition("/")[0] or path]
        forms = {pattern, pattern.removeprefix("**/"), f"*/{pattern.removeprefix('**/')}"}
        if line[:1] != "#" and any(fnmatch.fnmatchcase(p, f) for p in parts for f in forms):
            sent = line.startswith("!")
    assert not sent


def test_the_builder_gets_what_the_images_are_made_of():
    copied = [
        word
        for line in (ROOT / "Dockerfile").read_text().splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for word in line.split()[1:-1]
    ]
    wanted = [line for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"]
    for source in copied:
        assert any(source.startswith(kept.removeprefix("!")) for kept in wanted), source


def test_an_image_without_a_word_more_is_the_app_and_not_root():
    last = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    assert last.startswith("code AS app\nUSER dpviz\n")
    port = re.search(r'"--port=(\d+)"', last)[1]
    assert '"--address=0.0.0.0"' in last
    assert f"EXPOSE {port}" in last
    assert f"127.0.0.1:{port}/_stcore/health" in last


def test_the_unit_of_systemd_starts_what_the_page_on_hosting_says():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(ROOT / "hosting/dpviz.service")
    command = unit["Service"]["ExecStart"].partition(" -m hosting ")[2]
    assert f"python -m hosting {command}" in (ROOT / "docs/hosting.md").read_text()
    assert {"StateDirectory", "CacheDirectory"} <= set(unit["Service"])  # Caddy's, and ours


def pinned(path):
    """The packages of a lock file, with their versions; each has a hash."""
    text = (ROOT / path).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line[:1] not in ("", "#", " ")]
    assert all("--hash=sha256:" in line for line in lines)
    return dict(re.match(r"([\w.-]+)==(\S+)", line).groups() for line in lines)


def test_the_image_has_what_shared_rooms_need():
    """The image installs every lock file it gets, and one has the client of Redis."""
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "COPY requirements.lock hosting/rooms.lock ./" in dockerfile
    assert re.findall(r"--requirement (\S+)", dockerfile) == ["requirements.lock", "rooms.lock"]
    extra, tested = pinned("hosting/rooms.lock"), pinned("requirements-dev.lock")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    rooms = declared["optional-dependencies"]["rooms"]
    assert {re.match(r"[\w-]+", wanted)[0] for wanted in rooms} <= extra.keys()
    assert all(extra[name] == tested[name] for name in extra.keys() & tested.keys())
    assert not extra.keys() & pinned("requirements.lock").keys()
    compose = (ROOT / "hosting/compose.yaml").read_text()
    assert "DPVIZ_ROOMS: ${DPVIZ_ROOMS:-}" in compose


def test_every_foreign_file_has_its_licence_named():
    named = (ROOT / "assets/LICENSES.md").read_text()
    for folder in ("fonts", "data"):
        for file in (ROOT / "assets" / folder).iterdir():
            if file.suffix in {".woff2", ".ttf", ".csv"}:
                assert file.stem in named, file


def test_copies_carry_the_licence():
    """The archive, the wheel (by the metadata) and the image."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert declared["license"] == "MIT"
    assert all((ROOT / file).exists() for file in declared["license-files"])
    assert "MIT License\n\nCopyright (c) 2026 the dpviz authors" in (ROOT / "LICENSE").read_text()
    assert "COPY app.py LICENSE ./" in (ROOT / "Dockerfile").read_text()
    assert "!LICENSE" in (ROOT / ".dockerignore").read_text().splitlines()


def test_workflows_run_what_there_is_and_pin_what_they_use():
    files = sorted((ROOT / ".github/workflows").glob("*.yml"))
    assert [file.stem for file in files] == ["docs", "nightly", "release", "tests", "versions"]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used)
    assert all((ROOT / name).stat().st_mode & 0o100 for name in re.findall(r"(\.ci/\w+)", text))
    made = (ROOT / "Makefile").read_text()
    assert all(f"\n{goal}:" in made for goal in re.findall(r"run: .*\bmake (\w+)", text))
