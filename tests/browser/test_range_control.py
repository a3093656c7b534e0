"""The range control in a real browser: dragged, typed into, moved by keys, and badly treated."""

import re
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from dpviz.scene.codec import Number
from dpviz.scene.scene import Scene
from tests.browser.conftest import running_app
from tests.support.declarations import fields, page
from tests.support.examples import chosen, only_in_ci
from tests.support.reader import STAGE_FIGURE, Reader
from tests.support.typeset import linked, typeset

# What is drawn is what the hand holds, and it is a figure of a movement or the last one.
FOLLOWED = """([key, text, state]) => {
    const {query, state: now} = document.querySelector(".dpviz-stage").dataset;
    return now === state && new URLSearchParams(query).get(key) === text;
}"""

# Words, the paper below them and the lines that lead to them.
WORDS = re.compile(
    r'<line[^>]* class="leader"></line>|<rect[^>]* fill="var\(--ink-background\)"></rect>'
    r"|<text.*?</text>"
)


class Thumb:
    """A hand on the slider of one number."""

    def __init__(self, reader, key):
        self.reader, self.key, self.mouse = reader, key, reader.page.mouse
        reader.slider(key).scroll_into_view_if_needed()
        self.box = reader.slider(key).bounding_box()
        self.height = self.box["y"] + 16

    def at(self, part):
        return self.box["x"] + part * self.box["width"]

    def press(self, part):
        self.mouse.move(self.at(part), self.height)
        self.mouse.down()

    def drag(self, *parts, frames=0):
        """Move the hand; after each move, let the browser paint so many times."""
        for part in parts:
            self.mouse.move(self.at(part), self.height)
            self.reader.frames(frames)

    def drag_followed(self, *parts):
        """Move the hand, and after each move wait for the figure."""
        for part in parts:
            self.drag(part)
            self.followed()

    def followed(self, state="moving"):
        """Wait until the figure of the value in the hand stands."""
        held = [self.key, shown(self.reader, self.key), state]
        self.reader.page.wait_for_function(FOLLOWED, arg=held)

    def release(self):
        self.mouse.up()
        self.reader.wait_for_query(**{self.key: shown(self.reader, self.key)})


HOME = {"view": "attackers", "epsilon": "2"}


@pytest.fixture
def home(reader):
    """The home page as it opens."""
    reader.open("", HOME)
    reader.figure()
    return reader


def shown(reader, key):
    return reader.number(key)


def sentence(reader):
    return reader.takeaway.inner_text()


def assert_alive(reader, key="epsilon"):
    """The control still does what it is told."""
    for press in ("Home", "End"):
        reader.slider(key).press(press)
        text = linked(reader.slider(key).get_attribute("aria-valuetext"))
        reader.wait_for_query(**{key: text})
        assert shown(reader, key) == text


def test_at_rest_the_values_next_to_the_slider_s_are_asked_for(reader):
    reader.open("", HOME)
    reader.page.evaluate("() => { performance.now = () => 0; }")  # every figure comes quickly
    with reader.page.expect_request(lambda request: "idle=1" in request.url) as found:
        reader.slider("epsilon").press("ArrowRight")
    ahead = float(parse_qs(urlsplit(found.value.url).query)["epsilon"][0])
    reader.page.evaluate("delete performance.now")
    reader.settle()
    assert ahead > float(shown(reader, "epsilon")) > 2
    assert found.value.response().status == 204


def test_a_key_asks_for_its_figure_once(home):
    """That of the movement and that at rest, four tenths of a second later, were two requests."""
    asked = []
    home.page.on("request", lambda request: asked.append(urlsplit(request.url)))
    home.slider("epsilon").press("ArrowRight")
    home.wait_for_query(epsilon="2.2")
    home.settle()
    figures = [parse_qs(one.query) for one in asked if "/figure/" in one.path]
    assert [one["epsilon"] for one in figures if "idle" not in one] == [["2.2"]]
    assert not any("moving" in one for one in figures)


def test_the_figure_follows_and_the_address_waits_for_the_end(home):
    length = home.page.evaluate("history.length")
    plot = home.stage.locator(".plot > svg").element_handle()
    thumb = Thumb(home, "epsilon")
    thumb.press(0.05)
    figures, sentences = set(), set()
    for step in range(8):
        thumb.drag_followed(0.05 + step / 10)
        figures.add(home.figure())
        sentences.add(sentence(home))
    assert len(figures) == 8
    assert len(sentences) >= 4
    assert home.query["epsilon"] == "2"
    thumb.release()
    thumb.followed("rest")
    home.settle()
    assert 0.5 <= float(shown(home, "epsilon")) <= 8
    assert plot.evaluate("plot => plot.isConnected")
    assert home.page.evaluate("history.length") == length  # Back leads to another page


def test_the_last_value_counts_however_fast_the_hand_and_the_figure_is_the_link_s(reader):
    reader.open("promise", {"view": "attackers", "epsilon": "1"})
    thumb = Thumb(reader, "epsilon")
    for start, stop in ((0.1, 1.0), (1.0, 0.0), (0.4, 0.6)):
        thumb.press(start)
        thumb.drag(*(start + (stop - start) * step / 15 for step in range(16)))
        thumb.release()
        linked = reader.query
        reader.settle()
        assert reader.query == linked
        assert shown(reader, "epsilon") == linked["epsilon"]
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        reader.slider("epsilon").press(key)
    reader.wait_for_query(epsilon=reader.number("epsilon"))
    reader.settle()
    before = sentence(reader)
    figure = reader.figure()
    reader.page.reload()
    reader.settle()
    # Words at curves stay where they stood under the hand; the sentence is compared below.
    assert WORDS.sub("", reader.figure()) == WORDS.sub("", figure)
    assert sentence(reader) == before


def test_nothing_moves_but_what_is_meant_to(home):
    places = """() => [...document.querySelectorAll(
        "h1, .dpviz-stage .picture, .st-key-controls, .st-key-epsilon, .st-key-at-figure"
    )].map(part => { const {x, y, width, height} = part.getBoundingClientRect();
                     return [x, y, width, height].map(Math.round).join(); })"""
    home.slider("epsilon").evaluate("part => part.scrollIntoView({ block: 'center' })")
    home.steady(home.slider("epsilon"))
    before = home.page.evaluate(places)
    thumb = Thumb(home, "epsilon")
    thumb.press(0.5)
    for step in range(8):
        thumb.drag_followed(0.5 + step / 18)
        assert home.page.evaluate(places) == before
    thumb.release()
    home.settle()
    assert home.page.evaluate(places) == before


HEIGHTS = """(said, texts) => {
    const kept = said.innerHTML;
    const heights = texts.map(text => {
        said.textContent = text;
        return said.getBoundingClientRect().height;
    });
    said.innerHTML = kept;
    return heights;
}"""


def opened_where_the_sentence_grows(reader, widths, height):
    """Open a view with few queries, in a window where the sentence of many is higher."""
    sentences = []
    for queries in ("1e8", "1"):
        reader.open("bounded_noise", {"view": "errors", "queries": queries})
        reader.figure()
        sentences.insert(0, sentence(reader))
    for width in widths:
        reader.page.set_viewport_size({"width": width, "height": height})
        reader.steady(reader.takeaway)  # a page that is still to answer is as wide as before
        first, second = reader.takeaway.evaluate(HEIGHTS, sentences)
        if first < second:
            return
    pytest.fail(f"no window shows the two with different numbers of lines: {sentences}")


def test_a_sentence_that_gets_shorter_pulls_no_slider_away(reader):
    reader.tidy(900)
    opened_where_the_sentence_grows(reader, range(480, 1200, 10), 800)
    thumb = Thumb(reader, "queries")
    heights = [reader.takeaway.bounding_box()["height"]]
    thumb.press(0.01)  # one answer, of which the sentence is shorter
    for step in range(1, 21):
        thumb.drag_followed(0.05 + step / 25)
        heights.append(reader.takeaway.bounding_box()["height"])
    thumb.drag_followed(0.01)
    heights.append(reader.takeaway.bounding_box()["height"])
    thumb.release()
    reader.settle()
    heights.append(reader.takeaway.bounding_box()["height"])
    assert heights == sorted(heights)
    assert heights[0] < heights[-1]
    reader.page.locator("h1").click()
    assert reader.takeaway.bounding_box()["height"] < heights[-1]


def test_on_a_phone_a_sentence_that_gets_longer_pushes_no_slider_away(reader):
    reader.tidy(390, 844)
    opened_where_the_sentence_grows(reader, range(430, 310, -5), 844)
    slider = reader.slider("queries")
    slider.evaluate("part => part.scrollIntoView({ block: 'end' })")
    thumb = Thumb(reader, "queries")
    height = reader.takeaway.bounding_box()["height"]
    thumb.press(0.05)
    for part in (0.2, 0.5, 0.7, 0.8):
        thumb.drag(part)
        thumb.followed()
        assert slider.bounding_box()["y"] == pytest.approx(thumb.box["y"], abs=1)
    assert reader.takeaway.bounding_box()["height"] > height
    thumb.release()


@pytest.mark.parametrize(
    ("slug", "view", "key", "height", "sentence_too"),
    [
        ("propose_test_release", "noise", "epsilon", 844, True),
        ("few_users", "votes", "users", 580, False),
    ],
)
def test_on_a_phone_what_is_asked_about_stays_in_sight(
    reader, slug, view, key, height, sentence_too
):
    """The figure, also a tall one, and with a lower one the sentence.

    How wide a letter is, and so where a sentence breaks, is another in each browser: both windows
    have a line to spare.
    """
    reader.tidy(390, height)
    reader.open(slug, {"view": view})
    reader.figure()
    slider, picture = reader.slider(key), reader.stage.locator(".picture")
    slider.evaluate("part => part.scrollIntoView({ block: 'end' })")
    assert (reader.takeaway.bounding_box()["y"] >= 0) == sentence_too
    assert picture.bounding_box()["y"] >= 0
    thumb = Thumb(reader, key)
    thumb.press(0.5)
    for part in (0.6, 0.4):
        thumb.drag(part)
        thumb.followed()
        sentence, figure = reader.takeaway.bounding_box(), picture.bounding_box()
        assert (sentence["y"] >= 0) == sentence_too
        assert sentence["y"] + sentence["height"] <= figure["y"] + 1
        assert figure["y"] + figure["height"] <= slider.bounding_box()["y"]
        assert slider.bounding_box()["y"] == pytest.approx(thumb.box["y"], abs=1)
    thumb.release()
    reader.settle()
    picture.click(position={"x": 5, "y": 5})
    expect(reader.stage).to_have_attribute("data-sticks", "sentence" if sentence_too else "true")
    assert (reader.takeaway.bounding_box()["y"] >= 0) == sentence_too


def test_a_click_on_the_thumb_keeps_an_exact_value(home):
    field = home.field("epsilon")
    field.fill("2.345678901234")
    field.press("Enter")
    home.wait_for_query(epsilon="2.345678901234")
    thumb = Thumb(home, "epsilon")
    x = home.key("epsilon").locator(".thumb").bounding_box()
    for beside in (0, 2):
        thumb.mouse.move(x["x"] + x["width"] / 2 + beside, thumb.height)
        thumb.mouse.down()
        thumb.mouse.up()
    assert shown(home, "epsilon") == "2.345678901234"
    home.slider("epsilon").press("ArrowRight")
    home.wait_for_query(epsilon="2.5")


def test_a_movement_does_not_wait_for_what_the_page_still_computes(reader):
    reader.open("bounded_noise", {"view": "best", "show": "power"})
    reader.figure()
    reader.type("delta", "1e-250")
    reader.wait_for_query(delta="1e-250")
    thumb = Thumb(reader, "epsilon")
    thumb.press(0.2)
    thumb.drag(0.5, 0.6, 0.7)
    thumb.followed()
    thumb.release()
    thumb.followed("rest")
    assert_alive(reader, "epsilon")


def test_two_requests_of_a_movement_are_on_their_way_at_most(reader):
    reader.open("", HOME)
    reader.page.evaluate(
        """() => {
            window.most = 0;
            let now = 0;
            const ask = window.asked = window.fetch;
            window.fetch = async (address, options) => {
                if (!String(address).includes("moving=1")) return ask(address, options);
                window.most = Math.max(window.most, ++now);
                options.signal.addEventListener("abort", () => (now -= 1));
                const answer = await ask(address, options);
                const end = new TransformStream({ flush: () => (now -= 1) });
                return new Response(answer.body.pipeThrough(end), answer);
            };
        }"""
    )
    thumb = Thumb(reader, "epsilon")
    thumb.press(0.05)
    thumb.drag(*(0.05 + step / 30 for step in range(27)))
    thumb.followed()
    assert 1 <= reader.page.evaluate("most") <= 2
    thumb.release()
    reader.page.evaluate("() => { window.fetch = asked; }")


def test_axes_stand_while_the_thumb_is_held(home):
    ranges = f"() => ({STAGE_FIGURE})().drawing.line.scales.y.join()"
    thumb = Thumb(home, "epsilon")
    thumb.press(0.5)
    thumb.drag_followed(0.54)
    held = home.page.evaluate(ranges)
    for part in (0.58, 0.62, 0.66):
        thumb.drag_followed(part)
        assert home.page.evaluate(ranges) == held
    thumb.release()


def test_what_a_movement_does_not_know_yet_stands_faded_until_the_end(reader):
    """Curves and their words stay; and on release they take their places on the same axis."""
    seen = f"""() => {{
        const {{ svg, line }} = ({STAGE_FIGURE})().drawing;
        const [, , left, right] = line.scales.x;
        const parts = [...svg.querySelectorAll("g")];
        return {{
            faded: parts.filter(part => part.getAttribute("opacity") === "0.3").length,
            dots: parts.filter(part => part.querySelector(".dots, circle")).length,
            words: [...svg.querySelectorAll(".note")].map(part => part.textContent),
            curves: [...new Set(parts.map(part => part.dataset.curve))].filter(Boolean),
            left, right,
        }};
    }}"""
    reader.open("bounded_noise", {"view": "errors", "units": "ratio"})
    reader.figure()
    reader.settle()
    before = reader.page.evaluate(seen)
    thumb = Thumb(reader, "epsilon")
    thumb.press(0.5)
    thumb.drag_followed(0.55, 0.6)
    moving = reader.page.evaluate(seen)
    assert not before["faded"]
    assert not before["dots"]
    assert moving["faded"]
    assert moving["dots"]
    assert set(before["curves"]) <= set(moving["curves"])
    assert (moving["left"], moving["right"]) == (before["left"], before["right"])
    kept = [text for text in before["words"] if text.startswith(("from", "until"))]
    assert kept
    assert all(text in moving["words"] for text in kept)
    thumb.release()
    thumb.followed("rest")
    after = reader.page.evaluate(seen)
    assert not after["faded"]
    assert not after["dots"]
    assert set(after["curves"]) == set(before["curves"])


def test_the_slider_says_what_it_is(home):
    slider = home.slider("epsilon")
    said = {name: slider.get_attribute(f"aria-{name}") for name in ("label", "valuetext")}
    assert said == {
        "label": "ε, privacy loss, smaller is safer: outputs depend less on you",
        "valuetext": "2",
    }
    ends = [int(slider.get_attribute(f"aria-value{name}")) for name in ("min", "now", "max")]
    assert ends[0] == 0
    assert ends[0] < ends[1] < ends[2] < 100  # steps, and no shares of 1e10
    assert slider.bounding_box()["height"] >= 44
    assert home.field("epsilon").get_attribute("aria-label") == "ε, exact value"


def test_keys_move_by_steps_and_a_burst_is_one_step_back(home):
    slider = home.slider("epsilon")
    for press, text in (
        ("ArrowRight", "2.2"),
        ("ArrowDown", "2"),
        ("PageDown", "0.2"),
        ("PageUp", "2"),
        ("End", "10"),
        ("ArrowUp", "10"),
        ("Home", "0.01"),
        ("ArrowLeft", "0.01"),
    ):
        slider.press(press)
        assert slider.get_attribute("aria-valuetext") == text
    home.wait_for_query(epsilon="0.01")
    slider.evaluate(
        """slider => {
            for (let n = 0; n < 5; n++) for (const type of ["keydown", "keyup"])
                slider.dispatchEvent(new KeyboardEvent(type, {key: "PageUp", bubbles: true}));
        }"""
    )
    home.wait_for_query(epsilon="10")


def test_a_typed_number_is_kept_exactly_and_nonsense_gets_a_note_in_its_place(home):
    field, note = home.field("epsilon"), home.key("epsilon").locator(".note")
    height = home.key("epsilon").bounding_box()["height"]
    for typed, kept, words in (
        ("3.1415926535", "3.1415926535", ""),
        ("0.31e1", "3.1", ""),
        ("2,5", "3.1", "“2,5” is not a finite number, write a decimal point; using 3.1."),
        ("rich club", "3.1", "“rich club” is not a finite number; using 3.1."),
        ("<b>1</b>" + 400 * "x", "3.1", "is not a finite number; using 3.1."),
        ("1e999", "3.1", "“1e999” is not a finite number; using 3.1."),
        ("", "3.1", "Nothing is not a finite number; using 3.1."),
        ("99", "10", "“99” is not a number from 0.01 to 10; using 10."),
        ("-4", "0.01", "using 0.01."),
        ("  2  ", "2", ""),
    ):
        field.fill(typed)
        field.press("Enter")
        home.page.wait_for_function(
            "([input, value]) => input.value === value", arg=[field.element_handle(), kept]
        )
        home.wait_for_query(epsilon=kept)
        if words:
            note.filter(has_text=words).wait_for()
            assert field.get_attribute("aria-invalid") == "true"
        else:
            note.wait_for(state="hidden")
        assert home.key("epsilon").bounding_box()["height"] == height
    field.fill("7")
    field.press("Escape")
    assert shown(home, "epsilon") == "2"
    assert_alive(home)


def test_letters_typed_into_the_field_are_no_commands(home):
    field = home.field("epsilon")
    field.focus()
    home.page.keyboard.type("carr")
    assert shown(home, "epsilon") == "2carr"
    assert not home.page.locator("[role=dialog]").count()
    home.page.keyboard.press("Escape")
    assert_alive(home)


def test_a_drag_that_leaves_the_window_ends_where_it_was_let_go(home):
    thumb = Thumb(home, "epsilon")
    thumb.press(0.5)
    thumb.mouse.move(4000, -300)
    thumb.release()
    assert home.query["epsilon"] == "10"
    thumb.press(0.9)
    thumb.mouse.move(-500, 5000)
    thumb.release()
    assert home.query["epsilon"] == "0.01"
    assert_alive(home)


def test_a_button_let_go_unseen_ends_the_drag(home):
    thumb = Thumb(home, "epsilon")
    thumb.press(0.2)
    thumb.drag(0.5)
    held = shown(home, "epsilon")
    home.slider("epsilon").evaluate(
        """slider => slider.dispatchEvent(new PointerEvent("pointermove", {
            pointerId: 1, buttons: 0, clientX: 0, bubbles: true}))"""
    )
    home.wait_for_query(epsilon=held)
    thumb.mouse.up()
    assert shown(home, "epsilon") == held
    assert_alive(home)


@only_in_ci
def test_haste_between_views_and_sliders_breaks_nothing(reader):
    reader.open("bounded_noise", {"epsilon": "1"})
    reader.figure()
    declared = page("bounded_noise")
    views = (*declared.in_depth[:1], *declared.for_everyone[::-2])
    for step, frames in enumerate(chosen((0, 3, 7, 14), (0, 7))):  # slower and slower
        view = views[step % 3]
        reader.tab("In depth" if view in declared.in_depth else view.title).click()
        reader.wait_for_query(view=view.key)
        slider = reader.slider("queries")
        slider.focus()
        for press in ("Home", "PageUp", "ArrowLeft", "End"):
            reader.page.keyboard.press(press)
            reader.frames(frames)
        slider.blur()
    assert_alive(reader, "epsilon")


@contextmanager
def fingers(reader):
    """Touch the screen with points (x, y): one for each finger."""
    session = reader.page.context.new_cdp_session(reader.page)

    def touch(kind, *points):
        session.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, x, y in points]},
        )
        reader.frames(3)

    yield touch
    session.detach()


def test_of_two_fingers_the_first_counts(home):
    thumb = Thumb(home, "epsilon")
    y = thumb.height
    with fingers(home) as touch:
        touch("touchStart", (0, thumb.at(0.2), y))
        for part in (0.3, 0.4, 0.5):
            touch("touchMove", (0, thumb.at(part), y))
        held = shown(home, "epsilon")
        touch("touchStart", (0, thumb.at(0.5), y), (1, thumb.at(0.9), y))
        touch("touchMove", (0, thumb.at(0.5), y), (1, thumb.at(0.95), y))
        assert shown(home, "epsilon") == held
        touch("touchEnd", (0, thumb.at(0.5), y))
        touch("touchEnd")
    home.wait_for_query(epsilon=held)
    assert_alive(home)


def test_a_finger_that_scrolls_the_page_moves_no_slider(reader):
    reader.tidy(390, 844)
    reader.open("", HOME)
    reader.figure()
    thumb = Thumb(reader, "epsilon")
    scrolled = "document.querySelector('.stMain').scrollTop"
    before = reader.page.evaluate(scrolled)
    with fingers(reader) as touch:
        touch("touchStart", (0, thumb.at(0.8), thumb.height))
        for step in range(1, 8):
            touch("touchMove", (0, thumb.at(0.8), thumb.height + 25 * step))
        touch("touchEnd")
        reader.page.wait_for_function(f"before => {scrolled} !== before", arg=before)
        reader.steady(reader.slider("epsilon"))
        assert shown(reader, "epsilon") == reader.query["epsilon"] == "2"
        thumb = Thumb(reader, "epsilon")
        touch("touchStart", (0, thumb.at(0.95), thumb.height))
        touch("touchEnd")
    assert float(shown(reader, "epsilon")) > 3
    reader.wait_for_query(epsilon=shown(reader, "epsilon"))


def test_a_lost_connection_is_caught_up_with(fresh):
    reader = fresh
    reader.page.add_init_script(
        """window.sockets = [];
        window.WebSocket = class extends WebSocket {
            constructor(...all) { super(...all); sockets.push(this); }
        };"""
    )
    reader.open("", HOME)
    reader.figure()
    thumb = Thumb(reader, "epsilon")
    thumb.press(0.1)
    thumb.drag_followed(0.2, 0.3)
    reader.page.evaluate("sockets.at(-1).close()")
    thumb.drag(0.5, 0.7, 0.9, frames=3)
    thumb.release()
    assert float(reader.query["epsilon"]) > 4
    assert_alive(reader)
    reader.faults.clear()


def unusual(slug, view):
    """A state of a view that is nowhere on the sliders' grids."""
    declared = page(slug)
    values = {}
    for parameter in declared.url_parameters:
        values[parameter.key] = parameter.default
        if isinstance(parameter, Number):
            low, high = parameter.limit.minimum, parameter.limit.maximum
            between = low + (min(parameter.limit.default * 1.37, high) - low) * 0.913
            values[parameter.key] = round(between) if parameter.limit.integer else between
    return Scene.opened(declared, values | {"view": view}).query


@only_in_ci
def test_a_deep_link_comes_first_and_a_restart_during_a_drag_is_caught_up_with(chromium):
    linked = unusual("promise", "odds")
    with ExitStack() as first_life:
        address = first_life.enter_context(running_app())
        with Reader.at(chromium, address) as reader:
            reader.open("promise", linked)
            first = reader.figure()
            assert reader.slug == "promise"
            assert reader.query == linked
            for parameter in fields("promise", linked):
                expect(reader.field(parameter.key)).to_have_value(
                    typeset(parameter.key, linked[parameter.key])
                )
            reader.page.reload()
            reader.settle()
            assert reader.figure() == first
            other = Thumb(reader, "prior")
            other.press(0.9)
            other.drag_followed(0.8, 0.6)
            other.release()
            kept = shown(reader, "prior")
            thumb = Thumb(reader, "epsilon")
            thumb.press(0.9)
            thumb.drag_followed(0.8, 0.7)
            first_life.close()
            thumb.drag(0.6, 0.5, frames=12)
            with running_app(urlsplit(address).port):
                thumb.drag(0.4, 0.3, frames=12)
                thumb.release()
                reader.settle()
                assert reader.query["prior"] == shown(reader, "prior") == kept
                assert_alive(reader, "epsilon")
                assert reader.query["prior"] == shown(reader, "prior") == kept
                reader.faults.clear()
