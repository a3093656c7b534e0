"""Streamlit's static files, our scripts and style, compressed: ``python -m hosting.static FOLDER``.

The proxy serves them from there. Browsers take brotli over HTTPS and from localhost, else
gzip; both make the 4.9 megabytes a first visit would load less than half.
"""

import gzip
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dpviz.serve import fonts, scripts
from dpviz.ui import inside

_TEXT = {".js", ".css", ".json", ".svg"}
# What is large and few pages load, or none, becomes a tenth larger than at best, in a twentieth of
# the time.
_BEST, _QUICK, _LARGE = 11, 9, 120_000


def compress(folder: Path) -> None:
    """Copy them to the new `folder`, those of text also as .br and .gz.

    Another process that starts at the same moment finds the folder complete or not at all.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as room:
        unfinished = Path(room) / "unfinished"
        # Below /static as in the addresses; the page itself stays with the app.
        copy = unfinished / "static"
        shutil.copytree(inside.index().parent / "static", copy)
        for name in scripts.names():
            file = unfinished / "scripts" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(scripts.content(name))
        (unfinished / "fonts").mkdir()
        for name in fonts.names():
            shutil.copy(fonts.FOLDER / name, unfinished / "fonts")
        texts = [file for file in unfinished.rglob("*") if file.suffix in _TEXT]
        texts.sort(key=lambda file: file.stat().st_size, reverse=True)
        first = inside.index().read_text(encoding="utf-8")
        qualities = [
            _QUICK
            if file.is_relative_to(copy) and file.stat().st_size > _LARGE and file.name not in first
            else _BEST
            for file in texts
        ]
        with ThreadPoolExecutor() as pool:
            list(pool.map(_compress, texts, qualities))
        unfinished.chmod(0o755)
        try:
            unfinished.rename(folder)
        except OSError:
            if not folder.exists():  # else another one was faster
                raise


def _compress(file: Path, quality: int) -> None:
    subprocess.run(["brotli", f"--quality={quality}", "--lgwin=24", "--keep", file], check=True)
    packed = gzip.compress(file.read_bytes(), compresslevel=9, mtime=0)
    file.with_name(f"{file.name}.gz").write_bytes(packed)


if __name__ == "__main__":
    compress(Path(sys.argv[1]))
