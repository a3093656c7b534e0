"""The pages of a book as HTML: what a reader sees before any script has run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from dpviz.plot.prose import html
from dpviz.plot.text import unbroken
from dpviz.plot.written import bare, line
from dpviz.scene import coverage, glossary
from dpviz.scene.catalogue import HOME, entry, section_name
from dpviz.scene.glossary import all_explained, explained
from dpviz.scene.scene import Scene
from dpviz.serve import tiles
from dpviz.serve.book.contents import Chapter, Leaf
from dpviz.serve.book.searching import anchor
from dpviz.serve.lecture.scenes import written_data
from dpviz.serve.solving import Given

_FOLDER = Path(__file__).parent
_SEARCH = (
    '<p role="search"><label for="search">Search views, theorems and words </label>'
    '<input id="search" type="search" autocomplete="off"></p>'
    '<ul id="found" aria-live="polite"></ul>'
)
_FOOTER = "A book made by dpviz: it needs no server, and loads nothing from elsewhere."
_HOME = '<a href="../index.html">Contents</a>'
_UI = _FOLDER.parents[1] / "ui"


@dataclass(frozen=True)
class Book:
    """What all pages of a book have in common.

    chapters: in their order. files: the names of what lies in its folder own, by what it is. live:
    the address of a copy of the app, ending in "/", "" for none. site: that of the book itself.
    """

    chapters: tuple[Chapter, ...]
    files: Mapping[str, str]
    live: str = ""
    site: str = ""


def text_of(file: str) -> str:
    """Return a file beside this one."""
    return (_FOLDER / file).read_text(encoding="utf-8")


@dataclass(frozen=True)
class OpeningFigure:
    """What is known of a leaf's figure as its page opens.

    line: what is said above and below it, and to know of it; figure: its drawing, as HTML, and
    sources: where it comes from; sentence: the headline as plain text; both empty where the reader
    predicts first. first: the chunk that the page's script reads first.
    """

    line: Mapping[str, Any]
    figure: str
    sources: str
    sentence: str
    first: str


def leaf_page(
    book: Book, chapter: Chapter, leaf: Leaf, scene: Scene, shown: OpeningFigure, *, pictured: bool
) -> str:
    """Return the page of a leaf. pictured: whether its picture lies beside it."""
    step, view = leaf.step, scene.view
    heading = bare(unbroken(step.prompt))
    why = step.after or view.why_here(scene.state) or view.why
    parts = [
        f"<h1>{line(unbroken(step.prompt))}</h1>",
        _tabs(chapter, leaf),
        _scene(shown, rounds=view.rounds is not None),
        f'<p><a id="live" href="{escape(book.live)}">The same in the app</a></p>'
        if book.live
        else "",
        _steps(chapter, leaf),
        _behind(why, shown, asks=not shown.sentence),
        _leading(_prose(scene.page.slug), book, scene) if chapter.lecture is None else "",
    ]
    data = {
        "root": "../",
        "first": shown.first,
        "live": book.live,
    }
    return whole(
        book,
        path=leaf.path,
        title=f"{view.title} · {chapter.title} · dpviz",
        described=shown.sentence or heading,
        main="\n".join(filter(None, parts)),
        data=data,
        above=f'<span class="here">{escape(chapter.title)}</span>',
        picture=leaf.picture if pictured else "",
        scripts=(book.files["leaf"],),
    )


def written_page(book: Book, chapter: Chapter, leaf: Leaf, given: Given) -> str:
    """Return the page of a lecture's scene that has words, as given to a class, and no figure."""
    data = written_data(given)
    heading = bare(unbroken(given.step.prompt))
    options = "".join(f"<li>{option}</li>" for option in data["options"])
    slug, _, state = given.figure.removeprefix("/").partition("?")
    figure = _view(book, slug, dict(parse_qsl(state))) if slug else ""
    answer = f"<p>{data['answer']}</p>" if data["answer"] else ""
    reveal = f"<details><summary>Reveal</summary>{answer}{data['solution']}</details>"
    parts = (
        f"<h1>{data['prompt']}</h1>",
        f'<section class="prose">{data["text"]}',
        f"<ul>{options}</ul>" if options else "",
        f'<p><a href="../{figure}">The figure</a></p>' if figure else "",
        f"{reveal if answer or data['solution'] else ''}</section>",
        _steps(chapter, leaf),
    )
    return whole(
        book,
        path=leaf.path,
        title=f"{heading} · {chapter.title} · dpviz",
        described=heading,
        main="\n".join(filter(None, parts)),
        data={"root": "../"},
        above=f'<span class="here">{escape(chapter.title)}</span>',
    )


def whole(
    book: Book,
    *,
    path: str,
    title: str,
    described: str,
    main: str,
    data: Mapping[str, str],
    above: str = '<span class="here"></span>',
    picture: str = "",
    scripts: Sequence[str] = (),
    root: str = "",
) -> str:
    """Return a page of a book around its content. root: where the book is, "" for around it."""
    root = escape(root) or ("../" if "/" in path else "")
    named = {"og:type": "website", "og:site_name": "dpviz", "og:title": title}
    named |= {"og:description": described}
    head = [f'<meta name="description" content="{escape(described)}">']
    if book.site:
        named["og:url"] = f"{book.site}{path}"
        named |= {"og:image": f"{book.site}{picture}"} if picture else {}
        head.append(f'<link rel="canonical" href="{escape(named["og:url"])}">')
    head += [f'<meta property="{key}" content="{escape(text)}">' for key, text in named.items()]
    header = (
        f'<a href="{root}index.html">dpviz</a>{above}'
        f'<a href="{root}glossary.html">Glossary</a><a href="{root}index.html#search">Search</a>'
    )
    tags = "".join(f'<script defer src="{root}own/{name}"></script>\n' for name in scripts)
    parts = {
        "<!-- title -->": escape(title),
        "<!-- head -->": "\n".join(head),
        "<!-- root -->": root,
        "<!-- style -->": book.files["style"],
        "<!-- data -->": " ".join(f'data-{key}="{escape(text)}"' for key, text in data.items()),
        "<!-- header -->": header,
        "<!-- footer -->": _FOOTER,
        "<!-- scripts -->": tags,
        "<!-- main -->": main,  # last: what it says may name any of these places
    }
    page = text_of("leaf.html")
    for place, text in parts.items():
        page = (
            page.replace(place, text, 1) if place == "<!-- main -->" else page.replace(place, text)
        )
    return page


@cache
def _range() -> str:
    """Return the range control, of which the script makes as many as there are."""
    return _template("range", "range_control")


def _template(name: str, control: str) -> str:
    parts = ((_UI / "controls" / f"{control}{end}") for end in (".css", ".html"))
    style, inner = (part.read_text(encoding="utf-8") for part in parts)
    return f'<template id="{name}"><style>{style}</style>{inner}</template>'


@cache
def _stage() -> str:
    return (_UI / "stage.html").read_text(encoding="utf-8")


def _tabs(chapter: Chapter, leaf: Leaf) -> str:
    if not chapter.topic or len(chapter.leaves) < 2:
        return ""
    current = ' aria-current="page"'
    links = "".join(
        f'<a href="../{one.path}"{current if one is leaf else ""}>{escape(one.title)}</a>'
        for one in chapter.leaves
    )
    return f'<nav aria-label="Views">{links}</nav>'


def _steps(chapter: Chapter, leaf: Leaf) -> str:
    """Return the way back and on within a chapter."""
    at = chapter.leaves.index(leaf)
    ways = []
    if at:
        ways.append(f'<a href="../{chapter.leaves[at - 1].path}" rel="prev">← Back</a>')
    kind = "Scene" if chapter.lecture else "View"
    ways.append(f"<span>{kind} {at + 1} of {len(chapter.leaves)}</span>")
    after = [*(leaf.path for leaf in chapter.leaves), *filter(None, [chapter.end])][at + 1 :]
    if after:
        ways.append(f'<a href="../{after[0]}" rel="next">Next →</a>')
    else:
        ways.append(_HOME)
    return f'<div class="steps">{"".join(ways)}</div>'


def _scene(shown: OpeningFigure, *, rounds: bool) -> str:
    """Return the stage as it stands before its script runs, and the place of the controls."""
    stage, line = _stage(), shown.line
    for place, text in (
        ('<p class="takeaway">', line["takeaway"]),
        ('<div class="picture">', shown.figure),
        ('<p class="detail">', line["exact"]),
        ('<div class="legend-place">', line["legend"]),
    ):
        stage = stage.replace(place, place + text, 1)
    stage = stage.replace('<p class="takeaway"', '<p class="takeaway" id="headline" tabindex="-1"')
    game = f'{_template("game", "rounds")}<div id="rounds"></div>' if rounds else ""
    return (
        f'{_range()}<p id="missed" role="status"></p>'
        f'<div id="scene">{stage}<div class="st-key-controls">'
        f'<div id="guess"></div><button id="reveal" type="button" hidden>Reveal</button>{game}'
        '<div id="controls"></div><p id="hint"></p>'
        "<noscript><p>The figure that moves needs JavaScript.</p></noscript></div></div>"
    )


def _behind(why: str, shown: OpeningFigure, *, asks: bool) -> str:
    """Return why a figure is so, what to know of it, and where it comes from.

    asks: whether the reader predicts first: then none of it is open before.
    """
    notes = "".join(f"<li>{note}</li>" for note in shown.line["notes"])
    reason = f"<p>{_explained(why)}</p>" if why else ""
    opened = "" if asks else " open"
    return (
        f'<section class="behind"><details id="why"{opened}><summary>Why?</summary>{reason}'
        f'<ul id="known">{notes}</ul></details>'
        f"<details><summary>Sources</summary>{shown.sources}</details></section>"
    )


def _explained(text: str) -> str:
    return explained(escape(text, quote=False))


@cache
def _prose(slug: str) -> str:
    """Return the prose of a topic: its first part is open, the others are folded."""
    listed = {coverage.LEFT_OUT: f"\n\n{coverage.left_out(slug)}"}
    sections = [
        (heading, f"{text}{listed.get(heading, '')}") for heading, text in entry(slug).sections()
    ]
    texts = all_explained(text for _, text in sections)
    (first, _), *others = sections
    opened = f'<h2 id="{section_name(first)}">{escape(first)}</h2>{html(texts[0])}'
    folded = "".join(
        f'<details id="{section_name(heading)}"><summary>{escape(heading)}</summary>'
        f"{html(text)}</details>"
        for (heading, _), text in zip(others, texts[1:], strict=True)
    )
    return f'<section class="prose">{opened}{folded}</section>'


def _leading(prose: str, book: Book, scene: Scene) -> str:
    """Return prose in which the names of other views lead there, or say where these are."""
    slug = scene.page.slug
    for view in scene.page.views:
        named = f"<em>{escape(view.title)}</em>"
        if path := _view(book, slug, {"view": view.key}):
            there = f'<a href="../{path}">{named}</a>'
        elif book.live:
            there = f'<a href="{escape(book.live)}{slug}?view={view.key}">{named}</a> (in the app)'
        else:
            there = f"{named} (in the app)"
        prose = prose.replace(named, there)
    return prose


def missing_page(book: Book) -> str:
    """Return what a host shows at an address that is not there, which may be in any folder."""
    return whole(
        book,
        path="404.html",
        title="Not in this book · dpviz",
        described="This page is not in the book.",
        main=(
            "<h1>This page is not in the book</h1>"
            f'<p><a href="{escape(book.site)}index.html">Contents and search</a></p>'
        ),
        data={"root": book.site},
        root=book.site,
    )


def end_page(book: Book, chapter: Chapter) -> str:
    """Return the page at the end of a lecture: its questions, and where to go on.

    What is said to an answer is folded below it, one at a time: no script has to open it.
    """
    assert chapter.lecture is not None
    parts = [f"<h1>{escape(chapter.title)}: what was it?</h1>"]
    for number, question in enumerate(chapter.lecture.questions, 1):
        answers = "".join(
            f'<details name="question-{number}"><summary>{escape(answer)}</summary>'
            f"<p><strong>{'Yes' if place == question.right else 'No'}.</strong> "
            f"{escape(question.because[place])}</p></details>"
            for place, answer in enumerate(question.answers)
        )
        scene = chapter.leaves[question.scene - 1].path
        parts.append(
            f"<h2>{number}. {escape(question.words)}</h2>{answers}"
            f'<p><a href="../{scene}">Look at scene {question.scene} again</a></p>'
        )
    ways = [
        f'<li><a href="../{path}">{escape(way.words)}</a></li>'
        for way in chapter.lecture.onward
        if (path := _view(book, way.page, way.state))
    ]
    if ways:
        parts.append(f"<h2>Go on with</h2><ul>{''.join(ways)}</ul>")
    parts.append(f"<p>{_HOME}</p>")
    return whole(
        book,
        path=chapter.end,
        title=f"Questions · {chapter.title} · dpviz",
        described=chapter.lecture.about,
        main=f'<section class="prose">{"".join(parts)}</section>',
        data={"root": "../"},
        above=f'<span class="here">{escape(chapter.title)}</span>',
    )


def _view(book: Book, slug: str, state: Mapping[str, str]) -> str:
    """Return where a state of a view is in a book, "" where the view is not in it."""
    moved = urlencode({key: text for key, text in state.items() if key != "view"})
    for chapter in book.chapters:
        for leaf in chapter.leaves if chapter.topic and chapter.name == slug else ():
            if leaf.step.state["view"] == state.get("view", leaf.step.state["view"]):
                return f"{leaf.path}#{moved}" if moved else leaf.path
    return ""


def index_page(book: Book) -> str:
    """Return the page with which a book begins."""
    lectures = [chapter for chapter in book.chapters if chapter.lecture is not None]
    topics = [chapter for chapter in book.chapters if chapter.topic]
    others = [c for c in book.chapters if c not in lectures and c not in topics]
    main = f"<h1>{HOME.question}</h1><p>{escape(HOME.summary)}</p>{_SEARCH}"
    for heading, chapters in (("Step by step", lectures), ("Topics", topics), ("", others)):
        if chapters:
            cards = "".join(map(_card, chapters))
            main += f'<h2>{heading}</h2><div class="cards">{cards}</div>'
    return whole(
        book,
        path="index.html",
        title="dpviz",
        described=HOME.question,
        main=main,
        data={"root": "", "search": book.files["search"]},
        scripts=(book.files["cover"],),
    )


def _card(chapter: Chapter) -> str:
    about = picture = ""
    if chapter.lecture is not None:
        about = chapter.lecture.about
    elif chapter.topic:
        about = entry(chapter.name).question
        light, dark = (tiles.name(chapter.name, dark=dark) for dark in (False, True))
        source = f'<source srcset="own/{dark}" media="(prefers-color-scheme: dark)">'
        picture = f'<picture>{source}<img src="own/{light}" alt="" loading="lazy"></picture>'
    kind = "ul" if chapter.lecture is None else "ol"
    items = "".join(
        f'<li><a href="{leaf.path}">{escape(unbroken(leaf.title))}</a></li>'
        for leaf in chapter.leaves
    )
    listed = f"<{kind}>{items}</{kind}>"
    if chapter.lecture is not None:
        listed = f"<details><summary>{len(chapter.leaves)} scenes</summary>{listed}</details>"
    begin = chapter.leaves[0].path
    return (
        f'<section>{picture}<h3><a href="{begin}">{escape(chapter.title)}</a></h3>'
        f"<p>{escape(about)}</p>{listed}</section>"
    )


def glossary_page(book: Book) -> str:
    """Return the page of the words of the field."""
    heads = list(glossary.entries())
    sections = "".join(
        f"<h2>{escape(heading)}</h2>"
        + "".join(
            f'<div id="{anchor(heads.index(head))}">{html(text)}</div>'
            for head, text in words.items()
        )
        for heading, words in glossary.sections().items()
    )
    question = escape(entry("glossary").question)
    return whole(
        book,
        path="glossary.html",
        title="Glossary · dpviz",
        described=question,
        main=f'<h1>{question}</h1><section class="prose">{sections}</section>',
        data={"root": ""},
    )
