"""Predict, then reveal: the reader's guess comes first, then the curve beside it."""

from collections.abc import Callable, Mapping

import streamlit as st

from dpviz.scene.codec import Choice, Value
from dpviz.scene.page import Page, Prediction, View
from dpviz.ui import session


def possible(view: View, values: Mapping[str, Value]) -> Prediction | None:
    """Return what can be predicted about a view in this state."""
    prediction = view.prediction
    return prediction if prediction is not None and prediction.applies(values) else None


def asked(view: View, values: Mapping[str, Value]) -> Prediction | None:
    """Return what the reader is to predict now, before the view shows it."""
    return possible(view, values) if session.modes().get("ask") == "1" else None


def guessed(page: Page, view: View, values: Mapping[str, Value]) -> str:
    """Return the reader's guess about the view in this state, as text, or ""."""
    prediction, guess = possible(view, values), st.session_state.get("guess")
    if prediction is None or guess is None or guess[0] != _about(page, view, values):
        return ""
    return prediction.guess.write(guess[1])


def offer(view: View, values: Mapping[str, Value]) -> None:
    """Draw the button with which a reader asks to predict first."""
    if possible(view, values) and not asked(view, values):
        st.button("Predict first", key="predict", on_click=lambda: session.enter("ask"))


def ask(
    page: Page, view: View, values: Mapping[str, Value], ask_for_all: Callable[[], None]
) -> None:
    """Draw the control for the guess, and the button that reveals the answer."""
    prediction = asked(view, values)
    if prediction is None:
        return
    guess = prediction.guess
    with st.container(key="ask", horizontal=True, vertical_alignment="bottom"):
        if isinstance(guess, Choice):
            st.segmented_control(
                guess.label,
                list(guess.options),
                format_func=guess.options.__getitem__,
                default=guess.default,
                required=True,
                key="ask-guess",
            )
        else:
            options = [guess.write(value) for value in guess.limit.grid]
            label = f"{guess.limit.symbol} {guess.limit.meaning}"
            st.select_slider(
                label, options, guess.write(guess.default), key="ask-guess", width="stretch"
            )

        def reveal() -> None:
            text = str(st.session_state["ask-guess"])
            value, _ = guess.read(text, guess.default)
            st.session_state["guess"] = (_about(page, view, values), value)
            ask_for_all()  # who waits for the answer wants all of it
            session.leave("ask")

        st.button("Reveal", key="reveal", type="primary", on_click=reveal)


def _about(page: Page, view: View, values: Mapping[str, Value]) -> tuple[object, ...]:
    """Return what a guess is about: another state has another answer."""
    return (page.slug, view.key, *page.arguments(view, values).items())
