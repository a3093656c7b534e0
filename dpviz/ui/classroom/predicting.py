"""Predict, then reveal: the reader's guess comes first, then the curve beside it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dpviz.scene.codec import Choice, Value
from dpviz.scene.page import Page, Prediction, View
from dpviz.ui import session
from dpviz.ui.canvas import ask_for_all


def possible(view: View, values: Mapping[str, Value]) -> Prediction | None:
    """Return what can be predicted about a view in this state."""
    prediction = view.prediction
    return prediction if prediction is not None and prediction.applies(values) else None


def asked(view: View, values: Mapping[str, Value]) -> Prediction | None:
    """Return what the reader is to predict now, before the view shows it."""
    return possible(view, values) if session.modes().get("ask") == "1" else None


def adapted(page: Page, view: View, values: Mapping[str, Value]) -> View:
    """Return the view as it is shown now: without the answer, or with the reader's guess."""
    if hidden := asked(view, values):
        hide, question = hidden.hide, hidden.question
        return replace(
            view,
            figure=lambda result, theme: view.figure(hide(result), theme),
            takeaway=lambda _: question,
        )
    guess = st.session_state.get("guess")
    prediction = possible(view, values)
    if prediction is None or guess is None or guess[0] != _about(page, view, values):
        return view
    value = guess[1]
    said = prediction.guess.options[value] if isinstance(prediction.guess, Choice) else None
    words = said or prediction.guess.write(value)

    def takeaway(result: Any) -> str:
        answer = prediction.answer(result)
        told = f"You predicted **{words}**; it is **{answer}**. " if answer else ""
        return told + view.takeaway(result)

    return replace(
        view,
        figure=lambda result, theme: view.figure(prediction.mark(result, value), theme),
        takeaway=takeaway,
    )


def offer(view: View, values: Mapping[str, Value]) -> None:
    """Draw the button with which a reader asks to predict first."""
    if possible(view, values) and not asked(view, values):
        st.button("Predict first", key="predict", on_click=lambda: session.enter("ask"))


def ask(page: Page, view: View, values: Mapping[str, Value]) -> None:
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
