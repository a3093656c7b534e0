"""Where the browser of the browser tests is, and how it is started."""

import os
import shutil

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


# The first is Chromium without the window that nobody sees, which takes a sixth of the work.
_BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable")


def chromium_path() -> str | None:
    named = os.environ.get("DPVIZ_CHROMIUM")
    candidates = [named] if named else _BROWSERS
    return next((found for name in candidates if (found := shutil.which(name))), None)
