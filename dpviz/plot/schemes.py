"""Colours as variables that the page sets: one drawing for both schemes, and for print."""

import re
from functools import cache, lru_cache

from dpviz.plot.theme import DARK, LIGHT, Theme

_COLOR = re.compile(r"#[0-9a-f]{6}(?:[0-9a-f]{2})?\b")
_GROUNDS = ("background", "text", "muted", "grid", "aside")
_FORCED = {"background": "Canvas", "text": "CanvasText", "muted": "CanvasText"}
_FORCED |= {"grid": "GrayText", "aside": "GrayText"}


def _inks(theme: Theme) -> dict[str, str]:
    """Return the colour of each variable that a drawing of this theme may have."""
    found = {f"--ink-{name}": str(getattr(theme, name)) for name in _GROUNDS}
    for number, color in enumerate(theme.palette):
        found[f"--ink-{number}"] = color
        found[f"--ink-{number}b"] = theme.second(color)
    return found


@cache
def _names() -> dict[str, str]:
    """Return the variable of each colour of a light drawing."""
    return {color: name for name, color in reversed(_inks(LIGHT).items())}


def inked(markup: str) -> str:
    """Return the markup of a light drawing with variables for its colours."""
    return _COLOR.sub(lambda found: _variable(found[0]), markup)


@lru_cache(maxsize=512)
def _variable(color: str) -> str:
    """Return what stands for a colour, perhaps with its opacity as two digits more."""
    name, opacity = _names().get(color[:7]), color[7:]
    if name is None:
        return color
    if not opacity:
        return f"var({name})"
    return f"color-mix(in srgb,var({name}) {int(opacity, 16) / 2.55:.3g}%,transparent)"


def variables(root: str = ":root") -> str:
    """Return the rules, as CSS, that say what the variables are; root: of which part of a page."""
    light, dark = _inks(LIGHT), _inks(DARK)
    both = ";".join(f"{name}:light-dark({color},{dark[name]})" for name, color in light.items())
    forced = ";".join(f"--ink-{name}:{color}" for name, color in _FORCED.items())
    return (
        f"{root}{{{both}}}\n@media print{{{root}{{color-scheme:light!important}}}}\n"
        f"@media (forced-colors:active){{{root}{{{forced}}}}}\n"
    )
