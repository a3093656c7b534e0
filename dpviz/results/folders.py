"""The folders beside the code, in a copy of the repository and in an installed dpviz."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_CARRIED = _PACKAGE / "site"  # app.py, pages and assets, in a wheel; see pyproject.toml

ROOT = _CARRIED if _CARRIED.is_dir() else _PACKAGE.parent
ASSETS = ROOT / "assets"
