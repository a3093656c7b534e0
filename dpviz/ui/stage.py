"""Where the figure of a view is drawn: the browser's half is dpviz/scripts/stage.js.

The script only says which figure it is; the browser asks `dpviz.serve.figures` for it, and keeps
asking while a control is moved. The script runs when the movement has ended, and what it says of
the controls is told to them from there.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import streamlit as st

from dpviz.results.parameters import ParameterError
from dpviz.scene.scene import Scene
from dpviz.scene.showing import Showing
from dpviz.serve import lines, scripts
from dpviz.serve.clients import TOKEN
from dpviz.serve.computing import Computation, Progress
from dpviz.serve.faults import kinds
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.standing import BUTTONS, above
from dpviz.serve.version import version
from dpviz.ui.classroom import predicting
from dpviz.ui.controls import upload
from dpviz.ui.session import session

_log = logging.getLogger(__name__)


def _part(suffix: str, name: str = "stage") -> str:
    return Path(__file__).with_name(name + suffix).read_text(encoding="utf-8")


_stage = st.components.v2.component(
    "dpviz.stage",
    html=_part(".html"),
    js=scripts.module("stage.js"),
    isolate_styles=False,
)
_notes = st.components.v2.component(
    "dpviz.notes",
    html="<ul></ul>",
    js=_part(".js", "notes"),
    isolate_styles=False,
)
_odds = st.components.v2.component(
    "dpviz.odds", html='<p class="odds"></p>', js=_part(".js", "odds"), isolate_styles=False
)


def computation(scene: Scene) -> Computation:
    """Return the session's computation of a scene, as far as it has come."""
    grant = session().grant
    grant.own = upload.own(scene)
    return grant.resumed(Computation(scene, grant.lent(scene)))


def ask_for_all(scene: Scene) -> None:
    """From a click: have the open view computed to the end."""
    session().stay()
    newest = replace(scene, values=session().values)
    session().grant.unlimited = computation(newest).state


def draw(scene: Scene, shown: Showing) -> None:
    """Draw the figure of a scene, with the labels of some of its curves or these curves alone."""
    tab, page, view = session(), scene.page, scene.view
    tab.grant.own, tab.grant.refused = upload.own(scene), upload.refused(scene)
    current, lent = computation(scene), tab.grant.lent(scene)
    asks = predicting.pending(scene) is not None
    _stage(
        key="figure",
        data={
            "figure": f"/figure/{page.name}/{view.key}",
            "step": tab.modes.get("scene", ""),
            "query": scene.movable,
            "numbers": {
                parameter.key: tab.last_move(parameter.key) for parameter in page.parameters
            },
            "look": {
                "ask": "1" if asks else "",
                "guess": "" if asks else predicting.guessed(scene),
                "revealed": "" if asks else predicting.reveal(scene),
                "labels": shown.labels,
            },
            "presenting": tab.presenting,
            "above": above(scene, shown),
            "below": 0 if scene.view.rounds is None else BUTTONS,
            # Another file or answer, or permission to compute further, changes the figure at one
            # address.
            "varies": [
                *(part if isinstance(part, str) else id(part) for part in lent.values()),
                tab.grant.refused,
            ],
            "unlimited": tab.grant.unlimited == current.state,
            "whole": current.whole,
            "token": [TOKEN, tab.grant.token],
            "version": version(),
        },
        height="content",
        on_compute_change=lambda: _again(lambda: ask_for_all(scene)),
        on_stop_change=lambda: _again(_stop),
        on_finished_change=lambda: _again(tab.stay),
    )


def _again(note: Callable[[], None]) -> None:
    """From a click at the figure: note it, and run the whole page, whose tabs follow."""
    note()
    st.rerun()


def notes() -> None:
    """Draw the list of what to know about the curves, which comes with the figure."""
    _notes(key="notes", height="content")


def odds(scene: Scene) -> None:
    """Draw what the ε of a scene promises, in odds; in a movement that comes with the figure."""
    if text := lines.odds(scene):
        _odds(key="odds", data=text, height="content")


def shown(scene: Scene) -> Progress | None:
    """Return what the figure shows, None where there is none."""
    current = computation(scene)
    if current.progress is not None:
        return current.progress
    place = st.empty()

    def alive() -> None:
        place.empty()  # a script that has to end does so where it writes to the browser

    progress = None
    try:
        client = session().grant.client
        for progress in SCHEDULER.results(current, alive, client, patient=True):  # noqa: B007
            pass
    except ParameterError:
        return None  # the place of the figure says why
    except Exception as fault:
        _log.error("%s failed: %s", scene.name, kinds(fault))
    return progress


def _stop() -> None:
    session().stay()
    session().grant.unlimited = None
