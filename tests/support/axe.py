"""What axe-core finds on a page that a reader has opened."""

import json
from importlib.resources import files

from playwright.sync_api import Page

_SCRIPT = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
# What is a habit of Streamlit's own widgets, which no page can change: rule, part of the selector.
_STREAMLITS: tuple[tuple[str, str], ...] = ()
_RUN = """rules => axe.run(document, { resultTypes: ["violations"], rules })"""


def violations(page: Page) -> list[str]:
    """Return a line for every element at fault that is ours: the rule, where, and what is wrong."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SCRIPT)
    found = page.evaluate(_RUN, {})["violations"]
    return [
        f"{rule['id']}: {where}: {node['html'][:160]}: {_reasons(node)}"
        for rule in found
        for node in rule["nodes"]
        if not _streamlits(rule["id"], where := json.dumps(node["target"]), node["html"])
    ]


def _reasons(node: dict) -> str:
    checks = (check for kind in ("any", "all", "none") for check in node[kind])
    return "; ".join(check["message"] for check in checks)[:200]


def _streamlits(rule: str, where: str, html: str) -> bool:
    return any(rule == name and (part in where or part in html) for name, part in _STREAMLITS)
