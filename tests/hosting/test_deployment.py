"""What goes into the images and the repository, and what must not."""

import fnmatch
import subprocess

import pytest

from dpviz.results.files import ROOT


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


def test_every_foreign_file_has_its_licence_named():
    named = (ROOT / "assets/LICENSES.md").read_text()
    for folder in ("fonts", "scripts", "data"):
        for file in (ROOT / "assets" / folder).iterdir():
            if file.suffix in {".woff2", ".ttf", ".csv"}:
                assert file.stem in named, file
    assert "plotly" in named
