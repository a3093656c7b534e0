"""`make release VERSION=0.2.0 SITE=https://github.com/OWNER/NAME`: a version, in one command.

From a clean working tree it writes version and day into the code, CITATION.cff and CHANGELOG.md,
commits and tags that, and builds the source archive and the wheel with their checksums. SITE is
where the repository is: the first release needs it, and later ones find it in pyproject.toml. It
sends nothing anywhere: what to type next is what it prints. An archive that gives DOIs, such as
Zenodo, reads CITATION.cff.
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
_SITE = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+")
_KNOWN = re.compile(r'^Repository = "(.+)"$', re.M)
_RELATIVE = re.compile(r'(\]\(|src=")(?!https?:|#)([\w./-]+)')
_PICTURES = (".png", ".webp")
_UNRELEASED = re.compile(r"^## ([0-9.]+), not released yet$", re.M)


class ReleaseError(Exception):
    """A release cannot be made; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a release; return the status of the process."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("version", nargs="?", default="")
    parser.add_argument("--site", default="", help="where the repository is")
    parser.add_argument("--archives", action="store_true", help="build what is tagged, no more")
    options = parser.parse_args(arguments)
    try:
        if options.archives:
            print(archives(ROOT, _tagged(ROOT)))
            return 0
        version = options.version
        made = release(ROOT, version, datetime.now(UTC).date(), options.site)
    except ReleaseError as refusal:
        print(f"release: {refusal}", file=sys.stderr)
        return 2
    print(f"{made}: {', '.join(sorted(file.name for file in made.iterdir()))}")
    print("Next: git push --follow-tags; .github/workflows/release.yml sends the archives to PyPI.")
    return 0


def release(root: Path, version: str, day: date, site: str = "") -> Path:
    """Make a release of a tree; return the folder of its archives. Raises `ReleaseError`.

    site: where the repository is, "" for what pyproject.toml says.
    """
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
    _say_where(root, site)
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
    return archives(root, version)


def _say_where(root: Path, site: str) -> None:
    """Write into the package and the citation where the repository is, which must be known."""
    project, citation = root / "pyproject.toml", root / "CITATION.cff"
    text = project.read_text(encoding="utf-8")
    if not site and not _KNOWN.search(text):
        raise ReleaseError(
            "nobody would find it: name the repository, SITE=https://github.com/OWNER/NAME"
        )
    if not site:
        return
    if not _SITE.fullmatch(site):
        raise ReleaseError(f"a repository is https://github.com/OWNER/NAME; got {site!r}")
    places = {
        "Repository": site,
        "Documentation": f"{site}/tree/main/docs",
        "Issues": f"{site}/issues",
        "Changelog": f"{site}/blob/main/CHANGELOG.md",
    }
    version = root / "dpviz/results/version.py"
    _written(version, re.compile(r'REPOSITORY = ".*"'), f'REPOSITORY = "{site}"')
    lines = "".join(f'{name} = "{place}"\n' for name, place in places.items())
    text = re.sub(r"\[project\.urls\]\n(.+\n)*\n", "", text)
    text = text.replace("[project.scripts]", f"[project.urls]\n{lines}\n[project.scripts]", 1)
    project.write_text(text, encoding="utf-8")
    cited = re.sub(r"^repository-code: .*\n", "", citation.read_text(encoding="utf-8"), flags=re.M)
    cited = cited.replace("\nlicense:", f"\nrepository-code: {site}\nlicense:", 1)
    citation.write_text(cited, encoding="utf-8")


def _tagged(root: Path) -> str:
    """Return the version that is checked out; raise `ReleaseError` unless code and tag agree."""
    tag = _git(root, "describe", "--tags", "--exact-match")
    code = (root / "dpviz/results/version.py").read_text(encoding="utf-8")
    if f'VERSION = "{tag.removeprefix("v")}"' not in code:
        raise ReleaseError(f"the tag {tag} is not the version of the code")
    return tag.removeprefix("v")


def _described(text: str, site: str, version: str) -> str:
    """Return README for where no files lie beside it: its links and pictures lead to the tag."""

    def place(found: re.Match[str]) -> str:
        kind = "raw" if found[2].endswith(_PICTURES) else "blob"
        return f"{found[1]}{site}/{kind}/v{version}/{found[2]}"

    return _RELATIVE.sub(place, text)


def archives(root: Path, version: str) -> Path:
    """Build the archives of a tree that is released; return their folder."""
    known = _KNOWN.search((root / "pyproject.toml").read_text(encoding="utf-8"))
    if known is None:
        raise ReleaseError("pyproject.toml does not say where the repository is")
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    try:
        readme.write_text(_described(text, known[1], version), encoding="utf-8")
        return _built(root)
    finally:
        readme.write_text(text, encoding="utf-8")


def _built(root: Path) -> Path:
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
