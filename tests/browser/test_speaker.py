"""Text, a question, a prediction, an exercise: a projector, a speaker's window, three phones."""

from contextlib import ExitStack
from urllib.parse import urlencode

from playwright.sync_api import expect

from dpviz.scene.lectures import TEXT, Lecture, LectureScene, pack
from dpviz.scene.poll import Poll
from tests.browser.test_rooms import tab
from tests.support.examples import only_in_ci

DEFINITION = r"""$M$ is **$(\varepsilon, \delta)$-differentially private** if for all $X, X'$

$$\Pr[M(X) \in S] \le e^{\varepsilon} \Pr[M(X') \in S] + \delta.$$"""
NOISE = Poll("choice", ("Gaussian", "Laplace", "Uniform"), "1", because="Ratios of its density.")
EXERCISE = "promise.a-suspicion-becomes-even"
GAME = {"view": "play", "mechanism": "laplace", "epsilon": "1", "seed": "3"}
LECTURE = Lecture(
    "A promise",
    (
        LectureScene(TEXT, {}, "What is promised?", text=DEFINITION, notes="All sets!", minutes=3),
        LectureScene(TEXT, {}, "Which noise gives δ = 0?", ask=True, poll=NOISE, minutes=4),
        LectureScene("promise", GAME, "How often is the attacker right?", ask=True),
        LectureScene(TEXT, {}, "When is it even?", ask=True, minutes=5, exercise=EXERCISE),
    ),
)


@only_in_ci
def test_the_projector_shows_none_of_what_the_speaker_has(chromium, address):
    text = pack(LECTURE)
    start = f"/{TEXT}?{urlencode(LECTURE.query(1, text) | {'present': '1'})}"
    with ExitStack() as stack:
        screen = tab(stack, chromium, 1280, 720)
        phones = [tab(stack, chromium, 390, 800) for _ in range(3)]
        screen.goto(address + start)  # before there is a room, notes have a window of their own
        with screen.context.expect_page() as opened:
            screen.get_by_role("link", name="Notes").click()
        notes = opened.value
        expect(notes.get_by_text("All sets!")).to_be_attached()
        notes.get_by_role("button", name="Show the notes").click()
        expect(notes.locator(".then")).to_have_text("Next: scene 2 of 4")
        notes.keyboard.press("ArrowRight")
        expect(notes.locator(".step")).to_have_text("A promise: scene 2 of 4")
        assert "All sets!" not in screen.locator("body").inner_text()
        notes.close()

        screen.goto(f"{address}/room?{urlencode({'at': start})}")
        screen.get_by_role("button", name="Open a room").click()
        room = f"{address}/room/{screen.get_attribute('body', 'data-code')}"
        for phone in phones:
            phone.goto(room)
        with screen.context.expect_page() as opened:
            screen.locator(".speaker-button").click()
        speaker = opened.value
        speaker.get_by_role("button", name="Show the notes").click()
        expect(speaker.locator(".curtain")).to_have_count(0)
        expect(speaker.locator(".count")).to_have_text("3 phones joined")
        expect(speaker.locator(".elapsed")).to_have_text("Not begun, 16 min planned")
        expect(screen.locator("footer")).to_be_hidden()

        speaker.keyboard.press("ArrowRight")
        for phone in phones:
            expect(phone.locator(".text math").last).to_be_visible()
        expect(screen.frame_locator("iframe").locator(".katex").first).to_be_visible()
        expect(speaker.locator(".notes")).to_have_text("All sets!")
        expect(speaker.locator(".then")).to_have_text("Next: scene 2 of 4")
        expect(speaker.locator(".pace")).to_contain_text("this scene: 3 min")

        speaker.locator(".next").click()
        for phone, said in zip(phones, ("Laplace", "Laplace", "Uniform"), strict=True):
            phone.get_by_role("button", name=said).click()
        expect(speaker.locator(".count")).to_have_text("3 of 3 answered")
        expect(speaker.locator(".votes .words")).to_have_text(
            ["A. Gaussian", "B. Laplace", "C. Uniform"]
        )
        expect(speaker.locator(".votes .bar").nth(1)).to_have_text("2")
        expect(screen.locator(".panel .options li").nth(1)).to_have_text("B. Laplace")
        expect(screen.locator(".panel .spread")).to_be_hidden()
        assert "answered" not in screen.locator("body").inner_text()
        speaker.get_by_role("button", name="Show the answers").click()
        expect(screen.locator(".panel .spread .bar").nth(1)).to_have_text("2")
        speaker.get_by_role("button", name="Reveal").click()
        expect(screen.locator(".panel .exactly")).to_have_text("The answer: B. Laplace.")
        expect(phones[0].locator(".asked")).to_contain_text("Your answer: B. Laplace.")

        speaker.get_by_role("button", name="Back to the page").click()
        said = screen.frame_locator("iframe").get_by_text("The answer: B. Laplace.")
        expect(said).to_be_visible()
        speaker.keyboard.press("ArrowRight")
        for phone in phones:
            phone.locator(".asked").get_by_role("button").first.click()
        expect(speaker.locator(".count")).to_have_text("3 of 3 answered")
        expect(speaker.locator(".differs")).to_contain_text("hidden from the class")
        expect(speaker.locator(".next-scene")).to_contain_text("at 10 in 100")
        axes = speaker.locator(".pad .plot > svg > .axes").bounding_box()
        speaker.locator(".draws").click()
        speaker.mouse.move(axes["x"] + 50, axes["y"] + 50)
        expect(screen.locator(".pen circle")).to_be_visible()
        speaker.mouse.down()
        speaker.mouse.move(axes["x"] + 150, axes["y"] + 90, steps=3)
        speaker.mouse.up()
        expect(screen.locator(".pen polyline")).to_have_count(1)
        speaker.keyboard.press("ArrowRight")  # the answers, which are another picture
        for window in (screen, speaker):
            expect(window.locator(".pen polyline")).to_have_count(0)
        speaker.keyboard.press("ArrowRight")
        expect(screen.locator(".panel .exactly")).to_contain_text("The answer:")
        expect(speaker.locator(".differs")).to_be_empty()

        speaker.keyboard.press("ArrowRight")
        expect(screen.locator(".panel")).to_be_hidden()
        expect(screen.frame_locator("iframe").locator(".st-key-reveal")).to_be_hidden()
        speaker.keyboard.press("ArrowRight")
        for phone, said in zip(phones, ("2.2", "ln 9", "two"), strict=True):
            expect(phone.locator("main > .text")).to_contain_text("at 10 in 100")
            phone.get_by_label("Your number").fill(said)
            phone.get_by_role("button", name="Send").click()
        expect(phones[2].locator(".status")).to_have_text("Your answer is no number.")
        expect(speaker.locator(".count")).to_have_text("2 of 3 answered")
        expect(speaker.locator(".solution")).to_contain_text("Odds of 0.1 to 0.9")
        speaker.get_by_role("button", name="0:30").click()
        for window in (screen, *phones):
            expect(window.locator(".timer")).to_contain_text("0:")
        speaker.get_by_role("button", name="Show the answers").click()
        speaker.get_by_role("button", name="Reveal").click()
        expect(screen.locator(".panel .exactly")).to_have_text("The answer: 2.2.")
        expect(phones[0].locator(".timer")).to_be_hidden()
        report = screen.context.request.get(f"{room}/report").text()
        assert all(
            words in report for words in (LECTURE.scenes[1].prompt, "3 answers", "10 in 100")
        )
        speaker.close(run_before_unload=True)
        expect(screen.locator("footer")).to_be_visible()
