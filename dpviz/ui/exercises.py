"""The page of exercises: all of them, one at a time, and those of a homework."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from urllib.parse import urlencode

import streamlit as st

from dpviz.plot.text import plain
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import Value, encode
from dpviz.scene.exercise import LONGEST_ANSWER, ChoiceAnswer, CurveAnswer
from dpviz.scene.glossary import explained
from dpviz.scene.homework import (
    LONGEST_WORDS,
    MOST_EXERCISES,
    PARAMETERS,
    Attempt,
    ExerciseRequest,
    Task,
    exercise_request,
    minutes,
    set_query,
    tasks,
)
from dpviz.scene.page import Page
from dpviz.scene.submissions import (
    LARGEST,
    LONGEST_NAME,
    MOST_FILES,
    ClassFiles,
    as_csv,
    as_file,
    file_name,
    table,
)
from dpviz.serve import solving
from dpviz.ui import curve, server
from dpviz.ui.index import pages
from dpviz.ui.session import session, show

_ANSWERS = "answers"  # the file that is wanted
_EMPTY = "Your answer is empty."
_BUSY = "The answer could not be checked just now; try again in a moment."


def draw(values: Mapping[str, Value]) -> None:
    """Draw the page below its question, as an address asks for it."""
    request = exercise_request(values, tasks(pages().values()))
    session().fall_back(request.values)
    session().commit(encode(request.values, [one for one in PARAMETERS if request.values[one.key]]))
    if request.notes:
        st.info("  \n".join(map(plain, request.notes)))
    if request.task is not None:
        _exercise(request, request.task)
    elif request.chosen:
        _homework(request)
    else:
        _list(request)


def _attempt(task: Task) -> Attempt:
    return session().attempts.setdefault(task.key, Attempt())


def _link(query: Mapping[str, str], label: str) -> None:
    st.page_link(entry("exercises").path, label=label, query_params=dict(query))


def _list(request: ExerciseRequest) -> None:
    """Draw all exercises, or those of one topic."""
    if request.topic:
        _link({}, "All exercises")
    with st.container(key="exercises"):
        for topic, listed in groupby(request.around, key=lambda task: task.topic):
            with st.container(key=f"exercises-{topic}", gap=None):
                st.header(entry(topic).title, anchor=False)
                _lines(listed, {})
    _choose(request)
    _collect()


def _lines(listed: Iterable[Task], within: Mapping[str, str]) -> None:
    """Draw a link for each exercise, with its kind, its length and how far the reader is."""
    for task in listed:
        far = session().attempts.get(task.key, Attempt()).in_words
        done = "" if far == "open" else f" · {far}"
        _link(dict(within) | task.query, f"**{plain(task.exercise.title)}** · {task.about}{done}")


def _choose(request: ExerciseRequest) -> None:
    """Let a teacher choose a homework, which is a link."""
    with st.expander("Set a homework", key="fold-homework"):
        st.markdown(
            "Choose exercises and give the class the link. Students answer in the app and save "
            "their answers as a file to hand in; the app keeps none."
        )
        chosen = st.multiselect(
            "Exercises",
            list(request.tasks),
            format_func=lambda key: _named(request.tasks[key]),
            max_selections=MOST_EXERCISES,
            key="homework",
        )
        if chosen:
            query = set_query(request.tasks[key] for key in chosen)
            st.code(
                f"{page_address()}?{urlencode(query, safe=',')}", language=None, wrap_lines=True
            )
            long = minutes(request.tasks[key] for key in chosen)
            _link(query, f"Open it: {len(chosen)} of them, about {long} minutes")


def _collect() -> None:
    """Make one table of what a class has handed in."""
    with st.expander("Collect what a class handed in", key="fold-handed-in"):
        handed = session().handed_in
        st.markdown(
            f"Drop all files of the class here, at most {MOST_FILES}. They stay in this "
            "session's memory, and are gone with the tab. A file can be edited by whoever hands it "
            "in: the table says what it says."
        )
        dropped = st.file_uploader(
            "Files of answers",
            type=["md"],
            accept_multiple_files=True,
            key=f"handed-in-{handed.dropped}",
            max_upload_size=1,
        )
        if dropped:
            handed.take((file.name, file.getvalue()[: LARGEST + 1]) for file in dropped)
            for file in dropped:
                server.forget_upload(file.file_id)
            session().stay()
            st.rerun()
        for problem in handed.refused:
            st.error(plain(problem))
        if handed.files:
            _table(handed)


def _table(handed: ClassFiles) -> None:
    """Draw the table of a class, and offer all of it as CSV."""
    titles = {key: task.exercise.title for key, task in tasks(pages().values()).items()}
    files = handed.in_order
    st.dataframe(table(files, titles), hide_index=True, placeholder="")

    def forget() -> None:
        session().stay()
        session().handed_in = ClassFiles(dropped=handed.dropped + 1)

    with st.container(horizontal=True):
        st.download_button(
            "CSV with tries and answers",
            lambda: as_csv(files),
            "class.csv",
            "text/csv",
            icon=":material/arrow_downward:",
            on_click="ignore",
        )
        st.button("Forget the files", key="forget-handed-in", on_click=forget)


def _named(task: Task) -> str:
    return f"{entry(task.topic).title}: {task.exercise.title}"


def page_address() -> str:
    """Return the address of this page, as a class can reach it."""
    return server.address_for_a_class("exercises")


def _homework(request: ExerciseRequest) -> None:
    """Draw the exercises of a homework, and the file of what was answered."""
    count = len(request.chosen)
    st.header("Homework", anchor=False)
    st.markdown(
        f"{count} {'exercise' if count == 1 else 'exercises'}, about {minutes(request.chosen)} "
        "minutes. Your answers stay in this browser tab, and are gone when you close or reload it: "
        "save them as a file."
    )
    with st.container(key="exercises-homework", gap=None):
        _lines(request.chosen, request.homework)
    _take_along(request)


def _take_along(request: ExerciseRequest) -> None:
    """Offer what was answered as a file.

    It is made in the run after the click: only then a name that was typed just before is known.
    """

    def begin() -> None:
        session().stay()
        session().files_begun += 1
        session().file_wanted = _ANSWERS

    with st.container(key="take-answers", horizontal=True, vertical_alignment="bottom"):
        text = st.text_input("Your name, for the file", key="homework-name", max_chars=LONGEST_NAME)
        st.button("Save your answers", key="save-answers", on_click=begin)
    if session().file_wanted != _ANSWERS:
        return
    attempts, page, name = session().attempts, page_address(), " ".join(text.split())
    with st.container(key=f"file-made-{session().files_begun}"):  # page.js presses it, once
        st.download_button(
            f"Saved as {file_name(name)}: save it again",
            lambda: as_file(request.chosen, attempts, page, name),
            file_name(name),
            "text/markdown",
            type="tertiary",
            icon=":material/arrow_downward:",
            on_click="ignore",
        )


def _exercise(request: ExerciseRequest, task: Task) -> None:
    """Draw one exercise: its question, the way to its figure, its answer, hint and solution."""
    exercise, attempt = task.exercise, _attempt(task)
    session().solving = dict(request.homework) | task.query
    with st.container(key="exercise"):
        _link(request.homework or {"topic": task.topic}, _back(request, task))
        st.header(exercise.title, anchor=False)
        st.caption(f"{entry(task.topic).title} · {task.about}")
        st.markdown(explained(exercise.question), unsafe_allow_html=True)
        page = pages()[task.topic]
        st.page_link(
            entry(task.topic).path,
            label="Open the figure",
            icon=":material/open_in_new:",
            query_params=solving.opening(page, exercise, solved=attempt.shows_answer).query,
        )
        if isinstance(exercise.answer, CurveAnswer):
            _curve(task, attempt)
        elif exercise.answer is not None:
            _answer(task, attempt)
        if exercise.answer is None or exercise.level == "program":
            _words(task, attempt)
            _done(task, attempt)
        _help(task, attempt)
    _around(request, task)


def _back(request: ExerciseRequest, task: Task) -> str:
    if request.chosen:
        return f"Homework, {request.chosen.index(task) + 1} of {len(request.chosen)}"
    return f"All exercises on {entry(task.topic).title}"


def _answer(task: Task, attempt: Attempt) -> None:
    """Draw the field of the answer, and what is said of the last one."""
    exercise, key = task.exercise, f"answer-{task.key}"

    def check() -> None:
        session().stay()
        given = st.session_state[key]
        _check(task, "" if given is None else str(given).strip())

    with st.form(f"form-{task.key}", border=False):
        if isinstance(exercise.answer, ChoiceAnswer):
            options = exercise.answer.options
            place = int(attempt.given) if attempt.given else None
            new = show(key, place)
            st.radio(
                "Your answer",
                range(len(options)),
                None if new else place,
                format_func=options.__getitem__,
                key=key,
            )
        else:
            unit = getattr(exercise.answer, "unit", "")
            new = show(key, attempt.given)
            st.text_input(
                f"Your answer, in {unit}" if unit else "Your answer",
                "" if new else attempt.given,
                key=key,
                max_chars=LONGEST_ANSWER,
                autocomplete="off",
            )
        found, comment = _verdict(attempt)  # above the button: it is in sight where that is pressed
        words = f"**{found}** {plain(comment)}" if found else plain(comment)
        st.markdown(words.strip() or "&nbsp;")  # keeps the place
        st.form_submit_button("Check", on_click=check, type="primary")


def _curve(task: Task, attempt: Attempt) -> None:
    """Draw the axes for the curve that is the answer, and what is said of the last one."""
    result = _result(task)
    drawing = (
        None if result is None else solving.drawing(pages()[task.topic], task.exercise, result)
    )
    if drawing is None:
        st.info(_BUSY)
        return

    def check(text: str) -> None:
        session().stay()
        _check(task, text, drawing.drawn(text))

    colours = " Yours is blue; the other curve is exact." if attempt.shows_answer else ""
    st.caption(
        "Draw the curve, or type its value at each dotted line. It is right if it is "
        f"{drawing.allowance} at each of them.{colours}"
    )
    curve.draw(
        drawing,
        attempt.given,
        f"curve-{task.key}",
        exact=attempt.shows_answer,
        verdict=_verdict(attempt),
        taken=check,
    )


def _verdict(attempt: Attempt) -> tuple[str, str]:
    """Return whether the last answer is right, in a word or two, and what else is said of it."""
    if attempt.stays:
        return "Not this one.", f"{attempt.remark} Your answer before is right, and stays.".strip()
    return {True: "Right.", False: "Not yet.", None: ""}[attempt.right], attempt.remark


def _result(task: Task) -> object:
    return solving.result(pages()[task.topic], task.exercise, session().grant.client)


def _check(task: Task, given: str, drawn: str = "") -> None:
    """Compare an answer with what the core says, and keep what comes of it.

    drawn: a curve in words.
    """
    attempt = _attempt(task)
    if not given:
        if not attempt.right:
            attempt.refuse("", _EMPTY)
        return
    result = _result(task)
    if result is None:
        attempt.refuse(given, _BUSY)
        return
    found = solving.checked(pages()[task.topic], task.exercise, result, given)
    if found.right is None:
        attempt.refuse(given, found.comment)
    else:
        attempt.take(given, same=found.same, right=found.right, remark=found.comment, drawn=drawn)


def _words(task: Task, attempt: Attempt) -> None:
    """Draw a field for a proof or a program, which is for the reader's file alone."""
    key = f"words-{task.key}"

    def keep() -> None:
        session().stay()
        attempt.words = str(st.session_state[key] or "")

    new = show(key, attempt.words)
    with st.expander("Write your answer here, to save it as a file", key=f"fold-{key}"):
        st.text_area(
            "Your answer",
            "" if new else attempt.words,
            key=key,
            max_chars=LONGEST_WORDS,
            on_change=keep,
            label_visibility="collapsed",
        )


def _done(task: Task, attempt: Attempt) -> None:
    """Draw what says that a proof or a program is done, as nobody else checks it here."""
    key = f"done-{task.key}"

    def tick() -> None:
        session().stay()
        attempt.done = bool(st.session_state[key])

    new = show(key, attempt.done)
    label = "I have proved it" if task.exercise.level == "proof" else "I have written and run it"
    st.checkbox(label, False if new else attempt.done, key=key, on_change=tick)


def _help(task: Task, attempt: Attempt) -> None:
    """Draw the hint and the solution, each below a button that shows and hides it."""

    def hint() -> None:
        session().stay()
        attempt.hint = not attempt.hint

    def solve() -> None:
        session().stay()
        attempt.open, attempt.solved = not attempt.open, True

    with st.container(key="help", horizontal=True):  # above: the button in focus stays in place
        st.button("Hide the hint" if attempt.hint else "Hint", key="hint", on_click=hint)
        st.button(
            "Hide the solution" if attempt.open else "Solution", key="solution", on_click=solve
        )
    if attempt.hint:
        st.markdown(f"**Hint.** {explained(task.exercise.hint)}", unsafe_allow_html=True)
    if attempt.open:
        _solution(task)


def _solution(task: Task) -> None:
    result = _result(task)
    if result is None:
        st.info(_BUSY)
        return
    right = solving.answer(pages()[task.topic], task.exercise, result)
    solution = f"**Solution: {right}**\n\n" if right else "**Solution.** "
    with st.container(key="solution-said"):
        st.markdown(f"{solution}{task.exercise.solution(result)}")


def _around(request: ExerciseRequest, task: Task) -> None:
    """Draw the ways to the exercises before and after."""
    around = request.around
    place = around.index(task)
    with st.container(key="exercise-steps", horizontal=True):
        for step, label in ((-1, "← {}"), (1, "{} →")):
            if 0 <= place + step < len(around):
                other = around[place + step]
                _link(request.homework | other.query, label.format(plain(other.exercise.title)))


def lead(page: Page) -> None:
    """Draw, below a figure, the way to the exercises of its topic, or back to the open one."""
    query = session().solving
    back = query.get("topic") == page.slug
    if back or page.exercises:
        with st.container(key="to-exercises", width="content"):
            _link(
                query if back else {"topic": page.slug},
                "Back to the exercise" if back else "Exercises on this topic",
            )
