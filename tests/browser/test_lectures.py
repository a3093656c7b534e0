"""The lectures that ship, from start to end on a projector, by keys alone."""

import pytest
from playwright.sync_api import expect

from dpviz.scene.codec import Choice, decode, in_words
from dpviz.scene.lectures import FIRST, Lecture, LectureScene, pack, shipped
from dpviz.scene.scene import Scene
from tests.browser.test_class import LECTURES as TO_A_CLASS
from tests.support.declarations import finest
from tests.support.declarations import page as page_of
from tests.support.examples import chosen, only_in_ci
from tests.support.timers import endless

SCENES = shipped()["stability-is-privacy"].scenes
SIZES = {"stability-is-privacy": (1920, 1080)}

# The figure ends above the lower edge of the projector, and has most of its height.
FITS = """height => {
    const plots = document.querySelectorAll(".dpviz-stage .plot");
    const plot = [...plots].find(plot => plot.clientHeight > 0);
    if (!plot) return false;
    const { bottom, height: own } = plot.getBoundingClientRect();
    return bottom + window.scrollY <= height && own >= 0.6 * height;
}"""


# In letters of the text's own width.
WIDEST = """() => Math.max(...[...document.querySelectorAll(".stMain :is(p, li)")]
    .filter(part => part.getClientRects().length && part.textContent.length > 150)
    .map(part => {
        const letters = document.createElement("canvas").getContext("2d");
        letters.font = getComputedStyle(part).font;
        const letter = letters.measureText(part.textContent).width / part.textContent.length;
        return part.clientWidth / letter;
    }))"""


def written(page, scene):
    """Look at a scene without a figure, and go on."""
    expect(page.locator(".katex").first).to_be_visible()
    if scene.ask:
        page.keyboard.press("PageDown")
        expect(page.get_by_text("The answer:")).to_be_visible()
    page.keyboard.press("PageDown")


# What each scene of each lecture says, tests/ui/classroom/test_lectures_page.py shows.
@only_in_ci
@pytest.mark.parametrize(
    "name",
    chosen([name for name in shipped() if name not in (*TO_A_CLASS, FIRST)], ["why-bounded-noise"]),
)
def test_a_lecture_is_given_from_start_to_end(fresh, name):
    lecture, (width, height) = shipped()[name], SIZES.get(name, (1280, 720))
    reader, page = fresh, fresh.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{reader.address}/lectures")
    start = reader.key(f"lecture-{name}").get_by_role("link", name="Start on a projector")
    start.click()
    for number, scene in enumerate(lecture.scenes, 1):
        expect(page.locator("h1").first).to_have_text(scene.prompt)
        reader.wait_for_query(scene=str(number), present="1")
        reader.wait_for_page(scene.page)
        if scene.is_written:
            written(page, scene)
            continue
        reader.settle()
        if scene.ask:
            question = reader.takeaway.inner_text()
            page.get_by_role("button", name="Reveal").click()
            reader.wait_for_query(scene=str(number))
            expect(reader.takeaway).not_to_have_text(question)
            expect(reader.takeaway).not_to_contain_text("You predicted")  # nobody did
            reader.settle()
        assert reader.figure()  # before an answer there may be axes alone
        page.wait_for_function(FITS, arg=height)
        assert len(reader.key("controls").get_by_role("slider").all()) <= 5
        page.locator("h1").click()  # no field has the keys
        page.keyboard.press("PageDown" if number % 2 else "ArrowRight")
    reader.wait_for_query(scene=str(len(lecture.scenes)))
    page.keyboard.press("ArrowLeft")
    reader.wait_for_query(scene=str(len(lecture.scenes) - 1))
    reader.settle()
    page.keyboard.press("Escape")
    expect(reader.key("step-leave")).to_contain_text("Leave the lecture")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('present')")


# What a path leaves out, by Streamlit's keys.
ELSEWHERE = ("view", "deep", "presets", "room", "enter", "prose", "fold-controls")
# How far the lower edge of the figure, of a game's buttons and of what is said below them is above
# the bar with the steps.
ABOVE_THE_BAR = """() => {
    const bar = document.querySelector(".st-key-steps").getBoundingClientRect().top;
    const parts = [".dpviz-stage .picture", ".st-key-further", ".st-key-why"];
    return parts.flatMap(part => [...document.querySelectorAll(part)])
        .filter(part => part.getClientRects().length)
        .map(part => bar - part.getBoundingClientRect().bottom);
}"""


def said_at(slug, query):
    """The view at an address, its headline, and what is told there after Reveal.

    All as it is computed without a browser: told to who left the guess where it stood, where the
    answer was revealed, and where the control was moved to since.
    """
    declared = page_of(slug)
    values, notes = decode({key: [text] for key, text in query.items()}, declared.url_parameters)
    assert not notes
    scene = Scene.opened(declared, values)
    result = finest(declared, scene.view, scene.values)
    headline, predicted = scene.view.headline(result), scene.prediction
    guess, told = predicted.guess, f"The answer is {predicted.answer(result)}. {headline}"
    if not isinstance(guess, Choice):  # a reader alone who leaves a slider where it stands
        told = f"You predicted {in_words(guess, guess.default)}; t{told[1:]}"
    return (
        scene.view,
        headline,
        told,
        f"{predicted.when_moved(result)} {headline}".replace("**", ""),
    )


# Controls of the path that are a place in the figure, which a hand can take.
PLACES = {"queries", "questions", "tosses", "threshold"}


@only_in_ci
def test_the_first_path_is_played_by_keys_to_its_end(fresh):
    path, reader, page = shipped()[FIRST], fresh, fresh.page
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(reader.address)
    reader.settle()
    reader.key("way-learn").get_by_role("link").press("Enter")
    for number, scene in enumerate(path.scenes, 1):
        expect(page.locator("h1").first).to_have_text(scene.prompt)
        reader.wait_for_query(scene=str(number), ask="1")
        reader.wait_for_page(scene.page)
        reader.settle()
        for key in ELSEWHERE:
            expect(reader.key(key)).to_have_count(0)
        expect(reader.key("at-figure").get_by_role("tab")).to_have_count(0)
        expect(reader.key("controls").get_by_role("slider")).to_have_count(1)
        question = reader.takeaway.inner_text()
        page.keyboard.press("PageDown")
        expect(reader.takeaway).not_to_have_text(question)
        page.wait_for_function("() => !new URLSearchParams(location.search).has('ask')")
        reader.settle()
        expect(reader.key("controls").get_by_role("slider")).to_have_count(1)
        view, _, told, _ = said_at(scene.page, scene.state)
        expect(reader.takeaway).to_have_text(told)
        assert min(page.evaluate(ABOVE_THE_BAR)) >= 0
        grabbed = page.locator(".here-handle .knob")
        expect(grabbed).to_be_visible(visible=scene.control in PLACES)
        if number == 1:
            page.keyboard.press("i")
            expect(reader.takeaway).to_contain_text("of 1 so far")
        if not view.in_parts:
            before = reader.query[scene.control]
            reader.slider(scene.control).press("ArrowLeft")
            moved = "before => new URLSearchParams(location.search).get(before[0]) !== before[1]"
            page.wait_for_function(moved, arg=[scene.control, before])
            reader.settle()
            state = {key: reader.query[key] for key in (*scene.state, scene.control)}
            expect(reader.takeaway).to_have_text(said_at(scene.page, state)[3])
            page.locator("h1").click()
        page.keyboard.press("PageDown")
    expect(page.locator("h1").first).to_have_text("What did you see?")
    for number, question in enumerate(path.questions, 1):
        answers = reader.key(f"question-{number}").get_by_role("radio")
        answers.first.focus()
        page.keyboard.press("Space")
        for _ in range(question.right):
            page.keyboard.press("ArrowDown")
        reply = reader.key(f"reply-{number}")
        expect(reply).to_contain_text(f"Yes. {question.because[question.right]}")
    expect(page.get_by_text("5 of 5 are right, all of them.")).to_be_visible()
    reader.key("question-2").get_by_role("link").press("Enter")
    again = path.scenes[path.questions[1].scene - 1]
    expect(page.locator("h1").first).to_have_text(again.prompt)
    reader.settle()
    expect(reader.takeaway).to_have_text(said_at(again.page, again.state)[1])  # nothing is asked
    reader.key("step-questions").get_by_role("link").press("Enter")
    expect(page.get_by_text("5 of 5 are right, all of them.")).to_be_visible()


# The contrast of a button's words with its ground, by WCAG.
CONTRAST = """button => {
    const light = color => {
        const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map(part => part / 255)
            .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const words = button.querySelector("p") ?? button;
    const both = [getComputedStyle(words).color, getComputedStyle(button).backgroundColor];
    const [low, high] = both.map(light).sort((one, other) => one - other);
    return high / low;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_that_reveals_can_be_read(fresh, scheme):
    fresh.page.emulate_media(color_scheme=scheme)
    fresh.open("promise", shipped()[FIRST].query(2, FIRST))
    assert fresh.page.get_by_role("button", name="Reveal").evaluate(CONTRAST) >= 4.5


# Presses a key in the moment in which the buttons of the page before are gone.
PRESS_BETWEEN_PAGES = """key => new Promise(resolve => {
    const observer = new MutationObserver(() => {
        if (document.querySelector(".st-key-steps")) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        resolve();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.querySelector(".st-key-step-next a").click();
})"""


def test_a_key_pressed_while_the_page_changes_is_not_lost(reader):
    first = SCENES[0].page
    moved = next(number for number, scene in enumerate(SCENES, 1) if scene.page != first)
    query = {"lecture": "stability-is-privacy", "scene": str(moved - 1), "present": "1"}
    reader.open(first, query)
    reader.page.evaluate(PRESS_BETWEEN_PAGES, "Escape")
    reader.wait_for_page(SCENES[moved - 1].page)
    expect(reader.key("step-leave")).to_contain_text("Leave the lecture")
    reader.wait_for_query(lecture="stability-is-privacy", scene=str(moved))


# What stands when the next scene comes into sight, where a browser keeps the one before until then.
SEEN_NEXT = """
window.next = [];
const begun = document.startViewTransition.bind(document);
document.startViewTransition = (change) => begun(async () => {
    await change();
    const { step, other } = document.querySelector(".dpviz-stage").dataset;
    next.push([document.querySelector("h1").textContent, step, other]);
});
"""


def test_the_next_scene_before_a_class_is_seen_when_its_figure_stands(fresh):
    """Its question stood above the figure of the scene before, and the window was empty."""
    page, path = fresh.page, shipped()[FIRST]
    page.add_init_script(endless(1000) + SEEN_NEXT)  # so it waits for the figure alone
    fresh.open(path.scenes[0].page, path.query(1, FIRST) | {"present": "1"})
    for number, scene in enumerate(path.scenes[1:4], 2):
        fresh.key("step-next").get_by_role("link").click()
        page.wait_for_function("number => next.length === number - 1", arg=number)
        expected = [scene.prompt, str(number), "false"]
        assert page.evaluate("next.at(-1)") == expected


def test_keys_step_through_presets_and_draw_again_and_on_a_slider_they_do_not(fresh):
    reader = fresh  # the app knows where among the presets a class is
    reader.open("bounded_noise", {"view": "noise", "present": "1"})
    page, before = reader.page, reader.query["queries"]
    declared = page_of("bounded_noise")
    states = [declared.preset_values(preset) for preset in declared.presets]
    queries = [Scene.opened(declared, state).query for state in states]
    now = next((n for n, query in enumerate(queries) if query.items() <= reader.query.items()), -1)
    expect(reader.key("controls")).to_be_hidden()  # until somebody asks for them
    expect(page.locator(".dpviz-stage .plot > svg")).to_be_visible()  # the server's drawing
    page.keyboard.press("c")
    expect(reader.key("controls")).to_be_visible()
    reader.settle()
    reader.slider("queries").press("ArrowRight")
    page.wait_for_function("before => !location.search.includes(`queries=${before}&`)", arg=before)
    assert reader.query["view"] == "noise"
    assert f"{now + 1} of {len(states)}" in reader.key("steps").inner_text()
    page.locator("h1").click()
    page.keyboard.press("r")
    reader.wait_for_query(seed="1")
    other = next(n for n in range(now + 1, len(queries)) if queries[n]["view"] != "noise")
    for step in range(now + 1, other + 1):
        before = reader.query
        page.keyboard.press("ArrowRight")
        reader.wait_for_query(**queries[step])
    page.keyboard.press("b")  # from one view to another there is an entry of the history
    reader.wait_for_query(**before)


def test_no_word_of_a_lecture_becomes_a_link(reader):
    words = "Expired: [sign in](http://a.example), http://b.example, www.c.example, me@d.example"
    lecture = Lecture(words, (LectureScene("shared_darts", {"gap": "3"}, words),))
    reader.open("shared_darts", lecture.query(1, pack(lecture)))
    heading, steps = reader.page.locator("h1").first, reader.key("steps")
    expect(heading).to_contain_text("me@\N{WORD JOINER}d.example")
    assert heading.inner_text().replace("\N{WORD JOINER}", "") == words
    expect(steps).to_contain_text("1 of 1")
    assert not heading.locator("a").all()
    assert not steps.locator("p a").all()
    reader.page.set_viewport_size({"width": 390, "height": 844})
    assert steps.bounding_box()["height"] < 170  # a title squeezed beside the steps took 340


def test_the_remote_steps_whatever_was_touched_and_reveals_before_it_steps(reader):
    lecture = {"lecture": "why-bounded-noise", "present": "1"}
    reader.open("bounded_noise", lecture | {"scene": "3"})
    page = reader.page
    page.keyboard.press("c")
    expect(reader.key("controls")).to_be_visible()
    reader.settle()
    thumb = reader.slider("queries").bounding_box()
    page.mouse.move(thumb["x"] + 30, thumb["y"] + 16)
    page.mouse.down()
    page.mouse.move(thumb["x"] + 90, thumb["y"] + 16)
    page.mouse.up()
    reader.settle()
    page.keyboard.press("PageDown")
    reader.wait_for_query(scene="4", ask="1")
    reader.settle()
    question = reader.takeaway.inner_text()
    page.keyboard.press("ArrowRight")
    expect(reader.takeaway).not_to_have_text(question)
    reader.wait_for_query(scene="4")
    reader.settle()
    reader.type("queries", "12,000")
    reader.wait_for_query(queries="12000")
    reader.settle()
    page.keyboard.press("ArrowRight")
    reader.wait_for_query(scene="5")


@only_in_ci
def test_a_lecture_outlives_a_reload_of_any_page(fresh):
    reader = fresh
    reader.open("shared_darts")
    reader.open_evidence("Share")
    reader.key("collect-prompt").locator("input").fill("Two people, one board")
    reader.key("collect-add").get_by_role("button").click()
    yours = reader.page.get_by_text("Your lecture: 1 scene")
    expect(yours).to_be_visible()
    reader.page.wait_for_function("() => sessionStorage.getItem('dpviz-lecture')")
    reader.page.reload()
    reader.settle()
    reader.page.goto(f"{reader.address}/lectures")
    prompt = reader.key("scene-0-prompt").locator("input")
    expect(prompt).to_have_value("Two people, one board")
    reader.key("scene-0-drop").get_by_role("button").click()
    expect(reader.page.get_by_text("No scene yet.")).to_be_visible()
    reader.page.wait_for_function("() => !sessionStorage.getItem('dpviz-lecture')")
    reader.page.reload()
    expect(reader.page.get_by_text("No scene yet.")).to_be_visible()
    # All words of the page are as wide as a line of a book.
    assert 60 <= reader.page.evaluate(WIDEST) <= 76
