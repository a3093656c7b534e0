"""What a reader can take along from a view: a link, a frame for another page, files."""

from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from dpviz.plot.printed import ONE_COLUMN, TWO_COLUMNS, Sheet
from dpviz.scene.catalogue import entry
from dpviz.scene.scene import Scene
from dpviz.serve import files
from dpviz.serve.computing import Progress
from dpviz.ui.session import session


def is_embedded() -> bool:
    """Return whether the page is shown within another: ``?embed=true``, as Streamlit has it."""
    return bool(st.context.is_embedded)


def link(scene: Scene) -> str:
    """Return the address of a scene, as the reader's browser knows it."""
    return f"{st.context.url or scene.page.slug}?{urlencode(scene.query)}"


def section(scene: Scene, progress: Progress) -> None:
    """Offer the open view: as a link, within another page, and as files."""
    address, question = link(scene), entry(scene.page.slug).question
    st.caption("A link to exactly this figure")
    st.code(address, language=None, wrap_lines=True)
    if scene.upload is not None:
        st.caption("The link does not carry your file: whoever opens it gives one of their own.")
    st.caption("HTML that shows it within another page")
    st.code(files.iframe(address, question), language="html", wrap_lines=True)
    st.caption(
        "Files; SVG, PNG and HTML say in a caption what they show and where it comes from. A PDF, "
        "for papers, holds the figure alone."
    )
    if progress.remark:
        st.caption(f"{progress.remark} The files say so; the Python code computes all of it.")
    _files(scene, progress, address)


def _files(scene: Scene, progress: Progress, address: str) -> None:
    def offer(label: str, kind: str, mime: str, make: Callable[[], str | bytes]) -> None:
        st.download_button(
            label,
            make,
            f"{scene.name if kind in ('py', 'bib') else files.name(scene, progress)}.{kind}",
            mime,
            key=f"file-{kind}",
            on_click="ignore",
        )

    def content(kind: files.Kind, sheet: Sheet | None = None) -> Callable[[], bytes]:
        return partial(files.contents, kind, scene, progress, address, sheet=sheet)

    with st.container(horizontal=True, gap="small"):
        offer("SVG", "svg", "image/svg+xml", content("svg"))
        offer("PNG", "png", "image/png", content("png"))
        for label, key, width in (
            ("PDF, one column", "pdf", ONE_COLUMN),
            ("PDF, two columns", "wide.pdf", TWO_COLUMNS),
        ):
            offer(label, key, "application/pdf", content("pdf", Sheet(width)))
        offer("HTML, interactive", "html", "text/html", content("html"))
        tables(scene, progress)
        offer(
            "Python, the code",
            "py",
            "text/x-python",
            lambda: files.script(
                entry(scene.page.slug).question, scene, address, session().file.columns
            ),
        )
        offer("BibTeX, the sources", "bib", "application/x-bibtex", content("bib"))


def tables(scene: Scene, progress: Progress, key: str = "file") -> None:
    """Offer the numbers as CSV, with what each column holds and without."""
    for label, name, bare in (
        ("CSV, the numbers", "csv", False),
        ("CSV without comments", "bare-csv", True),
    ):
        st.download_button(
            label,
            partial(files.table, scene, progress, link(scene), bare=bare),
            f"{files.name(scene, progress)}.csv",
            "text/csv",
            key=f"{key}-{name}",
            on_click="ignore",
            help="" if bare else "Lines that begin with # say units and sources.",
        )


def way_out(query: Mapping[str, str]) -> None:
    """Draw, in a page within another, the way to the same state of the whole app.

    The link is relative, and leaves only ``embed`` out: Streamlit knows the address of a page
    within another of the same site as that of the other.
    """
    st.link_button(
        "Open in dpviz",
        f"?{urlencode(query)}",
        type="tertiary",
        icon=":material/open_in_new:",
    )
