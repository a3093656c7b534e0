"""Where the browser of the browser tests is, and how it is started."""

import os
import shutil
import subprocess
import sys

MISSING = "no Chromium (set DPVIZ_CHROMIUM, or install chromium): the app is UNTESTED in a browser"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# What readers have, as it is: one without a window, chromium-headless-shell say, lets pages do what
# others deny them, and is taken only where DPVIZ_CHROMIUM names it.
_BROWSERS = ("chromium", "google-chrome", "google-chrome-stable")


def chromium_path() -> str | None:
    named = os.environ.get("DPVIZ_CHROMIUM")
    candidates = [named] if named else _BROWSERS
    return next((found for name in candidates if (found := shutil.which(name))), None)


def version(path: str) -> str:
    """Ask a browser how it is called, and of which version it is."""
    said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    return said.stdout.strip()


if __name__ == "__main__":  # .ci/run asks, so that both choose the same
    path = chromium_path()
    if path is None:
        sys.exit(MISSING)
    sys.stdout.write(f"{path}: {version(path)}\n")
