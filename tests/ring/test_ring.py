"""What readers, students and lecturers do first, in the browsers that half of a class has."""

import re
import socket
import threading
import time
import urllib.request
from contextlib import contextmanager, suppress
from urllib.parse import quote, urlencode

import orjson
import pytest

from dpviz.scene.lectures import Lecture, shipped
from dpviz.serve.book import contents, figures
from dpviz.serve.book import site as book_site
from dpviz.serve.lecture import file, states
from dpviz.serve.topics import Topics
from tests.browser.test_rooms import course
from tests.ring.tabs import PATIENCE
from tests.serve.rooms.test_sketching import AGAIN

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

SAID = ".dpviz-stage .takeaway"
ODDS = "promise?view=odds"
NAMED = "public_data?view=noise&noise_at=points&public_points=20"
CURVE = """() => {
    let at = document.querySelector(".dpviz-stage");
    while (!at.stage) at = at.parentNode ?? at.host;
    const { drawing, plot } = at.stage.figure;
    const { places } = drawing.line.readings.find(({ key, said }) => key && said.at(-8));
    const { left, top } = plot.getBoundingClientRect();
    const [x, y] = places.at(-8);
    return [left + drawing.ratio * x / 10, top + y / 10];
}"""


def query(tab, key):
    return tab.run("key => new URLSearchParams(location.search).get(key)", key)


def slider(key):
    return f".st-key-{key} >> [role=slider]"


# ---- the app ---------------------------------------------------------------------------------


def test_a_first_visit_has_a_standing_page_that_the_live_one_replaces(tab, site):
    for _ in range(2):  # the second time, the figure is among what the server keeps
        tab.go(f"{site}/promise?view=odds&epsilon=0.7")
        assert tab.run("() => document.querySelector('h1')?.innerText.length > 0")
        tab.rest()
        tab.until("() => !document.querySelector('#standing')?.getClientRects().length")
    assert tab.text(SAID)
    assert tab.run("() => seen('.st-key-controls >> [role=slider]').length") >= 2
    marked = "() => getComputedStyle(seen('.takeaway .term')[0]).textDecorationStyle"
    assert tab.run(marked) == "dotted"


@pytest.mark.parametrize("kind", ["mouse", "touch"])
def test_a_slider_is_dragged_and_the_figure_follows(tab, site, kind):
    if kind == "touch" and tab.name == "WebKit":
        pytest.skip("WebKitGTK's driver has no finger")
    tab.go(f"{site}/{ODDS}")
    number = tab.rest()
    left, _, width, _ = tab.place(slider("epsilon"))
    said = tab.text(SAID)
    x, y, wide, high = tab.place(".st-key-epsilon >> .thumb")
    at = x + wide / 2, y + high / 2
    tab.down(*at, kind)
    for part in (0.6, 0.5, 0.4):
        tab.move(left + part * width, at[1], kind)
    moving = """after => {
        const { state, number } = document.querySelector(".dpviz-stage").dataset;
        return state === "moving" && Number(number) > after;
    }"""
    tab.until(moving, number)
    tab.up(kind)
    tab.until("() => Number(new URLSearchParams(location.search).get('epsilon')) < 1")
    tab.rest(number)
    assert tab.text(SAID) != said


def test_keys_move_a_slider_and_back_finds_it_moved(tab, site):
    tab.go(f"{site}/{ODDS}&epsilon=1")
    number = tab.rest()
    said = tab.text(SAID)
    tab.press_in(slider("epsilon"), "End")
    tab.until("() => new URLSearchParams(location.search).get('epsilon') === '10'")
    number = tab.rest(number)
    moved = tab.text(SAID)
    assert moved != said
    tab.go(f"{site}/{NAMED}")
    tab.rest()
    tab.back()
    tab.until("said => document.querySelector('.dpviz-stage .takeaway')?.innerText === said", moved)
    tab.rest()
    assert query(tab, "epsilon") == "10"


def test_a_curve_is_named_where_the_mouse_is(tab, site):
    tab.go(f"{site}/{NAMED}")
    tab.rest()
    tab.move(*tab.run(CURVE))
    tab.until("() => document.querySelector('.read-off')?.getClientRects().length")
    tab.move(2, 2)
    tab.until("() => !document.querySelector('.read-off')?.getClientRects().length")


def test_a_line_in_the_figure_is_pulled(tab, site):
    tab.go(f"{site}/{NAMED}")
    number = tab.rest()
    left, top, width, height = tab.place(".here-handle .knob")
    x, y = left + width / 2, top + height / 2
    tab.down(x, y)
    for far in (20, 40, 60):
        tab.move(x + far, y)
    tab.up()
    tab.until("() => Number(new URLSearchParams(location.search).get('public_points')) > 20")
    tab.rest(number)


def test_a_prediction_is_made_and_told(tab, site):
    tab.go(f"{site}/{ODDS}&ask=1")
    number = tab.rest()
    asked = tab.text(SAID)
    tab.press_in(".st-key-ask >> [role=slider]", "ArrowRight")
    tab.click(".st-key-reveal button")
    tab.until(
        "asked => document.querySelector('.dpviz-stage .takeaway').innerText !== asked", asked
    )
    tab.rest(number)


def test_the_game_is_played_by_key_and_by_button(tab, site):
    tab.go(f"{site}/promise?view=play")
    tab.rest()
    rounds = []
    for act in (
        lambda: tab.press("i"),
        lambda: tab.click(".st-key-rounds >> button"),
    ):
        before = tab.text(SAID)
        act()
        tab.until("b => document.querySelector('.dpviz-stage .takeaway').innerText !== b", before)
        tab.until("() => document.querySelector('.dpviz-stage').dataset.state === 'rest'")
        rounds.append(tab.text(SAID))
    assert "2 of 20" in rounds[0] or "1 so far" in rounds[0]
    assert rounds[0] != rounds[1]


def test_a_reader_of_the_dark_has_dark_pages_and_figures(dark, site):
    dark.go(f"{site}/{ODDS}")
    dark.rest()
    light = """name => {
        const [red] = getComputedStyle(document.querySelector(name)).backgroundColor.match(/\\d+/g);
        return Number(red);
    }"""
    assert dark.run(light, ".stApp") < 80
    ground = "() => getComputedStyle(document.querySelector('.plot > svg > rect')).fill"
    assert dark.run(ground) == "rgb(23, 22, 20)"


def test_formulas_and_fonts_are_drawn(tab, site):
    tab.go(f"{site}/{ODDS}&read=what-epsilon-means")
    tab.rest()
    tab.run("() => document.querySelectorAll('details').forEach(part => (part.open = true))")
    fraction = """() => {
        const parts = [...document.querySelectorAll(".prose mfrac, .prose msup")]
            .filter(part => part.getClientRects().length);
        const [base, power] = parts[0]?.children ?? [];
        if (!base) return null;
        const [a, b] = [base, power].map(part => part.getBoundingClientRect());
        return a.height > 0 && b.height > 0 && a.top !== b.top;
    }"""
    tab.until(fraction)
    family = """() => [...document.fonts]
        .some(({ family, status }) => /dpviz Serif/.test(family) && status === "loaded")"""
    tab.until(family)
    # One of the standing page may come too late for it, which is no fault.
    lost = """() => [...document.fonts].filter(font => font.status === "error")
        .map(font => font.family).filter(family => !/Standing/.test(family))"""
    assert tab.run(lost) == []


def test_a_page_is_printed(tab, site):
    if tab.name == "WebKit":
        pytest.skip("WebKitGTK's driver prints nothing")
    tab.go(f"{site}/{ODDS}")
    tab.rest()
    assert tab.pdf().startswith(b"%PDF")


def test_on_a_phone_nothing_is_wider_than_the_window(tab, site):
    tab.size(450, 844)  # the narrowest window that Firefox has
    tab.go(f"{site}/{ODDS}")
    tab.rest()
    assert tab.run("() => document.querySelector('.stMain').scrollWidth <= innerWidth")
    left, _, width, _ = tab.place(slider("epsilon"))
    assert left >= 0
    assert left + width <= tab.run("() => innerWidth")


# ---- a room, from a phone's side -------------------------------------------------------------


class Lecturer:
    """Who leads a room without a browser."""

    def __init__(self, site, at):
        self.site = site
        page = self._ask(f"/room?at={quote(at)}")
        self.code = re.search(r'action="[./]*room/(\w+)"', page)[1]
        screen = self._ask(f"/room/{self.code}", urlencode({"at": at}).encode())
        self.secret, self.read = (
            re.search(rf'data-{name}="([^"]+)"', screen)[1] for name in ("secret", "read")
        )

    def do(self, **said):
        self._ask(f"/room/{self.code}/do", orjson.dumps(said))

    def _ask(self, path, data=None):
        heads = {"X-Dpviz-Lead": getattr(self, "secret", ""), "Content-Type": "application/json"}
        asked = urllib.request.Request(f"{self.site}{path}", data, heads)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.read().decode()

    @property
    def joined(self):
        """How many phones the screen would count."""
        url = f"{self.site}/room/{self.code}/events?screen&read={quote(self.read)}"
        with urllib.request.urlopen(url, timeout=60) as stream:
            told = next(line for line in stream if line.startswith(b"data: "))
        return orjson.loads(told[6:])["joined"]


class Network:
    """What lies between a phone and the server, and can be gone for a while."""

    def __init__(self, target):
        self.target, self.up, self.lines = int(target.rpartition(":")[2]), True, []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                near, _ = self.server.accept()
            except OSError:
                return
            if not self.up:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.target))
            self.lines += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    @staticmethod
    def _carry(one, other):
        with suppress(OSError):
            while part := one.recv(65536):
                other.sendall(part)
        for line in (one, other):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def cut(self):
        self.up = False
        for line in self.lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


@contextmanager
def network(target):
    between = Network(target)
    yield between
    between.cut()
    between.server.close()


JOINED = "() => document.body?.dataset.state === 'joined'"


def test_a_lecturer_opens_a_room_begins_and_asks(tab, site):
    tab.go(f"{site}/room?at={quote('/promise?view=odds')}")
    tab.click("form[method=post] button")
    tab.until("() => document.body?.dataset.state === 'linked' && seen('.lobby').length")
    tab.press("ArrowRight")
    tab.until("() => document.body?.dataset.followed === 'true'")
    tab.click("[data-word=predict]")
    tab.until("() => seen('.panel h1')[0]?.innerText")
    tab.until("() => document.querySelector('.panel .dpviz-stage').dataset.state === 'rest'")
    tab.reload()
    tab.until("() => document.body?.dataset.state === 'linked' && seen('.panel h1').length")


def test_a_phone_joins_votes_reloads_and_outlives_a_lost_network(tab, site):
    tab.size(450, 844)
    lecturer = Lecturer(site, "/promise?view=odds")
    with network(site) as between:
        tab.go(f"{between.address}/room/{lecturer.code}")
        tab.until(JOINED)
        lecturer.do(word="ask", kind="survey", text="Do you sleep enough?", epsilon="1")
        tab.says(".asked", "Do you sleep enough?")
        tab.click(".asked button")
        tab.until("() => document.querySelector('.asked').dataset.said === 'true'")
        tab.reload()
        tab.until(JOINED)
        tab.until("() => document.querySelector('.asked').dataset.said === 'true'")
        assert not tab.run("() => Boolean(document.querySelector('.forgets:not([hidden])'))")
        between.cut()
        tab.until("() => document.body?.dataset.state === 'lost'")
        between.up = True
        tab.until(JOINED)
        lecturer.do(word="over")
        tab.until("() => document.querySelector('.asked').hidden")


def test_a_phone_within_a_page_of_another_site_is_one_phone(tab, site):
    tab.size(450, 844)
    lecturer = Lecturer(site, "/promise?view=odds")
    with course() as around:
        link = f"{around}/?{quote(f'{site}/room/{lecturer.code}', safe='')}"
        tab.go(link)
        for again in (False, True):
            if again:
                tab.out()
                tab.reload()
            tab.into_frame()
            tab.until(JOINED)
            end = time.monotonic() + PATIENCE
            while lecturer.joined != 1:
                assert time.monotonic() < end
                time.sleep(0.1)
        tab.out()


def test_a_phone_draws_a_curve(tab, site):
    tab.size(450, 844)
    lecturer = Lecturer(site, "/promise?view=again")
    tab.go(f"{site}/room/{lecturer.code}")
    tab.until(JOINED)
    lecturer.do(word="go", figure=AGAIN, heading="How fast?", link="/promise?view=again")
    tab.rest()
    lecturer.do(word="sketch")
    left, top, width, height = tab.place(".asked .canvas")
    tab.down(left + 0.3 * width, top + 0.7 * height)
    for x, y in ((0.5, 0.5), (0.7, 0.4), (0.95, 0.2)):
        tab.move(left + x * width, top + y * height)
    tab.up()
    tab.click(".asked .sketch-acts .first")
    tab.until("() => document.querySelector('.asked').dataset.said === 'true'")


# ---- from disk -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def disk(tmp_path_factory):
    """A lecture in a file, and a book of a view."""
    folder = tmp_path_factory.mktemp("disk")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "_HALVINGS", 1)
        patch.setattr(figures, "_PAIR", 2)
        patch.setattr(figures, "GAMES", 1)
        lecture = shipped()["what-epsilon-promises"]
        odds = [scene for scene in lecture.scenes if scene.state.get("view") == "odds"]
        few = Lecture(lecture.title, (odds[0], next(scene for scene in odds if scene.ask)))
        content = file.made(few, Topics(), site="https://example.org/", seconds=6000)
        (folder / "lecture.html").write_bytes(content)
        chosen = contents.chosen(["shared_darts?view=board", "promise?view=play"], Topics())
        book_site.write(chosen, folder / "book", live="https://x/")
    return folder


def test_a_lecture_moves_and_goes_on_from_disk(tab, disk):
    tab.go((disk / "lecture.html").as_uri())
    number = tab.rest()
    said = tab.text(SAID)
    tab.press_in("[role=slider]", "Home")
    number = tab.rest(number)
    assert tab.text(SAID) != said
    tab.press("Escape")
    tab.click("#next")
    tab.says("#place", "2 of 2")
    number = tab.rest(number)
    asked = tab.text(SAID)
    tab.click("#reveal, #answer-button")
    tab.rest(number)
    assert tab.text(SAID) != asked
    tab.until("() => document.querySelectorAll('#handout img').length === 2")


def test_a_page_of_a_book_moves_and_a_game_is_played_from_disk(tab, disk):
    tab.go((disk / "book" / "figures" / "1.html").as_uri())
    number = tab.rest()
    said = tab.text(SAID)
    tab.press_in(slider("gap"), "End")
    tab.rest(number)
    assert tab.text(SAID) != said
    tab.until("() => location.hash.length > 1")
    tab.go((disk / "book" / "figures" / "2.html").as_uri())
    number = tab.rest()
    tab.press("i")
    tab.rest(number)
    tab.says(SAID, "of 1 so far. Now")
