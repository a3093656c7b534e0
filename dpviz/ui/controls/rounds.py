"""Rounds to be answered by buttons or keys: the browser's half is dpviz/scripts/rounds.js.

What is asked, and whether an answer was right, is said by the figure; here are only the answers.
They stay in the session: see `dpviz.serve.grants`.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from dpviz.scene.scene import Scene
from dpviz.serve import scripts
from dpviz.ui import stage as figure
from dpviz.ui.session import session, while_here
from dpviz.ui.sharing import share


def _part(suffix: str) -> str:
    return Path(__file__).with_suffix(suffix).read_text(encoding="utf-8")


_rounds = st.components.v2.component(
    "dpviz.rounds", html=_part(".html"), css=_part(".css"), js=scripts.module("rounds.js")
)


def draw(scene: Scene, answered: Callable[[], None]) -> None:
    """Draw the buttons of the round that is to be answered, or the one for another game.

    answered: called in the callback of an answer; where it returns, the whole page runs.
    """
    rounds, tab = scene.view.rounds, session()
    if rounds is None:
        return
    so_far = tab.grant.answers.get(scene.about, "")

    @while_here
    def take() -> None:
        if answer := st.session_state["rounds"].get("said"):
            first, letters = int(answer["number"]), str(answer["letter"])[: rounds.count]
            for number, letter in enumerate(letters, first):  # several came before this page did
                tab.answer(scene, letter, number)
            answered()
        st.rerun()

    def again() -> None:
        seed = scene.page.parameter(rounds.again)
        value, _ = seed.read(str(int(scene.values[rounds.again]) + 1), 0)
        tab.change({rounds.again: value})
        st.rerun()

    _rounds(
        key="rounds",
        data={
            "number": len(so_far) + 1,
            "count": rounds.count,
            "answers": list(rounds.answers.items()),
            "game": scene.query,
        },
        on_said_change=take,
        on_again_change=again,
    )
    if len(so_far) == rounds.count and (progress := figure.shown(scene)) is not None:
        with st.container(key="dare"):
            words = f"{rounds.dares(progress.result)} {share.link(scene)}"
            st.code(words, language=None, wrap_lines=True)
