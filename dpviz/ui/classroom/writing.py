"""A scene that is text, a question of the lecturer's own or an exercise, in place of a figure."""

import streamlit as st

from dpviz.plot.text import plain
from dpviz.plot.written import line_markdown, markdown
from dpviz.scene.arithmetic import read
from dpviz.scene.poll import LONGEST_CHOICE, Poll
from dpviz.scene.showing import LecturePosition
from dpviz.serve import solving
from dpviz.serve.site import at
from dpviz.ui.index import pages
from dpviz.ui.session import session

_SHORT = 450  # characters that fill a projector when they are large


def draw(position: LecturePosition) -> None:
    """Draw the text of a scene, and how its question is answered."""
    given = solving.given(position.scene, pages().get)
    scene = given.step
    if notes := session().notes:
        st.info("  \n".join(notes))
    long = len(scene.text) + (0 if scene.poll is None else sum(map(len, scene.poll.answers)))
    length = "short-text" if long <= _SHORT else "long-text"
    with st.container(key=length), st.container(key=f"text-scene-{position.number}"):
        if scene.text:
            st.markdown(markdown(scene.text))
        if given.figure:
            st.link_button("Open the figure", at(given.figure), icon=":material/open_in_new:")
        if scene.poll is not None:
            _ask(position.number, scene.poll)
    session().commit({})


def _ask(number: int, poll: Poll) -> None:
    """Draw a question, and its answer once that is revealed."""
    key = f"poll-{number}"
    given: str | None = None
    if poll.kind == "choice":
        lettered = {answer: line_markdown(words) for answer, words in poll.lettered().items()}
        given = st.radio(
            "Your answer",
            list(lettered),
            None,
            format_func=lettered.__getitem__,
            key=key,
            on_change=session().stay,
            label_visibility="collapsed",
        )
    elif poll.kind == "number":
        given = _number(key, poll)
    else:
        st.text_input("Your answer", key=key, max_chars=LONGEST_CHOICE, on_change=session().stay)
    if session().predicts_first:
        st.button("Reveal", key="reveal", type="primary", on_click=lambda: session().leave("ask"))
    elif poll.right:
        found = "" if given is None else "Yes. " if poll.is_right(given) else "No. "
        answer, because = line_markdown(poll.right_in_words), line_markdown(poll.because)
        st.markdown(f"**{found}The answer:** {answer}. {because}")


def _number(key: str, poll: Poll) -> str | None:
    """Draw a field for a number, and how it is read; return the number, None for none."""
    text = st.text_input(
        line_markdown(poll.label), key=key, max_chars=LONGEST_CHOICE, on_change=session().stay
    )
    if not text.strip():
        return None
    reading = read(text, poll.unit)
    if note := reading.problem or reading.note:
        st.caption(plain(note))
    return None if reading.problem else f"{reading.value:.12g}"
