"""Rounds answered by keys and by hand, in a real browser."""

from playwright.sync_api import expect

STATE = {"view": "play", "mechanism": "laplace", "epsilon": "1", "seed": "3"}


def test_a_game_is_played_by_keys_and_buttons_and_stays_out_of_the_address(reader):
    reader.page.set_viewport_size({"width": 1280, "height": 720})
    reader.open("promise", STATE)
    bar = reader.page.locator(".rounds progress")
    now = reader.page.locator(".rounds .far")
    button = reader.page.get_by_role("button", name="With you", exact=False).last
    said = []
    box = button.bounding_box()
    assert box["y"] + box["height"] < 720  # whoever is asked sees how to answer
    for number in range(1, 21):
        expect(now).to_have_text(f"Round {number} of 20")
        expect(reader.takeaway).to_contain_text("Were you in?")
        reader.settle()
        if number % 2:
            reader.page.keyboard.press("o")
        else:
            button.click()
        expect(bar).to_have_js_property("value", number)
        said.append(reader.page.url)
    expect(reader.takeaway).to_contain_text("You were right in")
    assert not [url for url in said if "guess" in url or "oi" in url]
    dare = reader.key("dare").locator("code")
    expect(dare).to_contain_text("of 20 times: can you do better?")
    expect(dare).to_contain_text(reader.page.url)  # the same answers
    reader.settle()
    reader.page.keyboard.press("n")
    reader.wait_for_query(seed="4")
    expect(now).to_have_text("Round 1 of 20")
    expect(bar).to_have_js_property("value", 0)


def test_no_round_is_lost_to_keys_that_are_quicker_than_the_figures(reader):
    reader.open("promise", STATE | {"seed": "6"})
    reader.settle()
    button = reader.page.get_by_role("button", name="With you", exact=False).last
    bar = reader.page.locator(".rounds progress")
    button.dblclick()  # one answer: nobody means two
    expect(bar).to_have_js_property("value", 1)
    for letter in "oi" * 12:
        reader.page.keyboard.press(letter)
    expect(bar).to_have_js_property("value", 20)  # at once, whatever is drawn
    expect(reader.takeaway).to_contain_text("You were right in")
    reader.settle()
    reader.page.keyboard.press("n")
    reader.wait_for_query(seed="7")
    expect(bar).to_have_js_property("value", 0)
