"""What a reader can take along from a view: texts and figures, by the state that made them.

No Streamlit here: `dpviz.ui.sharing.share` offers what this module makes.
"""

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from dpviz.plot.export import Words
from dpviz.plot.text import readable
from dpviz.results.evidence import origins
from dpviz.scene.codec import Choice, Flag, Number, Parameter, Seed, Value, encode
from dpviz.scene.page import Page, Result, View, snippet

EMBEDDED = {"embed": "true"}

_PRINT = """
writer = csv.writer(sys.stdout)
writer.writerow(table)
writer.writerows(zip(*table.values()))
"""


def query(page: Page, values: Mapping[str, Value], **more: str) -> str:
    """Return the query string of a link to this state."""
    return urlencode(encode(values, page.url_parameters) | more)


def iframe(link: str, title: str) -> str:
    """Return HTML that shows the page of `link`, which ends in a query string, within another."""
    source = escape(f"{link}&{urlencode(EMBEDDED)}")
    return (
        f'<iframe src="{source}"\n  title="{escape(title)}"\n'
        '  style="border: 0; height: 760px; width: 100%"></iframe>'
    )


def state_text(page: Page, view: View, values: Mapping[str, Value]) -> str:
    """Name the parameters of a view with their values, but not those without effect."""
    idle = view.idle({"view": view.key, **values})
    told = [_told(page.parameter(key), values[key]) for key in view.parameters if key not in idle]
    return ", ".join(told)


def _told(parameter: Parameter, value: Value) -> str:
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


def words(
    question: str, page: Page, values: Mapping[str, Value], result: Result, link: str
) -> Words:
    """Return what the figure of the open view says of itself outside the app."""
    view = page.open_view(values)
    done = getattr(result, "done", 1.0)
    return Words(
        question=question,
        sentence=view.takeaway(result),
        state=f"{view.title}. {state_text(page, view, values)}.",
        origins=origins(result),
        link=link,
        remark="" if done >= 1 else f"This is {done:.0%} of the whole computation.",
    )


def script(question: str, page: Page, values: Mapping[str, Value], link: str) -> str:
    """Return a Python file that prints the numbers of the open view as CSV."""
    view = page.open_view(values)
    lines = [
        question,
        f"{view.title}: {state_text(page, view, values)}",
        link,
        "",
        "Needs dpviz. In a copy of its repository, with Python 3.11 or newer:",
        "    pip install --editable .",
    ]
    head = "\n".join(f"# {line}".rstrip() for line in lines)
    return f"{head}\n\nimport csv\nimport sys\n\n{snippet(page, view, values)}{_PRINT}"
