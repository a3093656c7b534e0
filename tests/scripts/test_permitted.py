"""What a browser may deny is asked for in one module, which the node tests deny all of it."""

import re

import pytest

from dpviz.results.folders import ROOT

GUARD = ROOT / "dpviz" / "scripts" / "permitted.js"
DENIABLE = re.compile(
    r"""\b(?:
    (?:local|session)Storage | indexedDB | caches\b | cookieStore | document\.cookie
    | BroadcastChannel | SharedWorker | serviceWorker
    | navigator\.(?!onLine\b)\w+ | clipboard | execCommand | crypto\.subtle
    | requestFullscreen | webkitRequestFullscreen | exitFullscreen | Notification
    | (?:push|replace)State | window\.name\b | showSaveFilePicker | requestStorageAccess
    )""",
    re.VERBOSE,
)
# Pages that the app writes scripts into, too.
SCRIPTS = [
    file
    for kind in ("*.js", "*.html")
    for file in sorted((ROOT / "dpviz").rglob(kind))
    if file != GUARD
]


def code(text: str) -> str:
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_no_other_script_asks_for_what_may_be_denied(file):
    assert DENIABLE.findall(code(file.read_text(encoding="utf-8"))) == []


def test_the_guard_is_where_all_of_it_is_asked_for():
    found = set(DENIABLE.findall(code(GUARD.read_text(encoding="utf-8"))))
    assert found >= {"sessionStorage", "localStorage", "BroadcastChannel", "replaceState"}
