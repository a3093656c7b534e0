"""Predict, then reveal: the reader's guess comes first, then the curve beside it."""

from collections.abc import Callable

import streamlit as st

from dpviz.plot.text import in_full, superscript
from dpviz.scene.codec import Choice
from dpviz.scene.scene import Scene
from dpviz.scene.view import Prediction
from dpviz.ui.session import session


def asked(scene: Scene) -> Prediction | None:
    """Return what the reader is to predict now, before the view shows it."""
    return scene.prediction if session().asked else None


def guessed(scene: Scene) -> str:
    """Return the reader's guess about the view in this state, as text, or ""."""
    prediction, guess = scene.prediction, session().guess_about(scene)
    return "" if prediction is None or guess is None else prediction.guess.write(guess)


def told(scene: Scene) -> str:
    """Return how the answer about a scene is to be told, as `dpviz.serve.lines.Look` has it.

    Not where a class was asked something else, and nobody on this page predicted.
    """
    tab = session()
    elsewhere = "class" in tab.modes and tab.guess_about(scene) is None
    return tab.told(scene) if scene.prediction and not elsewhere else ""


def offer(scene: Scene) -> None:
    """Draw the button with which a reader asks to predict first."""
    if scene.prediction and not asked(scene):
        st.button("Predict first", key="predict", on_click=lambda: session().enter("ask"))


def ask(scene: Scene, ask_for_all: Callable[[], None]) -> None:
    """Draw the control for the guess, and the button that reveals the answer."""
    prediction = asked(scene)
    if prediction is None:
        return
    guess = prediction.guess
    # Another scene's control is another one, and stands where it begins.
    key = f"ask-guess-{scene.page.slug}-{scene.view.key}-{session().modes.get('scene', '')}"
    # A slider stands somewhere. Before a class that is no guess until somebody moves it.
    start = None if isinstance(guess, Choice) else guess.write(guess.default)

    def touch() -> None:
        session().stay()
        session().touched = key

    with st.container(key="ask", horizontal=True, vertical_alignment="bottom"):
        if isinstance(guess, Choice):
            st.segmented_control(
                guess.label,
                list(guess.options),
                format_func=guess.options.__getitem__,
                required=True,
                key=key,
                on_change=touch,
            )
        else:
            options = [guess.write(value) for value in guess.limit.grid]
            label = f"{guess.limit.symbol} {superscript(guess.limit.meaning)}"
            st.select_slider(
                label,
                options,
                start,
                format_func=in_full,
                key=key,
                width="stretch",
                on_change=touch,
            )

        def reveal() -> None:
            text = st.session_state[key]
            untouched = text is None or (session().presenting and session().touched != key)
            session().predict(scene, None if untouched else guess.read(text, guess.default)[0])
            ask_for_all()  # a reader who waits for the answer wants all of it
            session().leave("ask")

        st.button("Reveal", key="reveal", type="primary", on_click=reveal)
