"""The order of the scenes of a lecture, changed by dragging or with arrow keys."""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

_FILE = Path(__file__)
_ordering = st.components.v2.component(
    "dpviz.ordering",
    html='<ol class="order"></ol>',
    css=_FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=_FILE.with_suffix(".js").read_text(encoding="utf-8"),
)


def draw(titles: Sequence[str], key: str, taken: Callable[[list[int]], None]) -> None:
    """Draw the titles in their order. taken: called in the callback, with the places they had."""

    def take() -> None:
        order = reordered(st.session_state[key].get("order"), len(titles))
        if order is not None:
            taken(order)

    _ordering(key=key, data=list(titles), on_order_change=take)


def reordered(sent: object, count: int) -> list[int] | None:
    """Return what a browser says of an order, None for what is none of so many things."""
    places = sent.get("places") if isinstance(sent, dict) else None
    if not isinstance(places, list) or sorted(map(str, places)) != sorted(map(str, range(count))):
        return None
    return [int(place) for place in places]
