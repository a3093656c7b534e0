"""Predict, then reveal: the reader's guess comes first, then the curve beside it."""

from collections.abc import Callable

import streamlit as st

from dpviz.scene.codec import Choice, Number
from dpviz.scene.scene import Scene
from dpviz.scene.view import Prediction
from dpviz.ui.controls.range_control import guess_control
from dpviz.ui.session import session, show


def pending(scene: Scene) -> Prediction | None:
    """Return what the reader is to predict now, before the view shows it."""
    return scene.prediction if session().predicts_first else None


def guessed(scene: Scene) -> str:
    """Return the reader's guess about the view in this state, as text, or ""."""
    prediction, guess = scene.prediction, session().guess_about(scene)
    return "" if prediction is None or guess is None else prediction.guess.write(guess)


def reveal(scene: Scene) -> str:
    """Return how the answer about a scene is to be told, as `dpviz.serve.lines.Look` has it.

    Not where a class was asked something else, and nobody on this page predicted.
    """
    tab = session()
    elsewhere = "class" in tab.modes and tab.guess_about(scene) is None
    return tab.reveal_state(scene) if scene.prediction and not elsewhere else ""


def offer(scene: Scene) -> None:
    """Draw the button with which a reader asks to predict first."""
    if scene.prediction and not pending(scene):
        st.button("Predict first", key="predict", on_click=lambda: session().enter("ask"))


def ask(scene: Scene, ask_for_all: Callable[[], None]) -> None:
    """Draw the control for the guess, and the button that reveals the answer."""
    prediction = pending(scene)
    if prediction is None:
        return
    guess, key, tab = prediction.guess, _key(scene), session()
    if tab.guessing[0] != key:
        tab.guessing = ("", None)

    def choose() -> None:
        tab.stay()
        tab.guessing = (key, st.session_state[key])

    def reveal() -> None:
        # A slider stands somewhere. Before a class that is no guess until somebody moves it.
        stands = isinstance(guess, Number) and not tab.presenting
        touched, value = tab.guessing
        tab.predict(scene, value if touched == key else guess.default if stands else None)
        ask_for_all()  # a reader who waits for the answer wants all of it
        tab.leave("ask")

    with st.container(key="ask", horizontal=True, vertical_alignment="bottom"):
        if isinstance(guess, Choice):
            st.segmented_control(
                guess.label,
                list(guess.options),
                format_func=guess.options.__getitem__,
                required=True,
                key=key,
                on_change=choose,
            )
        else:
            with st.container(key="guess"):
                guess_control(key, guess)
        st.button("Reveal", key="reveal", type="primary", on_click=reveal)


def bring(scene: Scene, ask_for_all: Callable[[], None]) -> None:
    """Take along what a reader guessed, or had told, before the session had the page."""
    tab, prediction = session(), scene.prediction
    text, tab.brought = tab.brought, ""
    if not text or prediction is None:
        return
    value, problem = prediction.guess.read(text, prediction.guess.default)
    if not tab.predicts_first:
        tab.predict(scene, None if problem else value)
        ask_for_all()
    elif not problem:
        tab.guessing = (key := _key(scene), value)
        if isinstance(prediction.guess, Choice):
            show(key, value)


def _key(scene: Scene) -> str:
    return scene.guess_key(session().modes.get("scene", ""))
