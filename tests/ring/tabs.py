"""A tab of Firefox, and one of WebKit, as a hand meets them: what each driver has in common.

Firefox is driven by Mozilla's own client, which needs no program between, WebKit by Selenium and
Debian's WebKitWebDriver, with a window on a screen that nobody sees. Both are told by the messages
of the WebDriver standard.
"""

import os
import shutil
import subprocess
import sys
import time
import warnings
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpviz.results.folders import ROOT
from tests.support.ports import own_ports

# The drivers' clients have an environment of their own (.ci/ring makes it); ours comes first.
sys.path += map(str, (ROOT / "build" / "ring").glob("lib/*/site-packages"))

PATIENCE = 60.0  # seconds, on however busy a machine
_MINI = Path("/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser")
_KEYS = {"Tab": "\ue004", "Enter": "\ue007", " ": " ", "End": "\ue010", "Home": "\ue011"}
_KEYS |= {"ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Escape": "\ue00c"}
# All parts of a name, also those within components; "a >> b" is what is within the parts named a.
_ALL = """const all = (root, name) => [
    ...root.querySelectorAll(name),
    ...[...root.querySelectorAll("*")]
        .flatMap(part => part.shadowRoot ? all(part.shadowRoot, name) : []),
];
const seen = name => name.split(" >> ")
    .reduce((roots, one) => roots.flatMap(root => all(root, one)), [document])
    .filter(part => part.getClientRects().length);"""
_PLACE = """name => {
    const [part] = seen(name);
    if (!part) return null;
    part.scrollIntoView({ block: "nearest" });
    const { left, top, width, height } = part.getBoundingClientRect();
    return [left, top, width, height];
}"""
_FOCUS = "name => { const [part] = seen(name); part?.focus(); return Boolean(part); }"


class Tab:
    """run(script): the value of an expression of JavaScript; act: does what WebDriver can."""

    def __init__(
        self,
        name: str,
        version: str,
        run: Callable[[str, list[Any]], Any],
        send: Callable[[str, dict[str, Any]], Any],
        picture: Callable[[], bytes],
    ) -> None:
        self.name, self.version = name, version
        self._run, self._send, self.picture = run, send, picture

    def go(self, url: str) -> None:
        self._send("Navigate", {"url": url})

    def back(self) -> None:
        self._send("Back", {})

    def reload(self) -> None:
        self._send("Refresh", {})

    def into_frame(self) -> None:
        """Look at the page in the first frame, until the tab goes elsewhere."""
        self.until("() => document.querySelector('iframe')")
        self._send("SwitchToFrame", {"id": 0})

    def out(self) -> None:
        self._send("SwitchToFrame", {"id": None})

    def size(self, width: int, height: int) -> None:
        """Give the page so much room, whatever the window has around it."""
        for _ in range(3):
            inner = self.run("() => [innerWidth, innerHeight]")
            outer = self._send("GetWindowRect", {})
            missing = width - inner[0], height - inner[1]
            if not any(missing):
                return
            self._send(
                "SetWindowRect",
                {"width": outer["width"] + missing[0], "height": outer["height"] + missing[1]},
            )
            time.sleep(0.3)

    def pdf(self) -> bytes:
        return b64decode(self._send("Print", {}))

    # ---- looking ---------------------------------------------------------------------------

    def run(self, function: str, *given: Any) -> Any:
        return self._run(f"{_ALL} return ({function})(...arguments)", list(given))

    def until(self, function: str, *given: Any) -> Any:
        """Return the first value that is one."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(function, *given)):
            assert time.monotonic() < end, f"{function} {given}: {self.text('body')[:2000]}"
            time.sleep(0.05)
        return found

    def text(self, part: str) -> str:
        return str(self.run("name => document.querySelector(name)?.innerText ?? ''", part))

    def says(self, part: str, words: str) -> None:
        self.until("(n, w) => document.querySelector(n)?.innerText.includes(w)", part, words)

    def place(self, part: str) -> tuple[float, float, float, float]:
        """Return where the first part that is seen lies: left, top, width, height."""
        return tuple(self.until(_PLACE, part))

    def rest(self, after: int = -1) -> int:
        """Wait for a live figure after the one of this number, and for rest; return its number."""
        rest = """after => {
            const { state, number, other } = document.querySelector(".dpviz-stage")?.dataset ?? {};
            const { testScriptState: runs } = document.querySelector(".stApp")?.dataset ?? {};
            const stands = document.querySelector("#standing")?.getClientRects().length;
            const done = !stands && (runs ?? "notRunning") === "notRunning";
            return state === "rest" && other !== "true" && done && Number(number) > after
                && number;
        }"""
        number = int(self.until(rest, after))
        assert "BidiComponent Error" not in self.text("body")
        assert not self.run("() => document.querySelectorAll('.stException').length")
        return number

    # ---- hands -----------------------------------------------------------------------------

    def _hand(self, kind: str, *steps: dict[str, Any]) -> None:
        source = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}}
        self._send("PerformActions", {"actions": [source | {"actions": list(steps)}]})

    def move(self, x: float, y: float, kind: str = "mouse") -> None:
        step = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 40}
        self._hand(kind, step | {"origin": "viewport"})

    def down(self, x: float, y: float, kind: str = "mouse") -> None:
        self.move(x, y, kind)
        self._hand(kind, {"type": "pointerDown", "button": 0})

    def up(self, kind: str = "mouse") -> None:
        self._hand(kind, {"type": "pointerUp", "button": 0})

    def click(self, part: str) -> None:
        left, top, width, height = self.place(part)
        self.down(left + width / 2, top + height / 2)
        self.up()

    def press_in(self, part: str, *names: str) -> None:
        """Press keys in the first part of this name that is seen."""
        self.until(_FOCUS, part)
        self.press(*names)

    def press(self, *names: str) -> None:
        for name in names:
            value = _KEYS.get(name, name)
            steps = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
            source = {"type": "key", "id": "keys", "actions": steps}
            self._send("PerformActions", {"actions": [source]})


@contextmanager
def firefox(dark: bool = False) -> Iterator[Tab]:
    with warnings.catch_warnings():  # of its own code
        warnings.simplefilter("ignore")
        from marionette_driver.marionette import Marionette

    binary = shutil.which("firefox-esr") or shutil.which("firefox")
    assert binary, "no Firefox: install firefox-esr"
    scheme = {"layout.css.prefers-color-scheme.content-override": 0 if dark else 1}
    given = {"port": own_ports(), "headless": True, "gecko_log": os.devnull, "prefs": scheme}
    driver = Marionette(bin=binary, **given)
    driver.start_session()
    try:
        driver.timeout.script = driver.timeout.page_load = PATIENCE

        def run(script: str, given: list[Any]) -> Any:
            return driver.execute_script(script, script_args=given, sandbox=None)

        def send(name: str, data: dict[str, Any]) -> Any:
            said = driver._send_message(f"WebDriver:{name}", data)
            return said["value"] if isinstance(said, dict) and set(said) == {"value"} else said

        def picture() -> bytes:
            return b64decode(driver.screenshot(full=False))

        version = driver.session_capabilities["browserVersion"]
        yield Tab("Firefox", version, run, send, picture)
    finally:
        driver.quit()
        driver.cleanup()


_COMMANDS = {
    "Navigate": "get",
    "Back": "goBack",
    "Refresh": "refresh",
    "GetWindowRect": "getWindowRect",
    "SetWindowRect": "setWindowRect",
    "PerformActions": "actions",
    "Print": "printPage",
    "SwitchToFrame": "switchToFrame",
}


@contextmanager
def webkit(dark: bool = False) -> Iterator[Tab]:
    from selenium import webdriver
    from selenium.webdriver.webkitgtk.options import Options
    from selenium.webdriver.webkitgtk.service import Service

    driver_path = shutil.which("WebKitWebDriver")
    assert driver_path is not None, "no WebKit: install webkit2gtk-driver"
    with screen() as display:
        options = Options()
        options.binary_location = str(_MINI)
        options.add_argument("--automation")
        around = os.environ | {"DISPLAY": display, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        around |= {"GTK_THEME": "Adwaita:dark"} if dark else {}
        driver = webdriver.WebKitGTK(options=options, service=Service(driver_path, env=around))
        try:
            driver.set_script_timeout(PATIENCE)

            def run(script: str, given: list[Any]) -> Any:
                return driver.execute_script(script, *given)

            def send(name: str, data: dict[str, Any]) -> Any:
                return driver.execute(_COMMANDS[name], data)["value"]

            version = driver.capabilities["browserVersion"]
            yield Tab("WebKit", version, run, send, driver.get_screenshot_as_png)
        finally:
            driver.quit()


@contextmanager
def screen() -> Iterator[str]:
    """A screen that nobody sees; its name."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


OPEN = {"firefox": firefox, "webkit": webkit}
