"""Numbers of a headline that are settings: they are marked, so that a reader can pull them.

A view says where they stand (`View.pulled`); marked is what really says the setting's value, and
nothing else. dpviz/scripts/sentence.js makes a slider of each whose control is on the page.
"""

import math
import re
from collections.abc import Mapping
from html import escape

from dpviz.scene.codec import Value
from dpviz.scene.scene import Scene

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_POWER = rf"10⁻?[{_RAISED}]+"
_NUMBER = rf"({_POWER}|\d(?:[\d,]*\d)?(?:\.\d+)?(?: × {_POWER})?)"
_DIGITS = str.maketrans(f"⁻{_RAISED}", "-0123456789")
_IN_HUNDRED = ("%", " %", " in 100")
_ROUNDED = 0.006  # what a number of three digits is off by, at most


def pulled_in(scene: Scene) -> Mapping[str, tuple[str, float]]:
    """Return the numbers of the headline that can be pulled: where each stands, and its value."""
    idle = scene.idle
    return {
        key: (place, _number(scene.values[key]))
        for key, place in scene.view.pulled.items()
        if key not in idle
    }


def _number(value: Value) -> float:
    return float(value)


def marked(html: str, pulled: Mapping[str, tuple[str, float]]) -> str:
    """Return a sentence as HTML, in which each of these numbers is an element of its own."""
    for key, (place, value) in pulled.items():
        before, after = (escape(part, quote=False) for part in place.split("#"))
        match = re.search(f"(?<={re.escape(before)}){_NUMBER}(?={re.escape(after)})", html)
        if match is None:
            continue
        meant = 100 * value if after.startswith(_IN_HUNDRED) else value
        if math.isclose(read(match[1]), meant, rel_tol=_ROUNDED):
            number = f'<span class="pull" data-pull="{key}">{match[1]}</span>'
            html = html[: match.start()] + number + html[match.end() :]
    return html


def read(written: str) -> float:
    """Return a number that `dpviz.plot.text.readable` has written, as far as its digits go."""
    factor, _, power = written.rpartition(" × ")
    if power.startswith("10") and not power.isascii():
        return float(factor or 1) * 10.0 ** int(power[2:].translate(_DIGITS))
    return float(power.replace(",", ""))
