"""The end of a path: its questions, each with the way back to where its answer is seen."""

import streamlit as st

from dpviz.plot.text import plain
from dpviz.scene.catalogue import entry
from dpviz.scene.lectures import EndQuestion
from dpviz.scene.showing import LecturePosition
from dpviz.ui import navigation
from dpviz.ui.session import session, show


def draw(position: LecturePosition) -> None:
    """Draw the questions of a lecture, how many of them are answered, and where to go on."""
    session().ended.add(position.text)
    questions = position.lecture.questions
    with st.container(key="questions-at-end", gap="medium"):
        for number, question in enumerate(questions, 1):
            _ask(position, number, question)
    right = sum(_answer(position, number) == one.right for number, one in enumerate(questions, 1))
    done = right == len(questions)
    st.markdown(f"**{right} of {len(questions)}** are right{', all of them' if done else ''}.")
    st.header("Go on with", anchor=False)
    with st.container(key="onward", gap="xsmall"):
        for way in position.lecture.onward:
            st.page_link(entry(way.page).path, label=plain(way.words), query_params=dict(way.state))
        navigation.link(entry("lectures"), "All lectures")


def _answer(position: LecturePosition, number: int) -> int | None:
    return session().answered.get((position.text, number))


def _ask(position: LecturePosition, number: int, question: EndQuestion) -> None:
    """Draw one question with its answers, what is said to the one chosen, and the way back."""
    key, given = f"answer-{number}", _answer(position, number)
    new = show(key, given)

    def take() -> None:
        session().answered[position.text, number] = st.session_state[key]
        session().stay()

    with st.container(key=f"question-{number}", gap="xsmall"):
        st.radio(
            f"**{number}. {plain(question.words)}**",
            range(len(question.answers)),
            None if new else given,
            format_func=lambda place: plain(question.answers[place]),
            key=key,
            on_change=take,
        )
        verdict = "&nbsp;"  # keeps the place
        if given is not None:
            found = "Yes" if given == question.right else "No"
            verdict = f"**{found}.** {plain(question.because[given])}"
        with st.container(key=f"reply-{number}"):
            st.markdown(verdict)
        page, query = position.link(question.scene, again=True)
        st.page_link(page.path, label=f"Look at scene {question.scene} again", query_params=query)
