"""The bar of steps of a page that stands: where a class or a reader is, and the ways on and back.

They are links, and lead to pages that stand as well; what needs a session waits for Streamlit, and
looks so. The live one is in dpviz/ui/classroom/presenting.py.
"""

from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from dpviz.plot.written import line
from dpviz.scene.catalogue import Entry, entry
from dpviz.scene.scene import Scene
from dpviz.scene.showing import LecturePosition, Showing
from dpviz.serve.modules import rules
from dpviz.serve.site import at


def style(shown: Showing) -> str:
    """Return the style that only a page with steps has, "" for other pages."""
    if not shown.has_steps:
        return ""
    return _style()


@cache
def _style() -> str:
    text = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    return f"<style>{rules(text)}</style>"


def kind(shown: Showing) -> str:
    """Return the class of a page with steps, or within another site's, as HTML, "" for others."""
    if shown.within:
        return f' class="within {shown.within}"'
    if not shown.has_steps:
        return ""
    name = "presenting" if shown.presenting else "alone" if shown.alone else "following"
    return f' class="{name}"'


def bar(here: Entry, scene: Scene | None, shown: Showing) -> str:
    """Return the bar, as HTML, "" for a page without steps; scene: None without a figure."""
    if not shown.has_steps:
        return ""
    parts = ""
    if shown.position is not None:
        parts = _scenes(here, shown.position)
    elif scene is not None and scene.page.presets:
        parts = _presets(here, scene)
    waiting = [
        *(["Controls"] if scene is not None and shown.presenting else []),
        *(["Notes"] if shown.position is not None and shown.position.notes else []),
        *([] if shown.alone else ["Phones"]),
    ]
    parts += "".join(f'<span class="waits">{words}</span>' for words in waiting)
    words = "Leave" if shown.alone else "Leave the lecture"
    left = {"lecture", "scene"}
    if shown.presenting:
        words, left = "Leave full view", {"present"}
    modes = {key: text for key, text in shown.modes.items() if key not in left}
    query = (scene.query if scene else {}) | modes
    return f'<div class="steps">{parts}{_link(here, query, words, "leave")}</div>'


def _scenes(here: Entry, position: LecturePosition) -> str:
    parts = ""
    for words, number, name in (
        ("← Back", position.number - 1, "step"),
        ("Next →", position.number + 1, "step on"),
    ):
        if 1 <= number <= position.last:
            page, query = position.link(number)
            parts += _link(page, query, words, f"{name} here" if page == here else name)
    parts += f"<p>{line(position.lecture.title)} · {position.how_far}</p>"
    if position.number == position.last:
        page = entry("lectures")
        parts += _link(page, {}, "The end. All lectures", "step here" if page == here else "step")
    return parts


def _presets(here: Entry, scene: Scene) -> str:
    page, presets = scene.page, scene.page.presets
    states = [page.preset_values(preset) for preset in presets]
    matching = [number for number, state in enumerate(states) if state == dict(scene.values)]
    now = matching[0] if matching else -1
    parts = ""
    for words, number in (("← Back", now - 1), ("Next →", now + 1)):
        if 0 <= number < len(presets):
            query = Scene.opened(page, states[number]).query | {"present": "1"}
            parts += _link(here, query, words, "preset")
        else:
            parts += f'<span class="preset waits">{words}</span>'
    label = presets[now].label if now >= 0 else "before the first"
    return f"{parts}<p>{line(label)} · {now + 1} of {len(presets)}</p>"


def _link(page: Entry, query: Mapping[str, str], words: str, name: str) -> str:
    query_text = f"?{urlencode(query)}" if query else ""
    return f'<a class="{name}" href="{escape(at(page.slug + query_text))}">{escape(words)}</a>'
