"""The page of exercises: it lists, checks, helps, and takes any link."""

import pytest

from dpviz.scene.catalogue import entry
from dpviz.scene.homework import Attempt, set_query, tasks
from dpviz.scene.submissions import as_file
from dpviz.serve import solving
from dpviz.ui import curve
from tests.support.declarations import SLUGS, page
from tests.ui.opening import opened, url

TASKS = tasks(page(slug) for slug in SLUGS)
NUMBER = TASKS["promise.the-delta-of-ten-rows"]
CHOICE = TASKS["adaptive_analysis.four-times-the-samples"]
CURVE = TASKS["shared_darts.each-with-coins-of-their-own"]
PROOF = TASKS["promise.odds-and-why-delta-matters"]


def links(app):
    """The links below the header, by what they say."""
    header = {"dpviz", *(element.proto.label for element in opened("glossary").get("page_link"))}
    return {
        e.proto.label: e.proto.query_string
        for e in app.get("page_link")
        if e.proto.label not in header
    }


def said(app):
    return [text.value for text in app.markdown]


def press(app, label):
    [button] = [button for button in app.button if button.label == label]
    button.click().run()
    assert not app.exception


def answer(app, task, text):
    field = app.radio if isinstance(text, int) else app.text_input
    field(key=f"answer-{task.key}").set_value(text)
    press(app, "Check")


def attempt(app, task):
    return app.session_state["dpviz"].attempts[task.key]


def test_it_lists_the_exercises_of_each_topic():
    app = opened("exercises")
    assert app.title[0].value == entry("exercises").question
    topics = dict.fromkeys(task.topic for task in TASKS.values())
    assert [head.value for head in app.header] == [entry(topic).title for topic in topics]
    assert len(links(app)) == len(TASKS)
    assert url(app) == {}
    app = opened("exercises", topic="promise")
    assert len(links(app)) == 1 + len(page("promise").exercises)
    assert url(app) == {"topic": "promise"}


def test_a_number_is_checked_and_the_solution_says_it():
    app = opened("exercises", **NUMBER.query)
    assert url(app) == NUMBER.query
    assert [head.value for head in app.header] == [NUMBER.exercise.title]
    state = solving.scene(page("promise"), NUMBER.exercise).query
    assert all(f"{key}=" in links(app)["Open the figure"] for key in state)
    answer(app, NUMBER, "5e-6")
    assert r"**Not yet.** It is too small\. Read as 5 × 10⁻⁶\." in said(app)
    answer(app, NUMBER, "none")
    assert any(
        text.startswith(r"“none” is no number; write it like 0\.25, 1/4") for text in said(app)
    )
    answer(app, NUMBER, "2.27e-4")
    assert any(text.startswith("**Right.**") for text in said(app))
    assert (attempt(app, NUMBER).tries, attempt(app, NUMBER).after) == (2, False)
    press(app, "Hint")
    assert any(text.startswith("**Hint.** ") for text in said(app))
    press(app, "Solution")
    assert any(text.startswith("**Solution: 2.27 × 10⁻⁴**") for text in said(app))


def test_a_choice_is_checked():
    app = opened("exercises", **CHOICE.query)
    answer(app, CHOICE, 2)
    assert any(text.startswith("**Not yet.**") for text in said(app))
    press(app, "Solution")
    answer(app, CHOICE, CHOICE.exercise.answer.right)
    assert any(text.startswith("**Right.**") for text in said(app))
    assert attempt(app, CHOICE).after


def test_a_curve_is_drawn_and_its_figure_does_not_tell_it_before(monkeypatch):
    drawn = {}

    def draw(drawing, given, key, *, exact, verdict, taken):
        assert (given, key, callable(taken)) == ("", f"curve-{CURVE.key}", True)
        assert verdict == ("", "")
        drawn.update(drawing.as_data(exact=exact))

    monkeypatch.setattr(curve, "draw", draw)
    app = opened("exercises", **CURVE.query)
    assert drawn["exact"] is None
    assert drawn["marks"][0] == [pytest.approx(0), "TV = 0"]
    assert "outcomes=10" in links(app)["Open the figure"]
    press(app, "Solution")
    assert drawn["exact"][0] == pytest.approx([0, 0.5], abs=0.01)
    assert "outcomes=2" in links(app)["Open the figure"]


def test_nothing_is_checked_without_an_answer():
    app = opened("exercises", **NUMBER.query)
    press(app, "Check")
    assert r"Your answer is empty\." in said(app)
    assert attempt(app, NUMBER).tries == 0
    answer(app, NUMBER, "0.000227")
    answer(app, NUMBER, "")
    assert "**Right.**" in said(app)  # what was right stays so


def test_a_hint_and_a_solution_are_shown_and_hidden_by_the_same_button():
    app = opened("exercises", **PROOF.query)
    places = [button.label for button in app.button]
    for label, begun in (("Hint", "**Hint.** "), ("Solution", "**Solution.** ")):
        press(app, label)
        assert any(text.startswith(begun) for text in said(app))
        press(app, f"Hide the {label.lower()}")
        assert not any(text.startswith(begun) for text in said(app))
        assert [button.label for button in app.button] == places
    assert attempt(app, PROOF).solved


def test_where_nothing_can_be_computed_it_says_so(monkeypatch):
    monkeypatch.setattr(solving, "finest", lambda *_: None)
    app = opened("exercises", **NUMBER.query)
    answer(app, NUMBER, "5e-6")
    assert any("could not be checked just now" in text for text in said(app))
    assert attempt(app, NUMBER).right is None


def test_a_homework_keeps_its_answers_for_a_file():
    homework = set_query((PROOF, NUMBER))
    app = opened("exercises", **homework)
    assert url(app) == homework
    [first, _] = links(app).values()
    assert all(f"{key}=" in first for key in (*homework, *PROOF.query))
    for key, text in PROOF.query.items():
        app.query_params[key] = text
    app.run()
    app.text_area(key=f"words-{PROOF.key}").set_value("By Bayes' rule.").run()
    assert attempt(app, PROOF).words == "By Bayes' rule."
    assert next(iter(links(app))) == "Homework, 1 of 2"
    assert list(links(app))[-1] == f"{NUMBER.exercise.title} →"
    for key in PROOF.query:
        del app.query_params[key]
    app.run()
    assert any(label.endswith("answered") for label in links(app))


def test_a_topic_leads_to_its_exercises_and_back():
    app = opened("promise")
    assert links(app)["Exercises on this topic"] == "topic=promise"
    app = opened("exercises", **NUMBER.query)
    app.switch_page(entry("promise").path).run()
    assert "exercise=the-delta-of-ten-rows" in links(app)["Back to the exercise"]


@pytest.mark.parametrize("key", ["topic", "exercise", "set"])
@pytest.mark.parametrize(
    "text", ["<b>zz</b>", "**zz** [x](https://zz.example) :red[zz] $zz$", "\u0000\u202ezz", ","]
)
def test_garbage_ends_in_a_note(key, text):
    app = opened("exercises", **{key: text})
    assert not app.error
    marks = ("<b>", "**zz**", "](https", ":red[", "$zz$")
    assert not [mark for note in app.info for mark in marks if mark in note.value]
    assert bool(app.info) == (text != "," or key != "set")
    assert url(app) == {}


def test_what_was_right_stays_right():
    app = opened("exercises", **NUMBER.query)
    answer(app, NUMBER, "0.000227")
    answer(app, NUMBER, "7")
    assert any(text.startswith("**Not this one.** It is too large") for text in said(app))
    assert any("Your answer before is right, and stays" in text for text in said(app))
    assert (attempt(app, NUMBER).given, attempt(app, NUMBER).tries) == ("0.000227", 1)
    answer(app, NUMBER, "2.27*10^-4")
    assert any(text.startswith(r"**Right.** Read as 2\.27") for text in said(app))
    assert attempt(app, NUMBER).tries == 1


def test_a_proof_is_ticked_as_done():
    app = opened("exercises", **PROOF.query)
    app.checkbox(key=f"done-{PROOF.key}").check().run()
    assert attempt(app, PROOF).in_words == "done"


def test_a_verdict_stands_above_the_button_that_asks_for_it():
    app = opened("exercises", **NUMBER.query)
    answer(app, NUMBER, "5e-6")
    [form] = app.get("form")
    kinds = [type(part).__name__ for part in form.children.values()]
    assert kinds.index("Markdown") < kinds.index("Button")


def test_the_files_of_a_class_are_a_table():
    app = opened("exercises")
    assert not app.dataframe
    files = [
        ("b.md", as_file([NUMBER], {NUMBER.key: Attempt(given="1", right=False)}, "x", "Bea")),
        ("a.md", as_file([NUMBER], {}, "x", "Ada")),
    ]
    handed = app.session_state["dpviz"].handed_in
    handed.take([(name, text.encode()) for name, text in files] + [("c.md", b"nothing")])
    app.run()
    [table] = app.dataframe
    assert list(table.value["Name"]) == ["Ada", "Bea"]
    assert list(table.value[NUMBER.exercise.title]) == ["open", "not right yet"]
    assert any(r"c\.md is left out" in error.value for error in app.error)
    app.button(key="forget-handed-in").click().run()
    assert not app.dataframe
    assert not app.error
