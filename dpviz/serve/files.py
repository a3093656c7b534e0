"""What a reader can take along from a view: texts and figures, by the state that made them.

No Streamlit here: `dpviz.ui.sharing.share` and the previews of links offer what this module makes.
"""

from datetime import UTC, datetime
from html import escape
from typing import Literal
from urllib.parse import urlencode

from dpviz.plot import converter, typefaces
from dpviz.plot.captioned import WIDTH, Caption, captioned, named
from dpviz.plot.picture import svg
from dpviz.plot.printed import Sheet, in_points, printed
from dpviz.plot.standalone import carrying_font, standalone_html
from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT, Theme
from dpviz.results.papers import bibtex
from dpviz.results.version import VERSION
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import Choice, Flag, Number, Parameter, Seed, Value
from dpviz.scene.page import csv_text
from dpviz.scene.scene import Scene, snippet
from dpviz.serve.alone import lively
from dpviz.serve.computing import Progress
from dpviz.serve.lines import Look, exactly, headline, line
from dpviz.serve.local_network import public_address

Kind = Literal["svg", "png", "pdf", "html", "json", "csv", "py", "bib"]
KINDS: tuple[Kind, ...] = ("svg", "png", "pdf", "html", "json", "csv", "py", "bib")
EMBEDDED = {"embed": "true"}

_PRINT = """
writer = csv.writer(sys.stdout)
writer.writerow(table)
writer.writerows(zip(*table.values()))
"""
_DRAW = """
if sys.argv[1:]:  # the name of a file: .svg, .png, .pdf or .html
    import dpviz

    dpviz.figure({link!r}).save(sys.argv[1])
"""


def public_link(scene: Scene, link: str) -> str:
    """Return a link of the copy's public address, where DPVIZ_ADDRESS says one; else `link`."""
    address = public_address()
    return f"{address}/{scene.page.slug}?{urlencode(scene.query)}" if address else link


def iframe(link: str, title: str) -> str:
    """Return HTML that shows the page of `link`, which ends in a query string, within another."""
    source = escape(f"{link}&{urlencode(EMBEDDED)}")
    return (
        f'<iframe src="{source}"\n  title="{escape(title)}"\n'
        '  style="border: 0; height: 760px; width: 100%"></iframe>'
    )


def state_text(scene: Scene) -> str:
    """Name the parameters of the view with their values, but not those without effect."""
    named = scene.effective.items()
    return ", ".join(stated(scene.page.parameter(key), value) for key, value in named)


def stated(parameter: Parameter, value: Value) -> str:
    """Return the value of a parameter in words."""
    match parameter:
        case Seed():
            return f"seed {value}"
        case Number(limit=limit):
            return f"{limit.symbol} = {readable(float(value), 15)}"
        case Choice(label=label, options=options):
            colon = "" if label.endswith("=") else ":"
            return f"{label}{colon} {options[str(value)]}"
        case Flag(label=label):
            return f"{label}: {'yes' if value else 'no'}"
    raise TypeError(parameter)


def words(question: str, scene: Scene, progress: Progress, link: str) -> Caption:
    """Return what the figure of a scene says of itself outside the app."""
    view, result = scene.view, progress.result
    return Caption(
        question=question,
        sentence=headline(view, result),
        state=f"{view.title}. {state_text(scene)}.",
        origins=result.origins,
        link=link,
        remark=exactly(view, result),
        unfinished=progress.remark,
    )


def name(scene: Scene, progress: Progress) -> str:
    """Return how files made of a scene are named, without the end."""
    return f"{scene.name}-partial" if progress.remark else scene.name


def _picture(scene: Scene, progress: Progress, words: Caption, theme: Theme) -> str:
    """Return the figure of a scene as SVG."""
    figure = scene.view.figure(progress.result, theme)
    return svg(captioned(figure, words, theme).with_exponents(), theme, WIDTH)


def _printed(scene: Scene, progress: Progress, sheet: Sheet) -> str:
    """Return the figure of a scene as SVG for a paper."""
    view, result = scene.view, progress.result
    return printed(lambda theme: view.figure(result, theme).with_exponents(), sheet)


def script(
    question: str, scene: Scene, link: str, columns: tuple[str, str] = ("person", "answer")
) -> str:
    """Return a Python file that prints the numbers of a scene as CSV, and draws its figure.

    It draws where it is told a file to draw it to; not of a reader's own data, which no link has.

    columns: as in `dpviz.scene.scene.snippet`.
    """
    lines = [
        question,
        f"{scene.view.title}: {state_text(scene)}",
        named(link),
        "",
        "Needs dpviz. In a copy of its repository, with Python 3.11 or newer:",
        '    pip install --editable ".[figures]"',
        "Prints the numbers, and with the name of a file, figure.pdf say, draws the figure.",
    ]
    own = scene.upload is not None
    if own:
        lines.pop()
    draw = "" if own else _DRAW.format(link=f"{scene.page.slug}?{urlencode(scene.query)}")
    head = "\n".join(f"# {line}".rstrip() for line in lines)
    return f"{head}\n\nimport csv\nimport sys\n\n{snippet(scene, columns)}{draw}{_PRINT}"


def table(scene: Scene, progress: Progress, link: str, *, bare: bool = False) -> str:
    """Return the numbers as CSV, below lines that begin with # and say what each column holds.

    bare: without these lines.
    """
    result = progress.result
    numbers = csv_text(result.columns())
    if bare:
        return numbers
    caption = words(entry(scene.page.slug).question, scene, progress, link)
    lines = [
        caption.question,
        caption.unfinished,
        caption.state,
        caption.sources,
        *(f"{column}: {meaning}" for column, meaning in result.meanings.items()),
        named(link),
    ]
    head = "".join(f"# {' '.join(line.split())}\n" for line in lines if line)
    return head + numbers


def contents(
    kind: Kind,
    scene: Scene,
    progress: Progress,
    link: str,
    *,
    dark: bool = False,
    scale: float = 2,
    bare: bool = False,
    sheet: Sheet | None = None,
) -> bytes:
    """Return the file of what is found of a scene, without a browser.

    kind: a figure between its question and its caption, what the figure route answers (json), the
    numbers (csv), the code (py) or the sources (bib). scale: pixels of a PNG for each of the
    figure's. bare: as in `table`. sheet: how a PDF is printed, and an SVG that is for a paper.
    Raises `FontError` for a font that this machine lacks.
    """
    if kind == "csv":
        return table(scene, progress, link, bare=bare).encode()
    if kind == "bib":
        sources = [origin.source for origin in progress.result.origins]
        return bibtex(sources, public_link(scene, link), datetime.now(UTC).date()).encode()
    if kind == "json":
        return line(scene.view, progress.result, Look(dark=dark), whole=progress.whole)
    if kind == "pdf" or (kind == "svg" and sheet is not None):
        sheet = sheet or Sheet()
        folders = typefaces.folders_of(sheet.font) if sheet.font else ()
        text = _printed(scene, progress, sheet)
        if kind == "pdf":
            fonts = [str(folder) for folder in folders]
            about = {"Title": scene.view.title, "Subject": state_text(scene)}
            pdf = converter.apart(converter.pdf, in_points(text), fonts)
            return converter.described(pdf, about | {"Creator": f"dpviz {VERSION}"})
        return (text if sheet.font else carrying_font(text)).encode()
    question = entry(scene.page.slug).question
    if kind == "py":
        return script(question, scene, link).encode()
    caption = words(question, scene, progress, link)
    if kind == "html":
        figure = scene.view.figure(progress.result, LIGHT).with_exponents()
        return standalone_html(figure, caption, lively(), dark=dark).encode()
    text = _picture(scene, progress, caption, DARK if dark else LIGHT)
    if kind == "svg":
        return carrying_font(text).encode()
    return converter.apart(converter.png, text, scale)
