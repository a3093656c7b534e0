"""In front of a class: the large view, lectures, predictions, and collecting scenes."""

import re
from dataclasses import replace

import pytest

from dpviz.plot.text import plain, unbroken
from dpviz.plot.theme import LIGHT
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import Choice
from dpviz.scene.lectures import Lecture, LectureScene, pack, shipped, unpack
from dpviz.scene.poll import Poll
from dpviz.serve.lecture.making import Making
from dpviz.ui.classroom import lectures_page, ordering
from tests.support.declarations import SLUGS, begun, every, page
from tests.support.examples import by_ring, chosen
from tests.support.range_controls import controls, end, shown
from tests.ui.figures import figure
from tests.ui.opening import opened, unfold, url

PREDICTED = [
    (slug, view.key) for slug in SLUGS for view in page(slug).views if view.prediction is not None
]
# Who reveals has all of it computed; these take many seconds.
LONG = (("adaptive_analysis", "queries"), ("public_data", "real"))
SHORT = [one for one in PREDICTED if one not in LONG]
predicted = pytest.mark.parametrize(("slug", "key"), by_ring(SHORT[::3], SHORT, PREDICTED))


def keys(app):
    return {button.key for button in app.button}


def sentences(app):
    """All that the page says, the figure's sentence and notes included."""
    last = figure(app).last
    takeaway = re.sub("<[^>]*>", "", last["takeaway"])
    words = [takeaway, last["alt"], *last["notes"], *last["corrections"]]
    said = " ".join([*words, *(m.value for m in app.markdown)])
    return said.replace("\N{NO-BREAK SPACE}", " ")


def test_the_large_view_stays_in_the_link_and_steps_through_the_presets():
    app = opened("shared_darts", present="1")
    assert url(app)["present"] == "1"
    assert app.button("step-previous").disabled
    presets = page("shared_darts").presets
    for preset in presets:
        app.button("step-next").click().run()
        assert not app.exception
        expected = page("shared_darts").preset_values(preset)
        assert app.session_state["dpviz"].values == expected
        assert any(preset.label in caption.value for caption in app.caption)
    assert app.button("step-next").disabled
    app.button("step-previous").click().run()
    assert app.session_state["dpviz"].values == page("shared_darts").preset_values(presets[-2])
    app.button("step-leave").click().run()
    assert "present" not in url(app)
    assert "step-next" not in keys(app)


def test_another_page_begins_before_its_own_presets():
    app = opened("shared_darts", present="1")
    for _ in page("shared_darts").presets:
        app.button("step-next").click().run()
    app.switch_page(entry("perfect_generalization").path)
    app.query_params["present"] = "1"
    app.query_params["seed"] = "9"
    app.run()
    assert any("before the first" in caption.value for caption in app.caption)
    assert not app.button("step-next").disabled


def test_any_page_can_be_made_large():
    app = opened("shared_darts")
    app.button("enter").click().run()
    assert url(app)["present"] == "1"


@pytest.mark.parametrize("slug", SLUGS)
def test_the_large_view_has_few_controls(slug):
    for view in page(slug).views:
        assert set(view.in_sight) <= set(view.parameters), view.key


@pytest.mark.parametrize("text", ["1.damaged", "9.newer", "no-such-lecture", "1." + "x" * 9000])
def test_a_lecture_that_cannot_be_read_leaves_a_working_page_and_a_note(text):
    app = opened("shared_darts", lecture=text, scene="2", gap="3")
    [note] = app.info
    assert "This page works without it." in note.value
    assert "lecture" not in url(app)
    assert url(app)["gap"] == "3"
    assert app.title[0].value == entry("shared_darts").question


# A heading and a title cut within an emoji, as a mail program leaves them.
HALVED = "1.eNqLVgpR0lGIjlYqKMovyC9OjS9JLS6JL0rNSU0sTgXKVNfqKCjFlKZYGBgoVAD5BrGxsQDE6RBt"


def test_a_lecture_with_halves_of_characters_breaks_no_page():
    app = opened("propose_test_release", lecture=HALVED, scene="nan")
    assert "damaged" in app.info[0].value
    app = opened("lectures")
    mine = app.session_state["dpviz"].lecture
    app.text_input("lecture-paste").set_value(f"http://x/?lecture={HALVED}").run()
    assert not app.exception
    assert "damaged" in app.info[0].value
    assert app.session_state["dpviz"].lecture == mine


def test_the_words_of_a_lecture_are_text():
    words = "Session expired: [sign in](http://evil.example) :material/home: **now**"
    scene = LectureScene("shared_darts", {"gap": "3"}, words)
    app = opened(
        "shared_darts", **Lecture(words, (scene,)).query(1, pack(Lecture(words, (scene,))))
    )
    said = plain(words).replace(r"\*\*now\*\*", "**now**")
    assert app.title[0].value == said
    assert f"{said} · 1 of 1" in [caption.value for caption in app.caption]


@pytest.mark.parametrize("scene", ["0", "-1", "99", "x", "1e9", "²", ""])
def test_a_garbled_scene_is_the_nearest_there_is(scene):
    app = opened("bounded_noise", lecture="why-bounded-noise", scene=scene)
    prompts = [plain(scene.prompt) for scene in shipped()["why-bounded-noise"].scenes]
    assert app.title[0].value in prompts
    assert not app.info


def test_the_prompt_of_a_scene_is_the_heading():
    lecture = shipped()["stability-is-privacy"]
    app = opened("perfect_generalization", **lecture.query(3, pack(lecture)))
    assert app.title[0].value == plain(lecture.scenes[2].prompt)
    assert any(f"3 of {len(lecture.scenes)}" in caption.value for caption in app.caption)
    assert url(app)["scene"] == "3"


@pytest.mark.parametrize("name", shipped())
def test_every_scene_of_a_lecture_has_its_prompt_a_figure_and_few_controls(name):
    lecture = shipped()[name]
    numbered = list(enumerate(lecture.scenes, 1))
    for number, scene in chosen(numbered, numbered[::2]):
        app = opened(scene.page, **lecture.query(number, pack(lecture)), present="1")
        assert not app.info
        assert app.title[0].value == unbroken(plain(scene.prompt))
        assert len(controls(app)) <= 5
        if scene.is_written:
            assert bool(scene.ask) == any(button.key == "reveal" for button in app.button)
            continue
        declared, values = page(scene.page), app.session_state["dpviz"].values
        view = declared.open_view(values)
        result = begun(declared, view, values)
        assert view.figure(result, LIGHT.projected(700)).data


def guess(app, control):
    """Guess what a reader is asked: a number other than where the slider stands, or a choice."""
    if isinstance(control, Choice):
        [choice] = [one for one in app.get("button_group") if one.key.startswith("ask-guess-")]
        choice.set_value(control.default).run()
    else:
        [key] = [key for key in controls(app) if key.startswith("ask-guess-")]
        text = next(one for one in written(control) if one != shown(app, key))
        end(app, key, text)


def written(control):
    return list(map(control.write, control.limit.grid))


def evidence(app):
    return [fold.label for fold in app.expander if fold.label == "Source & data"]


@predicted
def test_nothing_tells_the_answer_before_it_is_revealed(slug, key):
    view = next(view for view in page(slug).views if view.key == key)
    app = opened(slug, view=key, ask="1")
    asked = sentences(app)
    assert view.prediction.question in asked
    result = app.session_state["dpviz"].grant.computation.result
    assert view.takeaway(result) not in asked
    assert not evidence(app)
    answer = view.prediction.answer(result)
    assert answer or result.done < 1  # a first result may not know it
    assert not answer or answer not in asked
    guess(app, view.prediction.guess)
    app.button("reveal").click().run()
    assert not app.exception
    assert "ask" not in url(app)
    before = sentences(app)
    assert "You predicted" in before
    # What is told is of the result that the reader has by now, which may be a finer one.
    result = app.session_state["dpviz"].grant.computation.result
    for words in (view.prediction.answer(result), view.takeaway(result)):
        number = r"[−\d.,]+"
        assert re.search(number.join(map(re.escape, re.split(number, words))), before)
    assert evidence(app)


@predicted
def test_a_guess_stands_in_the_figure(slug, key):
    view = next(view for view in page(slug).views if view.key == key)
    values = {p.key: p.default for p in page(slug).url_parameters} | {"view": key}

    def words(shown):
        return view.figure(shown, LIGHT).json().decode()

    for result in every(page(slug), view, values):
        hidden = view.prediction.hide(result)
        marked = view.prediction.mark(result, view.prediction.guess.default)
        assert len(marked.columns()) >= len(hidden.columns())
        if "your prediction" in (drawn := words(marked)):
            break
    assert "your prediction" in drawn
    assert "your prediction" not in words(result)


def test_a_guess_is_forgotten_when_the_parameters_change():
    app = opened("perfect_generalization", view="growth", ask="1")
    guess(app, page("perfect_generalization").open_view({"view": "growth"}).prediction.guess)
    app.button("reveal").click().run()
    assert "You predicted" in sentences(app)
    app.button("preset-0").click().run()
    assert "You predicted" not in sentences(app)


@pytest.mark.parametrize(
    ("slug", "key"), [("promise", "again"), ("perfect_generalization", "growth")]
)
def test_no_class_has_predicted_where_nobody_touched_the_guess(slug, key):
    number = not isinstance(page(slug).open_view({"view": key}).prediction.guess, Choice)
    app = opened(slug, view=key, ask="1")  # a reader alone may leave a slider where it stands
    app.button("reveal").click().run()
    assert ("You predicted" in sentences(app)) is number
    app = opened(slug, view=key, ask="1", present="1")
    app.button("reveal").click().run()
    assert "ask" not in url(app)
    said = sentences(app)
    assert "You predicted" not in said
    assert re.search(r"(?:^|\W)(?:The answer|So far it) is ", said)  # but the question is answered
    assert "your prediction" not in figure(app).content.decode()


def test_a_class_that_drew_hears_no_answer_to_what_it_was_not_asked():
    lecture = shipped()["a-class-takes-part"]
    app = opened("promise", **lecture.query(2, "a-class-takes-part"), present="1")
    app.button("reveal").click().run()
    assert "ask" not in url(app)
    assert "The answer is 69.7%" not in sentences(app)
    assert "An attacker who accuses 20%" in sentences(app)


def test_a_path_tells_how_good_the_attacker_is_at_every_setting():
    path = shipped()["first-steps"]
    app = opened("promise", **path.query(1, "first-steps"))
    app.button("reveal").click().run()
    assert "You predicted 75; the answer is 99.7%. 60 others said yes" in sentences(app)
    for epsilon, right in ((1.0, "69.7%"), (0.1, "52.4%")):
        app.session_state["dpviz"].change({"epsilon": epsilon})
        app.run()
        assert f"The best attacker is now right {right} of the time." in sentences(app)


def test_no_guess_is_about_another_scene():
    path = shipped()["first-steps"]
    app = opened("promise", **path.query(1, "first-steps"))
    [first] = [key for key in controls(app) if key.startswith("ask-guess-")]
    app = end(app, first, "90")
    assert shown(app, first) == "90"
    for number in (2, 1):
        for key, text in path.query(number, "first-steps").items():
            app.query_params[key] = text
        app.run()
        view = page("promise").open_view(app.session_state["dpviz"].values)
        guess = view.prediction.guess
        stands = shown(app, f"ask-guess-promise-{view.key}-{number}")
        assert stands == guess.write(guess.default)


def test_a_text_and_an_exercise_are_added_to_a_lecture_of_ones_own():
    app = opened("lectures")
    app.selectbox("compose-kind").set_value("exercise").run()
    app.selectbox("compose-exercise").set_value("promise.a-suspicion-becomes-even").run()
    app.button("compose-add").click().run()
    app.selectbox("compose-kind").set_value("").run()
    app.text_input("compose-heading").set_value("What is promised?")
    app.text_area("compose-text").set_value(r"$\varepsilon$")
    app.button("compose-add").click().run()
    lecture = app.session_state["dpviz"].lecture
    assert [scene.exercise for scene in lecture.scenes] == ["promise.a-suspicion-becomes-even", ""]
    assert lecture.scenes[0].prompt == "A suspicion becomes even"
    app.button("compose-add").click().run()
    assert "needs a heading" in app.info[-1].value
    app = opened("lectures", **lecture.query(1, pack(lecture)))
    [text, *_] = [m.value for m in app.markdown if "10 in 100" in m.value]
    assert "$\\varepsilon$" in text
    app.button("reveal").click().run()
    assert any(r"The answer:** 2\.2." in m.value for m in app.markdown)


def test_views_are_collected_into_a_lecture_that_a_link_holds():
    app = opened("shared_darts", gap="2.5")
    unfold(app, "Share")
    app.run()
    app.text_input("collect-prompt").set_value("Look at this")
    app.button("collect-add").click().run()
    app.button("collect-add").click().run()
    lecture = app.session_state["dpviz"].lecture
    assert [scene.prompt for scene in lecture.scenes] == ["Look at this", "One board"]
    assert lecture.scenes[0].state["gap"] == "2.5"
    assert unpack(pack(lecture)) == lecture


def test_a_lecture_is_arranged_and_taken_from_a_link():
    app = opened("lectures")
    text = pack(shipped()["why-bounded-noise"])
    app.text_input("lecture-paste").set_value(f"http://x/bounded_noise?lecture={text}&scene=2")
    app.run()
    prompts = [scene.prompt for scene in shipped()["why-bounded-noise"].scenes]

    def now():
        return [scene.prompt for scene in app.session_state["dpviz"].lecture.scenes]

    assert now() == prompts
    app.button("scene-9-drop").click().run()
    assert now() == prompts[:9]
    app.text_input("scene-3-prompt").set_value("Other words").run()
    assert now()[3] == "Other words"
    app.text_area("scene-3-notes").set_value("Wait for an answer.").run()
    assert app.session_state["dpviz"].lecture.scenes[3].notes == "Wait for an answer."
    app.text_input("lecture-title").set_value("Mine").run()
    assert app.session_state["dpviz"].lecture.title == "Mine"
    [link] = app.code
    assert pack(app.session_state["dpviz"].lecture) in link.value
    app.text_input("lecture-paste").set_value("http://x/?lecture=1.damaged").run()
    assert "damaged" in app.info[0].value
    assert len(now()) == 9


def test_the_lectures_say_what_they_show_and_how_long_they_take():
    app = opened("lectures")
    words = " ".join(m.value for m in app.markdown)
    for lecture in shipped().values():
        for scene in lecture.scenes:
            assert re.search(
                rf"{re.escape(plain(scene.prompt))}.* {scene.planned} min\n   > ", words
            )
        length = f"{len(lecture.scenes)} scenes, about {lecture.minutes} minutes"
        assert lecture.about.count(".") == 1
        assert f"{lecture.about} {length}." in words
    [above, _] = words.split(next(iter(shipped().values())).about)
    assert "(#your-own)" in above  # else it is found below everything else
    assert [element.tag for element in app.header][:1] == ["h2"]


def test_one_plan_at_a_time_is_shown_with_links_into_this_copy():
    app = opened("lectures")
    [choice] = [one for one in app.get("button_group") if one.label == "Plan"]
    plans = dict(entry("lectures").sections())
    assert choice.options == list(plans)
    for name, text in list(plans.items())[:2]:
        choice.set_value(name).run()
        [said] = [m.value for m in app.markdown if "](promise?" in m.value]
        assert len(said) == len(text.replace("http://localhost:8501/", ""))


def test_the_end_of_a_path_says_who_is_right_and_keeps_what_was_answered():
    path = shipped()["first-steps"]
    app = opened("lectures", lecture="first-steps", scene="10")
    assert app.title[0].value == "What did you see?"
    assert len(app.radio) == len(path.questions)
    assert "**0 of 5** are right." in [m.value for m in app.markdown]
    first = path.questions[0]
    wrong = (first.right + 1) % len(first.answers)
    app.radio("answer-1").set_value(wrong).run()
    assert f"**No.** {plain(first.because[wrong])}" in [m.value for m in app.markdown]
    for number, question in enumerate(path.questions, 1):
        app.radio(f"answer-{number}").set_value(question.right).run()
    said = [m.value for m in app.markdown]
    assert "**5 of 5** are right, all of them." in said
    yes = [f"**Yes.** {plain(question.because[question.right])}" for question in path.questions]
    assert all(reason in said for reason in yes)
    assert app.session_state["dpviz"].answered == {
        ("first-steps", number): question.right for number, question in enumerate(path.questions, 1)
    }


@pytest.mark.parametrize("scene", ["0", "3", "11", "x"])
def test_a_lecture_with_questions_asks_them_on_its_page_wherever_it_was(scene):
    app = opened("lectures", lecture="first-steps", scene=scene)
    assert app.title[0].value == "What did you see?"
    assert not app.exception


def test_a_scene_of_one_control_has_nothing_around_it():
    scene = shipped()["first-steps"].scenes[1]
    app = opened(scene.page, **shipped()["first-steps"].query(2, "first-steps"))
    assert controls(app).keys() == {"epsilon", "ask-guess-promise-odds-2"}
    assert not app.tabs
    assert not app.expander
    assert keys(app) == {"reveal", "step-leave"}
    app.button("reveal").click().run()
    assert not app.tabs
    assert keys(app) == {"step-leave"}


def test_the_scene_of_delta_says_why_there_is_a_delta():
    path = shipped()["first-steps"]
    said = {}
    for number in (1, 4):  # two scenes of one view
        query = {k: v for k, v in path.query(number, "first-steps").items() if k != "ask"}
        app = opened(path.scenes[number - 1].page, **query)
        [said[number]] = [part.value for part in app.get("html") if "Why?" in part.value]
    assert "one of n people" in said[4]
    assert "one of n people" not in said[1]


def test_a_scene_whose_control_its_view_has_not_is_a_page_as_it_is():
    scene = LectureScene("promise", {"view": "odds"}, "words", control="queries_of_another")
    text = pack(Lecture("title", (scene,)))
    app = opened("promise", **Lecture("title", (scene,)).query(1, text))
    assert not app.exception
    assert len(controls(app)) > 1


def test_a_lecture_is_taken_along_as_one_file(monkeypatch):
    work, asked = Making(), []

    def making(lecture, text, _, *, hurried):
        asked.append((lecture.title, text))
        work.hurried |= hurried
        return work

    monkeypatch.setattr(lectures_page, "making", making)
    app = opened("lectures")
    app.button("file-why-bounded-noise").click().run()
    assert not app.exception
    assert set(asked) == {("Why bounded noise", "why-bounded-noise")}
    assert "file-why-bounded-noise" not in keys(app)
    assert not app.get("download_button")
    app.button("file-hurry").click().run()
    assert work.hurried
    work.content = b"0" * 1_500_000
    app.run()
    [button] = app.get("download_button")
    assert button.proto.label == "Save the file, 1.5 MB"


def test_a_file_is_not_made_any_further_after_stop(monkeypatch):
    monkeypatch.setattr(lectures_page, "making", lambda *_, **__: Making())
    app = opened("lectures")
    app.button("file-first-steps").click().run()
    assert "file-first-steps" not in keys(app)
    app.button("file-stop").click().run()
    assert "file-first-steps" in keys(app)
    assert "file-stop" not in keys(app)


def test_why_there_is_no_file_is_said_once(monkeypatch):
    monkeypatch.setattr(lectures_page, "making", lambda *_, **__: Making(problem="Too long."))
    app = opened("lectures")
    app.button("file-first-steps").click().run()
    assert [info.value for info in app.info] == ["Too long."]
    app.run()
    assert "file-first-steps" in keys(app)
    assert not app.info


def own(app):
    return app.session_state["dpviz"].lecture


def correct(app, number, **fields):
    """Write other words into the fields of a scene, and save them."""
    [save] = [button for button in app.button if button.key.endswith("-save")][number:][:1]
    mark = save.key.removesuffix("-save")
    for name, value in fields.items():
        kinds = (app.text_area, app.text_input, app.selectbox, app.radio)
        [field] = [one for kind in kinds for one in kind if one.key == f"{mark}-{name}"]
        field.set_value(value)
        app.run()
    app.button(f"{mark}-save").click().run()
    assert not app.exception


def test_a_scene_of_ones_own_is_corrected_in_its_place():
    poll = Poll("choice", ("Gaussian", "Laplace"), "0", because="It is wide.")
    number = Poll("number", right="4", span=(0, 9))
    scenes = (
        LectureScene("lectures", {}, "Definition", text="One.", notes="Slowly.", minutes=7),
        LectureScene("lectures", {}, "Which?", ask=True, poll=poll),
        LectureScene("lectures", {}, "How much?", ask=True, poll=number),
        LectureScene("lectures", {}, "Task", ask=True, exercise="promise.odds-after-ten-answers"),
    )
    app = opened("lectures")
    app.session_state["dpviz"].lecture = Lecture("Mine", scenes)
    app.run()
    correct(app, 0, text=r"Two, $\varepsilon$.")
    assert own(app).scenes[0] == replace(scenes[0], text=r"Two, $\varepsilon$.")
    correct(app, 1, answers="Gaussian\nLaplace\nNone", right="2", because="Both end nowhere.")
    changed = Poll("choice", ("Gaussian", "Laplace", "None"), "2", because="Both end nowhere.")
    assert own(app).scenes[1] == replace(scenes[1], poll=changed)
    correct(app, 2, right="2 ln 9", unit="users")
    [_, _, third, _] = own(app).scenes
    assert (third.poll.right, third.poll.unit, third.poll.span) == (
        "4.39444915467",
        "users",
        (0, 9),
    )
    assert third.poll.right_in_words == "2 ln 9 = 4.39 users"
    assert third.poll.is_right("4.4")
    correct(app, 2, right="1/2π")
    assert "two ways" in app.info[-1].value
    assert own(app).scenes[2] == third
    correct(app, 3, exercise="promise.a-suspicion-becomes-even")
    assert own(app).scenes[3].exercise == "promise.a-suspicion-becomes-even"
    assert unpack(pack(own(app))).scenes == own(app).scenes


def test_what_was_just_added_is_a_link_to_it_and_one_scene_is_one():
    app = opened("lectures")
    app.text_input("compose-heading").set_value("What is $\\varepsilon$?")
    app.text_area("compose-text").set_value("A bound.")
    app.button("compose-add").click().run()
    assert "[Added as scene 1](#scene-1)" in [m.value for m in app.markdown]
    assert "scene-1" in [head.anchor for head in app.subheader]
    assert any(caption.value.startswith("1 scene, about") for caption in app.caption)
    assert "What is $\\varepsilon$?" in [m.value for m in app.markdown]  # as it will be seen


def test_a_formula_that_cannot_be_read_is_told_where_it_is_typed():
    app = opened("lectures")
    app.selectbox("compose-kind").set_value("choice").run()
    app.text_input("compose-heading").set_value(r"Is $\foo$ large?").run()
    app.text_area("compose-answers").set_value("Yes\n$a_$").run()
    told = [info.value for info in app.info]
    assert any(r"\foo, which is not known here" in text for text in told)
    assert any("ends too early" in text for text in told)


def test_scenes_are_put_into_another_order():
    assert ordering.reordered({"places": [2, 0, 1], "at": 1}, 3) == [2, 0, 1]
    for sent in (None, {}, {"places": [0, 0]}, {"places": [0]}, {"places": "01"}, [1, 0]):
        assert ordering.reordered(sent, 2) is None
