"""Words that explain themselves, and a point that is dragged, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.support.reader import LAYOUT

STATE = {"view": "attackers", "side": "all", "mechanism": "laplace", "queries": "1", "epsilon": "1"}


def test_a_word_is_explained_by_mouse_keyboard_and_tap(reader):
    reader.open("promise", STATE)
    box, word = reader.page.locator(".explanation"), reader.takeaway.locator(".term").first
    word.hover()
    expect(box).to_be_visible()
    expect(box).to_contain_text("Attacker: anybody who sees the answers")
    reader.page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    label = reader.key("control-epsilon").locator(".term").first
    label.focus()
    expect(box).to_contain_text("Privacy loss: of an answer")
    label.press("Tab")  # to the field of the same control
    expect(box).to_be_hidden()
    reader.field("epsilon").press("Shift+Tab")
    expect(box).to_contain_text("Privacy loss: of an answer")
    label.blur()
    expect(box).to_be_hidden()
    label.click()
    expect(box).to_contain_text("Privacy loss: of an answer")
    inside = "([box]) => box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight"
    assert box.evaluate_all(f"boxes => ({inside})(boxes.map(b => b.getBoundingClientRect()))")


def test_a_mouse_on_its_way_over_a_word_meets_what_is_below(reader):
    reader.open("promise", STATE)
    label = reader.key("control-epsilon").locator(".term").first
    shown = label.evaluate("""label => {
        const pass = kind => label.dispatchEvent(new PointerEvent(
            kind, { bubbles: true, composed: true, pointerType: "mouse" }));
        pass("pointerover");
        const box = document.querySelector(".explanation");
        const shown = Boolean(box && !box.hidden);
        pass("pointerout");
        return shown;
    }""")
    assert not shown
    label.hover()
    expect(reader.page.locator(".explanation")).to_be_visible()


# Of scenes in a lecture, too, whose keys come back to the page after every click.
@pytest.mark.parametrize("mode", [{}, {"lecture": "first-steps", "scene": "2"}])
def test_a_meaning_stays_after_a_click_until_one_elsewhere_or_escape(reader, mode):
    reader.open("promise", STATE | mode)
    box, word = reader.page.locator(".explanation"), reader.takeaway.locator(".term").first
    for put_away in (lambda: reader.page.keyboard.press("Escape"), reader.page.locator("h1").click):
        word.click()
        word.blur()
        reader.key("control-epsilon").locator(".term").first.hover()
        expect(box).to_contain_text("Attacker: anybody who sees the answers")
        put_away()
        expect(box).to_be_hidden()
        reader.wait_for_query(**mode)  # Escape has left nothing else


def test_the_odds_beside_epsilon_follow_it(reader):
    reader.open("promise", STATE)
    said = reader.page.locator(".st-key-controls .odds")
    expect(said).to_contain_text("A suspicion of 10 in 100 about you becomes at most 23.2 in 100")
    reader.slider("epsilon").press("Home")
    expect(said).to_contain_text("about you hardly grows")


def test_the_attacker_is_dragged_along_the_axis(reader):
    reader.open("promise", STATE)
    place = f"""() => {{
        const {{ x, y, drag }} = ({LAYOUT})();
        return [x(drag.x), y(0.9), x(0.4) - x(drag.x)];
    }}"""
    x, y, across = reader.page.evaluate(place)
    reader.page.mouse.move(x, y)
    reader.page.mouse.down()
    reader.page.mouse.move(x + across / 2, y + 30)
    reader.page.mouse.move(x + across, y + 60)
    handle = reader.page.locator(".here-handle .knob")
    expect(handle).to_have_attribute("aria-valuetext", "0.4")
    reader.page.mouse.up()
    reader.wait_for_query(false_alarms="0.4")
    reader.settle()
    expect(reader.takeaway).to_contain_text("accuses 40% of those not in the data")


def test_the_wall_of_the_noise_is_dragged_and_stays_in_the_hand(reader):
    reader.open("bounded_noise", {"view": "noise", "queries": "10000", "epsilon": "1"})
    place = f"""() => {{
        const {{ x, y, drag }} = ({LAYOUT})();
        return [x(0), x(drag.x), y(0.5)];
    }}"""
    middle, x, y = reader.page.evaluate(place)
    handle = reader.page.locator(".here-handle .knob")
    reader.page.mouse.move(x, y)
    reader.page.mouse.down()
    reader.page.mouse.move((x + middle) / 2, y)
    expect(handle).to_have_attribute("aria-valuetext", "2,500")
    reader.page.wait_for_selector(".dpviz-stage[data-query*='queries=2500&']")
    box = handle.bounding_box()
    assert box["x"] + box["width"] / 2 == pytest.approx((x + middle) / 2, abs=4)
    # Beyond its end the axis gives way, once; then as many pixels are as many answers again.
    reader.page.mouse.move(2 * x - middle, y)
    reader.page.wait_for_selector(".dpviz-stage[data-query*='queries=40000&']")
    reader.page.mouse.move(2 * x - middle + 2, y)
    reader.page.mouse.up()
    reader.wait_for_query(queries="40000")


def test_a_key_that_moves_the_handle_out_of_the_picture_ends_its_movement(reader):
    """The key goes up where the handle is no more: the figure waited for it for ever."""
    reader.open("shared_darts", {"view": "board"})
    reader.page.locator(".here-handle .knob").focus()
    reader.page.keyboard.down("End")
    expect(reader.page.locator(".here-handle")).to_be_hidden()
    reader.page.keyboard.up("End")
    reader.wait_for_query(gap="20")
    reader.settle()
