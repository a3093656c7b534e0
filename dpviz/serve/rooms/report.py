"""The report of a class: what was asked, how it answered, and what is so, as one page of HTML.

It needs nothing else, prints well, and holds nothing by which a phone could be known: counts, and
what stood on the projector.
"""

import math
import time
from collections.abc import Sequence
from datetime import date
from html import escape
from urllib.parse import parse_qs, urlencode, urlsplit

from dpviz.plot.captioned import WIDTH
from dpviz.plot.picture import svg
from dpviz.plot.theme import LIGHT
from dpviz.plot.written import bare, line
from dpviz.results.numbers import read_number
from dpviz.scene.catalogue import entry
from dpviz.scene.lectures import TEXT
from dpviz.scene.scene import Scene
from dpviz.serve.files import state_text
from dpviz.serve.lines import headline
from dpviz.serve.links import finest, scene_of
from dpviz.serve.rooms import scenes, sketching
from dpviz.serve.rooms.asking import Phase, Question
from dpviz.serve.rooms.own import Own
from dpviz.serve.rooms.page import CLASS
from dpviz.serve.topics import Topics
from dpviz.topics.classroom.views import class_sketches_shown

_PATIENCE = 3.0  # seconds for all figures together
_KINDS = {
    "prediction": "A prediction",
    "sketch": "A curve to draw",
    "survey": "A yes or no question; each phone sent a randomised answer",
    "shuffle": "A yes or no question; messages with noise were shuffled",
    "worlds": "Everybody attacked five counts, and said of each whether they were in it",
    "own": "A question of the lecturer's own",
}
_BITS = {"0": "No, after the coin", "1": "Yes, after the coin"}
_STYLE = """
body { color: #23211e; font: 11pt/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem;
  padding: 0 1rem; }
h1, h2 { font-family: Georgia, serif; line-height: 1.25; }
h2 { font-size: 1.2rem; margin: 0 0 .3rem; }
section { border-top: 1px solid #cfcac2; break-inside: avoid; margin-top: 1.2rem;
  padding-top: .8rem; }
.small { color: #6b655c; font-size: .9rem; margin: .2rem 0; }
table { border-collapse: collapse; margin: .5rem 0; width: 100%; }
td, th { padding: .15rem .6rem .15rem 0; text-align: left; vertical-align: middle; }
th { font-weight: 600; width: 45%; }
td.count { text-align: right; width: 3rem; }
.bar { background: #2761db; display: block; height: .8rem; print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }
.right th::before { content: "\\2713  "; }
svg { height: auto; max-width: 100%; }
@page { margin: 15mm; }
"""


def report(questions: Sequence[Question], link: str, site: str, topics: Topics) -> str:
    """Return the report of what was asked in a room; a question that is open is left out.

    link: where in the app the class was last. site: where its links lead.
    """
    found = scenes.scene_at(parse_qs(urlsplit(link).query))
    title = "A class" if found is None else found[0].title
    closed = [question for question in questions if question.phase is not Phase.OPEN]
    end = time.monotonic() + _PATIENCE
    parts = [_section(place, one, site, topics, end) for place, one in enumerate(closed, 1)]
    body = "".join(parts) or "<p>Nothing has been asked yet, or the first question is open.</p>"
    day = date.today()
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(bare(title))}, report of {day}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{line(title)}</h1>"
        f'<p class="small">Report of a class on {day.day} {day:%B %Y}: {_count(len(closed))}. '
        f"It holds counts and nothing about single phones.</p>{body}</body></html>"
    )


def _count(number: int) -> str:
    return f"{number} question{'' if number == 1 else 's'}"


def _section(place: int, question: Question, site: str, topics: Topics, end: float) -> str:
    prompt = question.prompt.for_phones()
    parts = [f"<h2>{place}. {line(prompt['question'])}</h2>"]
    parts.append(text := _text(question, site, topics))
    parts.append(f'<p class="small">{_kind(question, text)}.{_about(question, topics)}</p>')
    if question.prompt.kind in ("prediction", "own"):
        parts += _votes(question, prompt["guess"].get("options", {}))
    elif question.prompt.kind == "survey":
        parts += _votes(question, _BITS)
    elif words := question.prompt.in_words(question):
        parts.append(f"<p>{escape(words)}.</p>")
    if question.exactly:
        parts.append(f"<p><strong>The answer:</strong> {line(question.exactly)}.</p>")
    parts.append(_drawn(question, end))
    if link := _link(question):
        parts.append(
            f'<p class="small"><a href="{escape(site + link)}">The figure it was about</a></p>'
        )
    return f"<section>{''.join(parts)}</section>"


def _kind(question: Question, text: str) -> str:
    """Return what was asked, in words; `text` is what stood above it, that of an exercise, too."""
    found = scenes.scene_at(parse_qs(urlsplit(question.about).query)) if text else None
    is_exercise = found is not None and found[0].scenes[found[1] - 1].exercise
    return "An exercise" if is_exercise else _KINDS[question.prompt.kind]


def _text(question: Question, site: str, topics: Topics) -> str:
    """Return what stood above a question of a lecture's own, or of an exercise."""
    parts = urlsplit(question.about)
    if question.prompt.kind != "own" or parts.path != f"/{TEXT}":
        return ""
    slide = scenes.slide(topics, question.about, "")
    if not isinstance(question.prompt, Own) or slide.prompt != question.prompt:
        return ""
    return slide.text.replace('href="/', f'href="{escape(site)}/')


def _votes(question: Question, options: dict[str, str]) -> list[str]:
    """Return a table for each round: how often each answer was given."""
    tables = []
    for number, counts in enumerate(question.counts(), 1):
        answers = {value: counts.get(value, 0) for value in options} or dict(_sorted(counts))
        most, rows = max([1, *answers.values()]), []
        for value, count in answers.items():
            right = question.prompt.is_right(value, question.truth)
            mark = ' class="right"' if right else ""
            bar = f'<span class="bar" style="width: {100 * count / most:.0f}%"></span>'
            rows.append(
                f'<tr{mark}><th scope="row">{line(options.get(value) or _short(value))}</th>'
                f'<td class="count">{count}</td><td>{bar}</td></tr>'
            )
        total = sum(counts.values())
        caption = f"{'Second vote, ' if number > 1 else ''}{total} answer{'s'[: total != 1]}"
        out = sum(answer in question.left_out for answer in question.rounds[number - 1].values())
        caption += f"; {out} not counted" if out else ""
        tables.append(f'<p class="small">{caption}</p><table>{"".join(rows)}</table>')
    return tables


def _short(value: str) -> str:
    """Return six digits of a number, and words as they are."""
    number = read_number(value)
    return value if math.isnan(number) else f"{number:.6g}"


def _sorted(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Return numbers in their order, and words by how often they were said."""
    try:
        return sorted(counts.items(), key=lambda one: float(one[0]))
    except ValueError:
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _scene(question: Question, topics: Topics) -> Scene | None:
    match urlsplit(question.about).path.split("/"):
        case ["", "figure", topic, key] if (page := topics.page(topic)) is not None:
            query = parse_qs(urlsplit(question.about).query)
            return scene_of(page, query | ({"view": [key]} if len(page.views) > 1 else {}))
    return None


def _about(question: Question, topics: Topics) -> str:
    """Return in words about which state of which view it was asked."""
    scene = _scene(question, topics)
    if scene is None or question.prompt.kind in ("own", "worlds"):
        return ""
    page = entry(scene.page.slug)
    return f" {escape(f'{page.title}, {scene.view.title}. {state_text(scene)}')}."


def _link(question: Question) -> str:
    parts = urlsplit(question.about)
    has_link = question.prompt.kind in ("prediction", "sketch")
    if not has_link or not parts.path.startswith("/figure/"):
        return ""
    _, _, topic, key = parts.path.split("/")
    query = {"view": [key]} | parse_qs(parts.query)
    return f"/{'' if topic == 'home' else topic}?{urlencode(query, doseq=True)}"


def _drawn(question: Question, end: float) -> str:
    """Return the class's own figure, as it stood on the projector, if it is known by then."""
    if question.prompt.kind == "sketch":
        result = sketching.drawn(question)
        return svg(class_sketches_shown.VIEW.figure(result, LIGHT), LIGHT, WIDTH)
    query = question.prompt.figure(question)
    if query is None:
        return ""
    kept = {key: [text] for key, text in query.items()} | {"view": [question.prompt.kind]}
    scene = scene_of(CLASS, kept)
    progress = finest(scene, end - time.monotonic())
    if progress is None:
        return ""
    sentence = f"<p>{escape(headline(scene.view, progress.result))}</p>"
    return sentence + svg(scene.view.figure(progress.result, LIGHT), LIGHT, WIDTH)
