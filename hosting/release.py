"""`make release VERSION=0.2.0`: a version from a clean working tree, in one command.

It writes version and day into the code, CITATION.cff and CHANGELOG.md, commits and tags that, and
builds the source archive and the wheel with their checksums. It sends nothing anywhere: what to
type next is what it prints. An archive that gives DOIs, such as Zenodo, reads CITATION.cff.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_UNRELEASED = re.compile(r"^## ([0-9.]+), not released yet$", re.M)


class ReleaseError(Exception):
    """A release cannot be made; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a release; return the status of the process."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("version")
    version = parser.parse_args(arguments).version
    try:
        made = release(ROOT, version, datetime.now(UTC).date())
    except ReleaseError as refusal:
        print(f"release: {refusal}", file=sys.stderr)
        return 2
    print(f"{made}: {', '.join(sorted(file.name for file in made.iterdir()))}")
    print(f"Next: git push --follow-tags, and dist/ to the release of v{version}.")
    return 0


def release(root: Path, version: str, day: date) -> Path:
    """Make a release of a tree; return the folder of its archives. Raises `ReleaseError`."""
    if not _VERSION.fullmatch(version):
        raise ReleaseError(f"a version is three numbers, as in 0.2.0; got {version!r}")
    if _git(root, "status", "--porcelain"):
        raise ReleaseError("there are changes that are not committed")
    if _git(root, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"there is a tag v{version}")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = _UNRELEASED.search(changes)
    if heading is None:
        raise ReleaseError('CHANGELOG.md has no heading "## <version>, not released yet"')
    if _numbers(version) < _numbers(heading[1]):
        raise ReleaseError(f"CHANGELOG.md is at {heading[1]} already")
    if not re.search(r"^- ", changes[heading.end() :].partition("\n## ")[0], re.M):
        raise ReleaseError("CHANGELOG.md says nothing of this version")
    _written(root / "CHANGELOG.md", _UNRELEASED, f"## {version}, {day.isoformat()}")
    _written(
        root / "dpviz/results/version.py", re.compile(r'VERSION = ".*"'), f'VERSION = "{version}"'
    )
    _written(
        root / "CITATION.cff",
        re.compile(r"^version: .*(\ndate-released: .*)?$", re.M),
        f"version: {version}\ndate-released: {day.isoformat()}",
    )
    _git(root, "commit", "--all", "--message", f"Release {version}")
    _git(root, "tag", "--annotate", f"v{version}", "--message", f"dpviz {version}")
    return _archives(root)


def _archives(root: Path) -> Path:
    folder = root / "dist"
    for old in folder.glob("*") if folder.is_dir() else ():
        old.unlink()
    build = "import hatchling.build as b; b.build_sdist('dist'); b.build_wheel('dist')"
    _run(root, [sys.executable, "-c", build])
    files = sorted(folder.iterdir())
    sums = "".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    return folder


def _written(file: Path, old: re.Pattern[str], new: str) -> None:
    text, count = old.subn(lambda _: new, file.read_text(encoding="utf-8"), count=1)
    if not count:
        raise ReleaseError(f"{file.name} has no place for the version")
    file.write_text(text, encoding="utf-8")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _git(root: Path, *arguments: str) -> str:
    return _run(root, ["git", *arguments])


def _run(root: Path, command: Sequence[str]) -> str:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{command[0]} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
