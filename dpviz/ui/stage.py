"""Where the figure of a view is drawn: the browser's half is stage.js.

The script only says which figure it is; the browser asks `dpviz.serve.figures` for it, and goes on
asking while a control is moved. The script runs when the movement has ended.
"""

import logging
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Value, encode
from dpviz.scene.page import Page, Result, View
from dpviz.serve import scripts
from dpviz.serve.computing import Computation
from dpviz.serve.desk import DESK
from dpviz.serve.figures import TOKEN, version
from dpviz.serve.guests import Guest, welcome
from dpviz.serve.topics import HOME
from dpviz.ui import session as state
from dpviz.ui.classroom import predicting
from dpviz.ui.controls import upload

_log = logging.getLogger(__name__)


def _part(suffix: str) -> str:
    return Path(__file__).with_suffix(suffix).read_text(encoding="utf-8")


_stage = st.components.v2.component(
    "dpviz.stage", html=_part(".html"), js=_part(".js"), isolate_styles=False
)
_notes = st.components.v2.component(
    "dpviz.notes",
    html="<ul></ul>",
    js=Path(__file__).with_name("notes.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def guest() -> Guest:
    """Return what the session is to the figures it asks for."""
    if "guest" not in st.session_state:
        st.session_state["guest"] = welcome()
    known: Guest = st.session_state["guest"]
    return known


def computation(page: Page, view: View, values: Mapping[str, Value]) -> Computation:
    """Return the session's computation of a view, as far as it has come."""
    fresh = Computation(page, view, values, upload.own(view, values))
    return guest().resumed(fresh)


def ask_for_all(page: Page, view: View) -> None:
    """From a click: have the open view computed to the end."""
    guest().leave = computation(page, view, state.values()).state


def draw(page: Page, view: View, values: Mapping[str, Value], *, theme: str) -> None:
    """Draw the figure of a view."""
    session = guest()
    session.own = upload.own(view, values)
    asks = predicting.asked(view, values) is not None
    _stage(
        key="figure",
        data={
            "figure": f"/figure/{page.slug or HOME}/{view.key}",
            "query": encode(values, page.parameters),
            "numbers": {
                parameter.key: state.last_move(parameter.key) for parameter in page.parameters
            },
            "look": {
                "theme": theme,
                "ask": "1" if asks else "",
                "guess": "" if asks else predicting.guessed(page, view, values),
            },
            "presenting": state.presenting(),
            # Another file, or leave to compute on, gives another figure at the same address.
            "own": [id(part) for part in session.own.values()],
            "leave": session.leave == computation(page, view, values).state,
            "token": [TOKEN, session.token],
            "version": version(),
            "plotly": scripts.address(),
            "name": f"dpviz-{view.key}",
        },
        height="content",
        on_compute_change=lambda: ask_for_all(page, view),
        on_stop_change=_stop,
        on_finished_change=lambda: None,
    )


def notes() -> None:
    """Draw the list of what to know about the curves, which comes with the figure."""
    _notes(key="notes", height="content")


def shown_result(page: Page, view: View, values: Mapping[str, Value]) -> Result | None:
    """Return the result that the figure shows, None where there is none."""
    known = computation(page, view, values)
    if known.result is not None:
        return known.result
    place = st.empty()

    def alive() -> None:
        place.empty()  # where something is told to the browser, a script ends that has to end

    found = None
    try:
        for result in DESK.results(known, alive):
            found = result
    except ParameterError:
        return None  # the place of the figure says why
    except Exception:
        _log.exception("view %s failed at %s", view.key, dict(values))
    return found


def _stop() -> None:
    guest().leave = None
