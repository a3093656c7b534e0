"""What a book has in it: chapters of leaves, each a view in the state in which it opens."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dpviz.plot.written import bare
from dpviz.scene import lectures
from dpviz.scene.catalogue import PAGES, entry
from dpviz.scene.codec import encode
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import Lecture, LectureScene
from dpviz.serve import link_results
from dpviz.serve.topics import Topics

_FOR_PHONES = "a-class-takes-part"  # its scenes are done on the phones of a class
LINKS = "figures"
"""The chapter of single links."""


@dataclass(frozen=True)
class Leaf:
    """A page of a book. path: its file; step: what it shows; title: its name in lists."""

    path: str
    step: LectureScene
    title: str

    @property
    def picture(self) -> str:
        """The file of the picture by which links to it unfold."""
        return self.path.replace(".html", ".png")


@dataclass(frozen=True)
class Chapter:
    """Leaves in their order: the views of a topic, the scenes of a lecture, or some links.

    name: of its folder. topic: whether it is one. lecture: whose scenes they are, if so.
    """

    name: str
    title: str
    leaves: tuple[Leaf, ...]
    topic: bool = False
    lecture: Lecture | None = None

    @property
    def end(self) -> str:
        """The file of the page of questions at its end, "" where it has none."""
        asks = self.lecture is not None and self.lecture.questions
        return f"{self.name}/end.html" if asks else ""


class ContentsError(ValueError):
    """What was asked for cannot be in a book; the message says why, in words for a reader."""


def usual(topics: Topics) -> tuple[Chapter, ...]:
    """Return the contents of the default book: the path, the other lectures, and every topic.

    Not the lecture that a class does on its phones.
    """
    shipped = lectures.shipped().items()
    chapters = tuple(_lecture(name, lecture) for name, lecture in shipped if name != _FOR_PHONES)
    return (*chapters, *(_topic(each.slug, topics) for each in PAGES))


def chosen(named: Sequence[str], topics: Topics) -> tuple[Chapter, ...]:
    """Return a book of these: links, topics by their names, lectures as the command has them.

    Raises `ContentsError`.
    """
    chapters: list[Chapter] = []
    links: list[Leaf] = []
    for text in named:
        if text in {each.slug for each in PAGES}:
            chapters.append(_topic(text, topics))
        elif text in lectures.shipped():
            chapters.append(_lecture(text, lectures.shipped()[text]))
        elif text.endswith(".json") or "lecture=" in text:
            number = sum(one.lecture is not None for one in chapters) + 1
            chapters.append(_lecture(f"lecture-{number}", _read(text)))
        else:
            links.append(_link(text, len(links) + 1))
    if links:
        chapters.append(Chapter(LINKS, "Figures", tuple(links)))
    return tuple(chapters)


def _topic(slug: str, topics: Topics) -> Chapter:
    page, named = topics.page(slug), entry(slug)
    assert page is not None, slug
    leaves = tuple(
        Leaf(
            f"{slug}/{view.key}.html",
            LectureScene(slug, encode(page.usual(view.key), page.url_parameters), named.question),
            view.title,
        )
        for view in page.for_everyone
    )
    return Chapter(slug, named.title, leaves, topic=True)


def _lecture(name: str, lecture: Lecture) -> Chapter:
    leaves = tuple(
        Leaf(f"{name}/{number}.html", step, bare(step.prompt))
        for number, step in enumerate(lecture.scenes, 1)
    )
    return Chapter(name, bare(lecture.title), leaves, lecture=lecture)


def _read(text: str) -> Lecture:
    try:
        if text.endswith(".json"):
            return lectures.read(Path(text).read_text(encoding="utf-8"))
        return lectures.pasted(text)
    except (LectureError, OSError) as fault:
        raise ContentsError(str(fault)) from fault


def _link(text: str, number: int) -> Leaf:
    try:
        scene, notes = link_results.opened(text)
    except link_results.LinkError as fault:
        raise ContentsError(str(fault)) from fault
    if notes:
        raise ContentsError(f"the link {text!r} has what cannot be used: {' '.join(notes)}")
    slug = scene.page.slug
    step = LectureScene(slug, scene.query, entry(slug).question)
    return Leaf(f"{LINKS}/{number}.html", step, scene.view.title)
