"""A release in one command: version, changelog, citation, tag, archives and checksums."""

import re
import shutil
import subprocess
import zipfile
from datetime import date
from hashlib import sha256

import pytest

from dpviz.results.folders import ROOT
from hosting.release import ReleaseError, _tagged, archives, release

DAY = date(2026, 12, 1)
SITE = "https://github.com/someone/dpviz"
LEFT_OUT = shutil.ignore_patterns("images", "__pycache__", "tests", "benchmarks")
PARTS = ["CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml", "app.py"]


def git(root, *arguments):
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def copy(tmp_path):
    """A repository with what a wheel is made of, and a changelog with a version to come."""
    for folder in ("dpviz", "pages", "assets", ".streamlit"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=LEFT_OUT)
    for name in PARTS:
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".gitignore").write_text("dist/\n__pycache__/\n")
    changes = tmp_path / "CHANGELOG.md"
    head = re.sub(
        r"^## .*\n", "## 0.1.0, not released yet\n", changes.read_text(), count=1, flags=re.M
    )
    changes.write_text(head)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.name", "A tester")
    git(tmp_path, "config", "user.email", "tester@example.org")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def test_a_release_is_whole(copy):
    with pytest.raises(ReleaseError, match="nobody would find it"):
        release(copy, "0.3.0", DAY)
    assert git(copy, "status", "--porcelain") == ""
    made = release(copy, "0.3.0", DAY, SITE)
    assert git(copy, "status", "--porcelain") == ""
    assert git(copy, "describe").strip() == "v0.3.0"
    assert 'VERSION = "0.3.0"' in (copy / "dpviz/results/version.py").read_text()
    cited = (copy / "CITATION.cff").read_text()
    assert f'REPOSITORY = "{SITE}"' in (copy / "dpviz/results/version.py").read_text()
    assert "\nversion: 0.3.0\ndate-released: 2026-12-01\n" in cited
    assert f"\nrepository-code: {SITE}\n" in cited
    assert cited.count("version: ") == 2  # and the one of the format
    assert "\n## 0.3.0, 2026-12-01\n" in (copy / "CHANGELOG.md").read_text()
    names = {file.name for file in made.iterdir()}
    assert names == {"dpviz-0.3.0.tar.gz", "dpviz-0.3.0-py3-none-any.whl", "SHA256SUMS"}
    sums = [line.split("  ") for line in (made / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in sums} == names - {"SHA256SUMS"}
    for digest, name in sums:
        assert sha256((made / name).read_bytes()).hexdigest() == digest
    with zipfile.ZipFile(made / "dpviz-0.3.0-py3-none-any.whl") as wheel:
        assert b'VERSION = "0.3.0"' in wheel.read("dpviz/results/version.py")
        told = wheel.read("dpviz-0.3.0.dist-info/METADATA").decode()
    assert "\nVersion: 0.3.0\n" in told
    assert f"\nProject-URL: Repository, {SITE}\n" in told
    assert f'src="{SITE}/raw/v0.3.0/assets/images/room.png"' in told
    assert f"]({SITE}/blob/v0.3.0/docs/hosting.md)" in told
    assert not re.findall(r'(?:\]\(|src=")(?!https?:)[^)"]*', told)
    assert archives(copy, _tagged(copy)) == made
    with pytest.raises(ReleaseError, match="no heading"):
        release(copy, "0.4.0", DAY)


def test_what_cannot_be_released_is_left_as_it_was(copy):
    before = git(copy, "rev-parse", "HEAD")
    for version, words in (("1.0", "three numbers"), ("0.0.9", "is at 0.1.0 already")):
        with pytest.raises(ReleaseError, match=words):
            release(copy, version, DAY)
    git(copy, "tag", "v0.2.0")
    with pytest.raises(ReleaseError, match=r"there is a tag v0\.2\.0"):
        release(copy, "0.2.0", DAY)
    (copy / "README.md").write_text("changed")
    with pytest.raises(ReleaseError, match="not committed"):
        release(copy, "0.3.0", DAY)
    assert git(copy, "rev-parse", "HEAD") == before
