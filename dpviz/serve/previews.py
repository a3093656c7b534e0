"""What a link says of itself to programs that run no script: chats, mails, search engines.

The page that leaves the server carries the question, the sentence and the figure at the parameters
of the link, as readers see them before any script has run (`dpviz.serve.standing`). Nobody waits
for that: what takes longer than a moment is left out.
"""

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from dpviz.scene.catalogue import GUIDES, HOME, PAGES, Entry, entry
from dpviz.scene.codec import MODES, encode
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import unpack
from dpviz.scene.scene import Scene
from dpviz.scene.showing import AS_IT_IS, Showing, showing
from dpviz.serve import files, fonts, scripts, standing
from dpviz.serve.clients import CLIENT, Client, network_id, vouched
from dpviz.serve.computing import Computation, Progress
from dpviz.serve.faults import kinds, spared
from dpviz.serve.jobs import BusyError
from dpviz.serve.links import finest, opened, scene_of
from dpviz.serve.quotas import STANDING_FIGURES
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.semaphore import FairSemaphore
from dpviz.serve.site import at, prefix
from dpviz.serve.topics import Topics
from dpviz.serve.workers import LINKS, STARTS

_MOMENT = 0.15  # seconds for which a page may wait for its sentence and its figure
_NEEDS = "<p>The figure that moves needs JavaScript.</p>"
_BUSY = "Many links are being read. Ask again in a few seconds.\n"
_LECTURES = "lectures"  # the page on which a lecture ends
_FIELDS = 200  # of a link that are read
_WIDTH, _HEIGHT = 1000, 760  # pixels of a page within another

_ELSEWISE = {"lecture", "present", "embed"}  # with one of them a page looks otherwise
_SCHEMES = {"light_theme": "light", "dark_theme": "dark"}  # which other sites ask for

_ROOT = '<div id="root"></div>'  # which Streamlit fills
_SHEET = re.compile(r'<link rel="stylesheet"[^>]*>')
_SCRIPT = re.compile(r'<script type="module"[^>]*></script>|<link rel="modulepreload"[^>]*>')

_HOLDERS = ("BidiComponent.*.js", "StreamlitMarkdown.*.js")  # of Streamlit's modules
_MODULE = re.compile(r"/static/js/([\w.-]+\.js)")
_IMPORT = re.compile(r"""(?:from|import)["']\./([\w.-]+\.js)["']""")

_log = logging.getLogger(__name__)


def routes(topics: Topics, shell: Path) -> list[Route]:
    """Return the routes of the pages themselves, and of what programs ask for beside them.

    shell: the HTML with which every page begins, Streamlit's own.
    """
    html = fonts.lightened(shell.read_text(encoding="utf-8"))
    # First what stands; what only Streamlit needs is loaded below it, and ours after that.
    theirs = "".join(_SHEET.findall(html))
    deferred = scripts.deferred("".join(_SCRIPT.findall(html)) + _early(shell, html))
    early = f"{deferred}{standing.style()}"
    ours = f'<link rel="stylesheet" href="{scripts.style_address()}">'
    before, after = _SCRIPT.sub("", _SHEET.sub("", html)).split("<title>Streamlit</title>")
    head, after = after.split("</head>", 1)
    above, below = after.split(_ROOT)
    below = below.replace("</body>", f"{theirs}{fonts.last_rules()}{ours}</body>", 1)
    figures, links = StandingFigures(), list[str]()

    def page(named: Entry) -> Route:
        first = f"{scripts.early()}{head}{early}</head>{above}"  # ours run first

        async def opened(request: Request) -> Response:
            CLIENT.set(client := Client(network_id(request)))
            if named.slug == _LECTURES and "lecture" in request.query_params:
                try:
                    place = await LINKS.do(_scene, request)
                except BusyError:
                    return PlainTextResponse(_BUSY, 503, {"Retry-After": "2"})
                if place:
                    return RedirectResponse(place, 302, headers={"Cache-Control": "no-cache"})
            end = time.monotonic() + _MOMENT
            try:
                preview = await STARTS.do(_preview_or_bare, request, named, topics)
            except BusyError:
                preview = _bare(request, named)
            stands = await _stands(preview, named, figures, client, end)
            body = f"{first}{stands or f'<noscript>{preview.text}</noscript>'}{_ROOT}{below}"
            return HTMLResponse(before + preview.head + body, headers={"Cache-Control": "no-cache"})

        return Route(f"/{named.slug}", opened, methods=["GET"])

    async def embedded(request: Request) -> Response:
        CLIENT.set(Client(network_id(request)))
        try:
            return await STARTS.do(_oembed, request, topics)
        except BusyError:
            return PlainTextResponse(_BUSY, 503, {"Retry-After": "2"})

    async def robots(request: Request) -> Response:
        lines = ("User-agent: *", "Disallow: /figure/", f"Sitemap: {request.base_url}sitemap.xml")
        return PlainTextResponse("\n".join(lines) + "\n")

    async def sitemap(request: Request) -> Response:
        nonlocal links
        links = links or await asyncio.to_thread(_links, topics)
        places = "".join(
            f"<url><loc>{escape(_absolute(request, link))}</loc></url>" for link in links
        )
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        text = (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{namespace}">{places}</urlset>'
        )
        return Response(text, media_type="application/xml")

    return [
        *map(page, (HOME, *PAGES, *GUIDES)),
        Route("/oembed", embedded, methods=["GET"]),
        Route("/robots.txt", robots, methods=["GET"]),
        Route("/sitemap.xml", sitemap, methods=["GET"]),
    ]


def _scene(request: Request) -> str:
    """Return where the scene is that a link to the page of lectures names, "" for none or here."""
    query = request.query_params
    named = query.get("scene", "1")
    if not (named.isascii() and named.isdigit() and len(named) < 4):
        return ""
    try:
        lecture = unpack(query.get("lecture", ""))
    except LectureError:  # which the page says
        return ""
    number = int(named)
    if not 1 <= number <= len(lecture.scenes) or lecture.scenes[number - 1].is_written:
        return ""
    present = {"present": "1"} if "present" in query else {}
    shown = lecture.query(number, query["lecture"]) | present
    return f"{at(lecture.scenes[number - 1].page)}?{urlencode(shown)}"


def _early(shell: Path, html: str) -> str:
    """Return links for browsers to load with the page what holds our components and its words.

    Streamlit asks for it when a page's first words have come, and only then for our figures.
    """
    folder = shell.with_name("static") / "js"
    wanted = sorted(file.name for holder in _HOLDERS for file in folder.glob(holder))
    seen = set(_MODULE.findall(html))
    names: list[str] = []
    while wanted:
        name = wanted.pop()
        if name not in seen:
            seen.add(name)
            names.append(name)
            wanted += _IMPORT.findall((folder / name).read_text(encoding="utf-8"))
    return "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in names
    )


@dataclass(frozen=True)
class Preview:
    """What a page says of itself.

    address: its link. sentence: the takeaway, where it was known in time; unfinished: what is to
    be said of it if it is not computed to its end. more: what is shown and where it comes from.
    picture: where one is. scene: what is shown, where everybody sees the same, with what is to be
    said of its link; progress: as far as known.
    shown: how, None where that waits for the script; if a reader is to predict, nothing tells the
    answer.
    """

    question: str
    title: str
    address: str
    sentence: str = ""
    unfinished: str = ""
    more: tuple[str, ...] = ()
    picture: str = ""
    scene: Scene | None = None
    notes: tuple[str, ...] = ()
    progress: Progress | None = None
    shown: Showing | None = AS_IT_IS

    @property
    def description(self) -> str:
        """The takeaway and what is to be said of it."""
        return f"{self.sentence} {self.unfinished}".strip()

    @property
    def head(self) -> str:
        """The title and the descriptions, as HTML."""
        named = {
            "og:type": "website",
            "og:site_name": "dpviz",
            "og:title": self.question,
            "og:description": self.description,
            "og:url": self.address,
            "og:image": self.picture,
            "og:image:alt": self.description if self.picture else "",
        }
        also = {
            "description": self.description,
            "twitter:card": "summary_large_image" if self.picture else "summary",
        }
        query = urlencode({"url": self.address})
        parts = [f"<title>{escape(self.title)}</title>"]
        parts += [f'<meta property="{k}" content="{escape(v)}">' for k, v in named.items() if v]
        parts += [f'<meta name="{k}" content="{escape(v)}">' for k, v in also.items() if v]
        parts += [f'<link rel="canonical" href="{escape(self.address)}">']
        if self.picture:
            oembed = f'type="application/json+oembed" href="./oembed?{escape(query)}"'
            parts.append(f'<link rel="alternate" {oembed} title="{escape(self.question)}">')
        return "\n    ".join(parts)

    @property
    def text(self) -> str:
        """What is read where no script runs and no figure stands, as HTML."""
        lines = [f"<p>{escape(line)}</p>" for line in (self.description, *self.more) if line]
        image = (
            f'<p><img src="{escape(self.picture)}" alt="{escape(self.description)}"></p>'
            if self.picture
            else ""
        )
        return f"<h1>{escape(self.question)}</h1>{''.join(lines)}{image}{_NEEDS}"

    @property
    def last(self) -> str:
        """What is read below the figure that stands where no script runs, as HTML."""
        more = (self.unfinished, *self.more)
        lines = "".join(f"<p>{escape(line)}</p>" for line in more if line)
        return f"<noscript>{lines}{_NEEDS}</noscript>"


class StandingFigures:
    """Draws the figures that stand before any script runs, one at a time (see `semaphore`).

    What is no longer waited for is drawn nevertheless once it has begun: the next reader has it.
    """

    def __init__(self) -> None:
        self._semaphore = FairSemaphore(*STANDING_FIGURES)
        self._begun: set[asyncio.Task[None]] = set()

    async def of(self, preview: "Preview", client: Client, seconds: float) -> str:
        """Return a figure, "" if it is not known or not drawn in so many seconds."""
        if preview.scene is None or preview.progress is None or preview.shown is None:
            return ""
        cached = partial(standing.cached, preview.scene, preview.progress, preview.shown)
        keep = partial(standing.keep, preview.scene, preview.progress, preview.shown)
        if (figure := cached()) is not None:
            return figure
        wanted = True
        draw = partial(_draw, keep, preview.scene.name, client)
        task = asyncio.create_task(self._draw(draw, client, lambda: wanted))
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        await asyncio.wait({task}, timeout=max(seconds, 0))
        wanted = False
        return cached() or ""

    async def _draw(
        self, draw: Callable[[], None], client: Client, wanted: Callable[[], bool]
    ) -> None:
        with contextlib.suppress(BusyError):
            async with self._semaphore.passed(client):
                if wanted():
                    await asyncio.to_thread(draw)  # one at a time


def _draw(keep: Callable[[], None], name: str, client: Client) -> None:
    """Draw a figure and keep it; the time counts as what the client has had."""
    begin = time.thread_time()
    try:
        keep()
    except Exception as fault:
        _log.error("%s failed: %s", name, kinds(fault))
    finally:
        SCHEDULER.charge(client, time.thread_time() - begin)


async def _stands(
    preview: Preview, named: Entry, figures: StandingFigures, client: Client, end: float
) -> str:
    """Return what stands of a page before any script runs, "" where that is not known."""
    if preview.shown is None:
        return ""
    if preview.scene is None:
        return standing.heading(named, preview.last, preview.shown)
    figure = await figures.of(preview, client, end - time.monotonic())
    if not figure and preview.sentence:
        figure = standing.sentence(preview.scene, escape(preview.sentence), preview.shown)
    token = vouched(client.network_id)
    parts = (named, preview.scene, preview.notes, figure, preview.last, token, preview.shown)
    made = partial(standing.standing, *parts)
    return spared(preview.scene.name, made, "")


def _preview_or_bare(request: Request, named: Entry, topics: Topics) -> Preview:
    """Return what a page says of its link, or no more than what it is where that fails."""
    name = named.slug or "home"
    return spared(name, lambda: _preview(request, named, topics), _bare(request, named))


def _preview(request: Request, named: Entry, topics: Topics) -> Preview:
    page, bare = topics.page(named.slug or "home"), _bare(request, named)
    query = _read(request.url.query)
    if page is None:
        return replace(bare, shown=_showing(named, query, None))
    scene, notes = opened(page, {k: v for k, v in query.items() if not k.startswith("embed")})
    given = bool({parameter.key for parameter in page.url_parameters} & set(query))
    link = f"{named.slug}?{urlencode(scene.query)}" if given else named.slug
    address = _absolute(request, link)
    if scene.upload is not None:
        return replace(bare, address=address, shown=_showing(named, query, None))
    progress = _computed(scene)
    words = progress and spared(
        scene.name, lambda: files.words(named.question, scene, progress, address), None
    )
    parameters = {key: value for key, value in scene.query.items() if key != "view"}
    picture = f"picture/{page.name}/{scene.view.key}.png?{urlencode(parameters)}"
    shown = _showing(named, query, scene)
    if query.get("ask", [""])[-1] == "1" and (prediction := scene.prediction):
        return replace(
            bare,
            address=address,
            sentence=prediction.question,
            scene=scene,
            notes=notes,
            progress=progress,
            shown=shown,
        )
    return Preview(
        question=named.question,
        title=bare.title,
        address=address,
        sentence=words.sentence.replace("**", "") if words else "",
        unfinished=words.unfinished if words else "",
        more=tuple(text for text in words.caption if text != words.unfinished) if words else (),
        picture=_absolute(request, picture),
        scene=scene,
        notes=notes,
        progress=progress,
        shown=shown,
    )


def _bare(request: Request, named: Entry) -> Preview:
    """Return what a page says of itself whatever its link; no lecture of a stranger's is read."""
    title = f"{named.title} · dpviz" if named.slug else "dpviz"
    shown = None if _ELSEWISE & set(_read(request.url.query)) else AS_IT_IS
    return Preview(named.question, title, _absolute(request, named.slug), shown=shown)


def _showing(named: Entry, query: dict[str, list[str]], scene: Scene | None) -> Showing | None:
    """Return how a page is shown, None where it waits for its script."""
    modes = {key: query[key][-1] for key in MODES if query.get(key) and key != "guess"}
    try:
        shown = showing(named.slug, modes, scene)
    except LectureError:  # which the page says
        return None
    if "embed" not in query:
        return shown
    options = query.get("embed_options", [])
    usual = query["embed"] == ["true"] and _SCHEMES.keys() >= set(options)
    if not usual or shown.has_steps or scene is None:
        return None
    return replace(shown, within=_SCHEMES[options[-1]] if options else "any")


def _computed(scene: Scene) -> Progress | None:
    """Return how far a scene is known in a moment; readers come first."""
    computation = Computation(scene)
    if computation.result is None and len(SCHEDULER):
        return None
    return finest(scene, _MOMENT)


def _read(query: str) -> dict[str, list[str]]:
    try:
        return parse_qs(query, keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:  # too many of them
        return {}


def _absolute(request: Request, link: str) -> str:
    return f"{request.base_url}{link}"


def _links(topics: Topics) -> list[str]:
    """Return the links of all pages, of their views, and of the states worth seeing."""
    links = ["", *(guide.slug for guide in GUIDES)]
    for named in PAGES:
        page = topics.page(named.slug)
        if page is None:
            continue
        states = [page.usual(view.key) for view in page.views if len(page.views) > 1]
        states += [page.preset_values(preset) for preset in page.presets]
        queries = [urlencode(encode(state, page.url_parameters)) for state in states]
        links += [named.slug, *(f"{named.slug}?{query}" for query in dict.fromkeys(queries))]
    return links


def _oembed(request: Request, topics: Topics) -> Response:
    """Answer a program that asks how to show a link of ours within its own page."""
    if request.query_params.get("format", "json") != "json":
        return PlainTextResponse("Only JSON is spoken here.\n", 501)
    try:
        url = urlsplit(request.query_params.get("url", ""))
    except ValueError:  # brackets that do not match
        url = urlsplit("")
    slug = url.path.removeprefix(prefix(request.scope)).strip("/")
    page = topics.page(slug or "home") if url.netloc == request.url.netloc else None
    if page is None:
        return PlainTextResponse("There is no such page here.\n", 404)
    scene = scene_of(page, _read(url.query))
    question, width = entry(page.slug).question, _room(request, "maxwidth", _WIDTH)
    height = _room(request, "maxheight", _HEIGHT)
    link = _absolute(request, f"{page.slug}?{urlencode(scene.query)}")
    return JSONResponse(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": "dpviz",
            "provider_url": str(request.base_url),
            "title": f"{question} {scene.view.title}",
            "width": width,
            "height": height,
            "html": files.iframe(link, question),
        }
    )


def _room(request: Request, key: str, usual: int) -> int:
    """Return the room a program gives us, at most the usual."""
    text = request.query_params.get(key, "")
    return min(int(text), usual) if text.isascii() and text.isdigit() and len(text) < 6 else usual
