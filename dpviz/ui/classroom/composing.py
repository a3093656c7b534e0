"""What a lecturer writes for a lecture of their own: a text with formulas, a question, an exercise.

The same fields add a scene and correct one.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dpviz.plot.text import plain, readable
from dpviz.plot.written import is_marked, line_markdown, markdown, unreadable
from dpviz.scene.arithmetic import read
from dpviz.scene.catalogue import entry
from dpviz.scene.homework import Task, tasks
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import LONGEST_WRITTEN, TEXT, LectureScene, written
from dpviz.scene.poll import LONGEST_CHOICE, LONGEST_PROMPT, Poll, poll_of
from dpviz.ui.index import pages
from dpviz.ui.session import session

_EXERCISE = "exercise"
_KINDS = {
    "": "Text alone",
    "choice": "Question: choose an answer",
    "number": "Question: a number",
    "words": "Question: a few words",
    _EXERCISE: "Exercise of a topic",
}
_NEW = "compose"
_HELP = "A blank line begins a paragraph, - an item; **bold**, *italic*, $\\varepsilon$."
_NO_RIGHT = "None: nothing is right or wrong"
_AS_WRITTEN = "It will stand as it is written."
_ROUNDED = 0.01  # of a right number that is no whole one

Fields = Mapping[str, str]
"""What stands in the fields, by their names."""


def draw() -> None:
    """Draw what adds a scene without a figure to the reader's own lecture."""
    with st.expander("Add a text, a question of your own or an exercise", key="compose-fold"):
        kind = st.selectbox(
            "What it is", list(_KINDS), format_func=_KINDS.__getitem__, key="compose-kind"
        )
        if kind != _EXERCISE:
            st.text_input(
                "Question" if kind else "Heading", key=_key(_NEW, "heading"), max_chars=200
            )
            show_line(str(st.session_state[_key(_NEW, "heading")] or ""))
        _fields(_NEW, kind)
        st.button("Add", key="compose-add", on_click=_add)
        if added := session().added:
            st.markdown(f"[Added as scene {added}](#scene-{added})")


def correct(number: int, scene: LectureScene, key: str) -> None:
    """Draw the fields of a scene of the reader's own, as it is, and what saves a correction.

    number: its place, from 0. key: of the fields, another one for another scene.
    """
    kind = kind_of(scene)
    for name, value in _said_by(scene).items():
        st.session_state.setdefault(_key(key, name), value)
    _fields(key, kind)

    def save() -> None:
        try:
            changed = _composed(kind, scene.prompt, _given(key))
        except LectureError as error:
            session().refusal = str(error)
            return
        kept = replace(changed, prompt=scene.prompt, notes=scene.notes, minutes=scene.minutes)
        scenes = list(session().lecture.scenes)
        scenes[number] = kept
        session().lecture = replace(session().lecture, scenes=tuple(scenes))

    st.button("Save the correction", key=f"{key}-save", on_click=save)


def kind_of(scene: LectureScene) -> str:
    """Return of which kind a scene without a figure is: a key of the kinds that can be added."""
    if scene.exercise:
        return _EXERCISE
    return scene.poll.kind if scene.poll is not None else ""


def show_line(text: str) -> None:
    """Draw a line with formulas or marks as the class will see it, or say what cannot be read."""
    if problem := unreadable(text):
        st.info(f"{problem} {_AS_WRITTEN}")
    elif is_marked(text):
        st.markdown(line_markdown(text))


def _fields(key: str, kind: str) -> None:
    """Draw the fields of a scene of a kind; what they hold is in the session."""
    if kind == _EXERCISE:
        all_tasks = tasks(pages().values())
        st.selectbox(
            "Exercise",
            list(all_tasks),
            format_func=lambda name: _named(all_tasks[name]),
            key=_key(key, _EXERCISE),
        )
        return
    label = "Text above it, if any" if kind else "Text"
    place = _key(key, "text")
    text = st.text_area(label, key=place, max_chars=LONGEST_WRITTEN, help=_HELP)
    _show(text)
    if kind == "choice":
        answers = _lines(st.text_area("Answers, one a line", key=_key(key, "answers")))
        for problem in filter(None, map(unreadable, answers)):
            st.info(f"{problem} {_AS_WRITTEN}")
        places = ["", *map(str, range(len(answers)))]
        _keep_within(_key(key, "right"), places)
        st.radio(
            "The right one",
            places,
            format_func=lambda one: line_markdown(answers[int(one)]) if one else _NO_RIGHT,
            key=_key(key, "right"),
        )
    elif kind == "number":
        _number("The right number, if there is one", key, "right")
        _number("How far off still counts as right, if not as rounded", key, "within")
        with st.container(horizontal=True):
            _number("Least that is taken, if it matters", key, "least")
            _number("Greatest", key, "most")
        st.text_input("Unit, if it has one", key=_key(key, "unit"), max_chars=LONGEST_CHOICE)
    if kind in ("choice", "number"):
        because = st.text_input("Why", key=_key(key, "because"), max_chars=LONGEST_PROMPT)
        show_line(because)


def _number(label: str, key: str, name: str) -> None:
    """Draw a field for a number, and how it is read."""
    text = st.text_input(label, key=_key(key, name), max_chars=LONGEST_CHOICE)
    if text.strip():
        reading = read(text)
        st.caption(plain(reading.problem or reading.note))


def _keep_within(key: str, options: list[str]) -> None:
    if st.session_state.get(key) not in options:
        st.session_state[key] = ""


def _lines(text: str) -> list[str]:
    return list(filter(None, map(str.strip, text.splitlines())))


def _named(task: Task) -> str:
    return f"{entry(task.topic).title}: {task.exercise.title}, {task.about}"


def _key(key: str, name: str) -> str:
    return f"{key}-{name}"


def _show(text: str) -> None:
    """Draw a text as the class will see it, or say what cannot be read."""
    try:
        written(text)
    except LectureError as error:
        st.info(str(error))
    else:
        if text.strip():
            st.markdown(markdown(text))


_NAMES = ("text", "answers", "right", "within", "least", "most", "unit", "because", _EXERCISE)


def _given(key: str) -> Fields:
    return {name: str(st.session_state.get(_key(key, name)) or "") for name in _NAMES}


def _said_by(scene: LectureScene) -> Fields:
    """Return what stood in the fields of which a scene was made."""
    if scene.exercise:
        return {_EXERCISE: scene.exercise}
    poll = scene.poll
    if poll is None:
        return {"text": scene.text}
    ends = dict(zip(("least", "most"), map(_plainly, poll.span), strict=False))
    right = poll.right
    if poll.kind == "number" and poll.words:
        right = poll.words.rpartition(" = ")[0] or poll.right
    return {
        "text": scene.text,
        "answers": "\n".join(poll.answers),
        "right": right,
        "within": _plainly(poll.within) if poll.within else "",
        "unit": poll.unit,
        "because": poll.because,
        **ends,
    }


def _plainly(value: float) -> str:
    return f"{value:.12g}"


def _add() -> None:
    """Add what was written, or say what it lacks."""
    kind = st.session_state["compose-kind"]
    heading = str(st.session_state.get(_key(_NEW, "heading")) or "").strip()
    try:
        scene = _composed(kind, heading, _given(_NEW))
    except LectureError as error:
        session().refusal = str(error)
        return
    lecture = session().lecture
    session().lecture = replace(lecture, scenes=(*lecture.scenes, scene))
    session().added = len(lecture.scenes) + 1
    for name in ("heading", *_NAMES):
        if name != _EXERCISE and _key(_NEW, name) in st.session_state:
            st.session_state[_key(_NEW, name)] = ""


def _composed(kind: str, heading: str, fields: Fields) -> LectureScene:
    """Return the scene of what was written. Raises `LectureError`."""
    if kind == _EXERCISE:
        task = tasks(pages().values())[fields[_EXERCISE]]
        return LectureScene(TEXT, {}, task.exercise.title, ask=True, exercise=task.key)
    text = written(fields["text"])
    if not heading or not (kind or text.strip()):
        raise LectureError("What is asked?" if kind else "It needs a heading and a text.")
    if not kind:
        return LectureScene(TEXT, {}, heading, text=text)
    poll = _poll(kind, fields)
    return LectureScene(TEXT, {}, heading, ask=bool(poll.right), text=text, poll=poll)


def _poll(kind: str, fields: Fields) -> Poll:
    poll: dict[str, object] = {"kind": kind}
    if kind == "choice":
        poll |= {"answers": _lines(fields["answers"]), "right": fields["right"]}
    elif kind == "number":
        poll |= {"unit": fields["unit"].strip()}
        if fields["right"].strip():
            poll |= _right_number(fields["right"].strip(), fields["within"])
        ends = [_value(fields[name]) for name in ("least", "most") if fields[name].strip()]
        if len(ends) == 1:
            raise LectureError("A range has a least and a greatest number.")
        poll |= {"span": ends}
    if kind != "words":
        poll |= {"because": fields["because"]}
    return poll_of(poll)


def _right_number(text: str, within: str) -> dict[str, object]:
    """Return the right number of what was typed, how it is said, and what counts as right."""
    value = _value(text)
    plain = _plainly(value)
    words = "" if text == plain else f"{text} = {readable(value)}"[:LONGEST_CHOICE]
    rounded = 0.0 if value == math.floor(value) else _ROUNDED * abs(value)
    return {
        "right": plain,
        "words": words,
        "within": abs(_value(within)) if within.strip() else rounded,
    }


def _value(text: str) -> float:
    reading = read(text)
    if reading.problem:
        raise LectureError(f"{reading.problem}.")
    return reading.value
