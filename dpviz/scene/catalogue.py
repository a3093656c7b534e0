"""The catalogue of pages: what each is called, and the question it answers."""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from dpviz.results.folders import ASSETS


@dataclass(frozen=True)
class Entry:
    """One page: its file is pages/`slug`.py, its prose assets/prose/`slug`.md (home.md).

    question: what a reader wants to know; the heading of the page.
    summary: one sentence for the home page: what can be seen there. picture: the view whose chart
        stands for the page there.
    """

    slug: str
    title: str
    question: str
    group: str
    summary: str
    picture: str = ""

    @property
    def path(self) -> str:
        """The page's file, as Streamlit names it."""
        return f"pages/{self.slug}.py" if self.slug else "app.py"

    @property
    def prose(self) -> Path:
        """The file of its prose."""
        return ASSETS / "prose" / f"{self.slug or 'home'}.md"

    def sections(self) -> list[tuple[str, str]]:
        """Return the sections of its prose, heading and text, as the file has them."""
        divided = self.prose.read_text(encoding="utf-8").removeprefix("## ").split("\n## ")
        parted = (section.partition("\n") for section in divided)
        return [(heading.strip(), text.strip()) for heading, _, text in parted]


def section_name(heading: str) -> str:
    """Return what a link calls a section of prose: its heading in lower case, with hyphens."""
    return "-".join(re.findall(r"\w+", heading.lower()))


HOME = Entry(
    slug="",
    title="dpviz",
    question="The theory of differential privacy, made visible",
    group="",
    summary="Differential privacy is a promise: whatever is published would have been about as "
    "likely without your data.",
)

PAGES: tuple[Entry, ...] = (
    Entry(
        slug="promise",
        title="The promise",
        question="If I join, what can anyone learn about me?",
        group="To begin",
        summary="Be the attacker, and meet the best one: what ε and δ mean for one person.",
        picture="attackers",
    ),
    Entry(
        slug="bounded_noise",
        title="Bounded noise",
        question="How large an error must you accept, and with what certainty?",
        group="Noise",
        summary="Noise that never exceeds a bound against Gaussian noise, on an exact accountant.",
        picture="errors",
    ),
    Entry(
        slug="adaptive_analysis",
        title="Adaptive analysis",
        question="How many questions may one data set answer before its answers mislead?",
        group="Noise",
        summary="An analyst who is fooled by the answers, and how many answers noise keeps true.",
        picture="attack",
    ),
    Entry(
        slug="user_complexity",
        title="User complexity",
        question="How many users does private learning need when each holds m examples?",
        group="Users",
        summary="Item-level, earlier and new bounds as m grows, and what their constants hide.",
        picture="users",
    ),
    Entry(
        slug="perfect_generalization",
        title="Perfect generalization",
        question="How far apart are a private algorithm's outputs on two fresh data sets?",
        group="Users",
        summary="The exact law of their distance beside the √n theorem and group privacy.",
        picture="growth",
    ),
    Entry(
        slug="propose_test_release",
        title="Propose, test, release",
        question="When may an algorithm answer about users, and when must it refuse?",
        group="Users",
        summary="Drop a few users, test whether the rest agree, and answer only then.",
        picture="outliers",
    ),
    Entry(
        slug="clipping",
        title="Clipping",
        question="How much of one user should a private choice listen to?",
        group="Users",
        summary="The exponential mechanism with clipped scores, also on real people's data.",
        picture="threshold",
    ),
    Entry(
        slug="shared_darts",
        title="Shared darts",
        question="How can two people who see different samples make the same random choice?",
        group="Learners",
        summary="Two distributions, one stream of darts, and how rarely the picks differ.",
        picture="disagreement",
    ),
    Entry(
        slug="few_users",
        title="Few users",
        question="How can a handful of users learn privately, even from a rich class?",
        group="Learners",
        summary="Everybody learns alone, shared darts make them agree, a private vote decides.",
        picture="agreement",
    ),
    Entry(
        slug="public_data",
        title="Public data",
        question="How do unlabelled public points help a private learner?",
        group="Learners",
        summary="Five algorithms at work, the noise they need, and what shifted data cost.",
        picture="points",
    ),
)


# Pages without a figure of their own: no parameters, no views.
GUIDES: tuple[Entry, ...] = (
    Entry(
        slug="lectures",
        title="Lectures",
        question="How do I show this to a class?",
        group="For teaching",
        summary="Seven lectures and a path for beginners, and your own in one link.",
    ),
    Entry(
        slug="exercises",
        title="Exercises",
        question="Can you work it out yourself?",
        group="For teaching",
        summary="Questions about the figures, with answers that are checked, hints and solutions.",
    ),
    Entry(
        slug="glossary",
        title="Glossary",
        question="What do the words and symbols mean?",
        group="To look up",
        summary="The field's terms, and every symbol with its range.",
    ),
    Entry(
        slug="index",
        title="Index",
        question="Where is it?",
        group="To look up",
        summary="Every view, theorem, section and word, and a search through them.",
    ),
)


def entry(slug: str) -> Entry:
    """Return the page named `slug`."""
    return next(page for page in (HOME, *PAGES, *GUIDES) if page.slug == slug)


def topic_after(slug: str) -> Entry | None:
    """Return the topic after that of a page, None after the last and where there is none."""
    following = {before.slug: after for before, after in pairwise(PAGES)}
    return following.get(slug)


def groups() -> dict[str, list[Entry]]:
    """Return the pages by group, both in the order of the registry."""
    grouped: dict[str, list[Entry]] = {}
    for page in (*PAGES, *GUIDES):
        grouped.setdefault(page.group, []).append(page)
    return grouped
