"""The dearest that one reader can ask of each route, in requests of at most 20 kB."""

import base64
import json
import zlib
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

_LONGEST = 7900  # characters of a path and a query, a little less than is read
_MARKS = "*a " * 490
PLAYED = "across=2400&frames=1"


@dataclass(frozen=True)
class Ask:
    """A request: route is the path of the route that answers, with its names in braces."""

    route: str
    path: str
    method: str = "GET"
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


def lecture(text: str = _MARKS, count: int = 40) -> str:
    """Return a lecture as links carry it, of so many scenes with this text; packed it is small."""
    scenes = [["lectures", {}, "p", 0, "", "", "", 0, text] for _ in range(count)]
    packed = zlib.compress(json.dumps(["t", scenes]).encode(), 9)
    return "2." + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def digits(path: str, key: str = "epsilon") -> str:
    """Return an address with a number of as many digits as fit, that is none at its end."""
    head = f"{path}?{key}="
    return head + "1" * (_LONGEST - len(head)) + "x"


def many(path: str) -> str:
    """Return an address with as many fields as fit."""
    return f"{path}?" + "".join(f"{n:x}=&" for n in range((_LONGEST - len(path)) // 6))


def asks(code: str, secret: str, lead: dict[str, str]) -> list[Ask]:
    """Return what to ask; the room has been opened, and lead is what its lecturer says so by."""
    link = f"/lectures?lecture={lecture()}&scene=40"
    nested = f"/room/notes/plan?at={quote(link, safe='')}"
    room, drawn = f"/room/{code}", "view=board&gap=1.5"

    def do(**said: object) -> Ask:
        return Ask("/room/{code}/do", f"{room}/do", "POST", json.dumps(said).encode(), lead)

    return [
        Ask("/{page}", digits("/promise")),
        Ask("/{page}", many("/promise")),
        Ask("/lectures", link),
        Ask("/lectures", f"/lectures?lecture={lecture('$a$' * 490)}&scene=40"),
        Ask("/oembed", "/oembed?url=" + quote(digits("/promise"), safe="")),
        Ask("/robots.txt", "/robots.txt"),
        Ask("/sitemap.xml", "/sitemap.xml"),
        Ask("/figure/{topic}/{view}", digits("/figure/promise/odds")),
        Ask("/figure/{topic}/{view}", many("/figure/promise/odds")),
        Ask(
            "/figure/{topic}/{view}",
            "/figure/promise/odds?previous=" + quote(many("")[:5000], safe="") + "&epsilon=2",
        ),
        Ask("/figure/{topic}/{view}", f"/figure/shared_darts/board?{drawn}"),
        Ask("/figure/{topic}/{view}", f"/figure/perfect_generalization/pairs?{PLAYED}"),
        Ask("/picture/{topic}/{view}.{kind}", digits("/picture/promise/odds.svg")),
        Ask("/picture/{topic}/{view}.{kind}", many("/picture/promise/odds.svg")),
        Ask("/picture/{topic}/{view}.{kind}", f"/picture/shared_darts/board.png?{drawn}"),
        Ask("/reference/{path:path}", "/reference/index.html"),
        Ask("/room", f"/room?at={quote(link, safe='')}"),
        Ask("/room/notes", "/room/notes"),
        Ask("/room/notes/plan", nested),
        Ask("/room/{code}", room),
        Ask("/room/{code}/screen", f"{room}/screen", headers=lead),
        Ask("/room/{code}/speaker", f"{room}/speaker", headers=lead),
        Ask("/room/{code}/qr.svg", f"{room}/qr.svg", headers=lead | {"Host": "a" * 240}),
        do(word="go", figure=f"/lectures?lecture={lecture()}&scene=40", link=link),
        do(word="ask", kind="own", form="number", text="How many?"),
        do(word="ask", kind="survey", text="Do you?", epsilon="1" * 15_000),
        do(word="ask", kind="own", text="Which?", answers="\n" * 15_000),
        do(word="reveal"),
        do(word="go", figure="/figure/promise/rows?ask=1&epsilon=0.31", link="/promise"),
        do(word="predict"),
        do(word="reveal"),
        do(word="go", figure="/figure/bounded_noise/errors?epsilon=0.31", link="/bounded_noise"),
        do(word="sketch"),
        Ask("/room/{code}/sketches", f"{room}/sketches", headers=lead),
        do(word="show"),
        Ask("/room/{code}/sketches.{kind}", f"{room}/sketches.png", headers=lead),
        do(word="go", figure=f"/lectures?lecture={lecture()}&scene=40", link=link),
        Ask("/room/{code}/plan", f"{room}/plan", headers=lead),
        Ask("/room/{code}/leave", f"{room}/leave", "POST", b"a=" + b"1" * 19_000),
        Ask("/room/{code}/counts", f"{room}/counts", headers=lead),
        Ask("/room/{code}/report", f"{room}/report", headers=lead),
        Ask(
            "/room/{code}/answer",
            f"{room}/answer",
            "POST",
            json.dumps({"question": 1, "round": 1, "answer": "1" * 19_000}).encode(),
        ),
        Ask(
            "/room/{code}/screen", f"{room}/screen", "POST", urlencode({"secret": secret}).encode()
        ),
    ]


def message(length: int = 20_000) -> bytes:
    """Return what a tab says over its WebSocket: an address with a number of so many digits."""
    from streamlit.proto.BackMsg_pb2 import BackMsg

    said = BackMsg()
    said.rerun_script.query_string = f"epsilon={'1' * (length - 100)}x"
    said.rerun_script.page_name = "promise"
    return bytes(said.SerializeToString())


def brackets(states: int = 150) -> bytes:
    """Return what a tab says whose components say nothing but brackets; packed it has 2 kB."""
    from streamlit.proto.BackMsg_pb2 import BackMsg

    said = BackMsg()
    text = "[" + ",".join(["[" * 48 + "]" * 48] * 20) + "]"
    for number in range(states):
        said.rerun_script.widget_states.widgets.add(id=f"w{number}", json_value=text)
    return bytes(said.SerializeToString())


def names(count: int = 490_000) -> bytes:
    """Return what a tab says that asks where to send so many files; packed it has 1 kB."""
    from streamlit.proto.BackMsg_pb2 import BackMsg

    said = BackMsg()
    said.file_urls_request.file_names.extend([""] * count)
    return bytes(said.SerializeToString())
