"""What stands behind a figure, folded at its lower edge; a tab is computed when it is open."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpviz.plot.brush import brushed
from dpviz.plot.text import plain, readable, superscript
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.data_frame import await_pandas, data_frame
from dpviz.results.evidence import Curve, parts_of
from dpviz.scene.scene import Scene, snippet
from dpviz.serve import reference
from dpviz.serve.computing import Progress
from dpviz.serve.lines import Look, drawn
from dpviz.serve.site import at
from dpviz.ui import stage as figure
from dpviz.ui.classroom import collecting, predicting
from dpviz.ui.session import EVIDENCE, session
from dpviz.ui.sharing import share

TABS = ("Source", "Numbers", "Explore", "Code", "Share")
FOLD = "fold-evidence"
_POWER = re.compile(r"\b\d(?:\.\d+)?e[+-]\d+\b")  # as Python writes it within words
_LEGEND = 150  # pixels of a legend of many curves, below a figure
_WRITTEN = 20_000  # numbers that are written as on the page, at most: it takes a fifth of a second


def draw(scene: Scene) -> None:
    """Draw the fold with its tabs, or within another page the way to them.

    Nothing, where it would give away an answer that the reader is to predict.
    """
    if share.is_embedded():
        share.way_out(scene.query)
        return
    if predicting.pending(scene):
        return
    tab = session().modes.get("tab", "").capitalize()
    if EVIDENCE not in st.session_state:
        st.session_state[EVIDENCE] = tab if tab in TABS else TABS[0]
        st.session_state[FOLD] = tab in TABS
    fold = st.expander("Source & data", key=FOLD, on_change=_turn)
    if fold.open:
        with fold:
            _tabs(scene)


def _tabs(scene: Scene) -> None:
    source, numbers, explore, code, shared = st.tabs(TABS, key=EVIDENCE, on_change=_turn)
    if code.open:
        with code:
            _code(scene)
        return
    if source.open:
        with source:
            figure.notes()
    progress = figure.shown(scene)
    if progress is None:
        return
    with source:
        if source.open:
            _sources(scene, progress)
    with numbers:
        if numbers.open:
            _numbers(scene, progress)
    with explore:
        if explore.open:
            _explore(scene, progress)
    with shared:
        if shared.open:
            if scene.page.slug:
                collecting.draw(scene)
            share.section(scene, progress)


def _turn() -> None:
    """Take the tab that is opened, or that all are folded; the address says which is open."""
    if is_read():
        session().enter("tab", st.session_state[EVIDENCE].lower())
    else:
        session().leave("tab")


def is_read() -> bool:
    """Return whether a tab is open, which says more of the figure than the figure does."""
    return bool(st.session_state.get(FOLD, False))


def _explore(scene: Scene, progress: Progress) -> None:
    """Show the figure with what plotly can do with it, or the people in it with Altair's brush.

    Streamlit loads either for it.
    """
    await_pandas()
    dark = st.context.theme.type == "dark"
    if scene.view.people is not None:
        chart = brushed(scene.view.people(progress.result), DARK if dark else LIGHT)
        if chart is not None:
            st.caption("Draw across the bars to choose users: below stands what they come to.")
            st.altair_chart(chart, theme=None, width="content", key="explore-people")
    look = Look(dark=dark, narrow=True)  # without words where the legend names the curves
    seen = drawn(scene.view, progress.result, look, whole=progress.whole)
    st.caption("Zoom in with the mouse, move the axes by their numbers, hide curves in the legend.")
    below = {"yref": "paper", "y": -0.25, "yanchor": "top", "itemclick": "toggle"}
    layout: dict[str, Any] = {"dragmode": "zoom", "showlegend": True, "legend": below, "meta": None}
    layout["height"] = seen.figure.layout["height"] + _LEGEND
    axes = {key: {"fixedrange": False} for key in seen.figure.layout if key[1:5] == "axis"}
    spec = seen.figure.with_exponents().update_layout(**layout, **axes)
    st.plotly_chart(spec.plain(), theme=None, width="stretch", key="explore", alt=seen.alt)


def _code(scene: Scene) -> None:
    st.code(snippet(scene, session().file.columns), language="python")
    where = at(reference.address(scene.view.compute.__module__))
    st.markdown(
        f"What it computes, in words: [the reference]({where}). To run it, install dpviz: "
        "`pip install --editable .` in a copy of its repository."
    )


def _numbers(scene: Scene, progress: Progress) -> None:
    """Show the table, whose columns are called as in the figure; the help says what a file does.

    Columns in which nothing stands are left to files. A browser writes the numbers of a long table.
    """
    result, meanings = progress.result, progress.result.meanings
    columns = {key: cells for key, cells in result.columns().items() if not _is_empty(cells)}
    numbers = [key for key, cells in columns.items() if cells.dtype.kind in "fiu"]
    small = sum(columns[key].size for key in numbers) <= _WRITTEN
    shown = {
        key: st.column_config.NumberColumn(called, help=_help(key, meanings), format="%.6g")
        if columns[key].dtype.kind == "f" and not small
        else st.column_config.Column(called, help=_help(key, meanings))
        for key, called in ((key, superscript(result.headings[key])) for key in columns)
    }
    if "curve" in columns:
        names = result.curve_labels
        columns["curve"] = np.array([names.get(key, key) for key in columns["curve"]])
    for key in (key for key, cells in columns.items() if cells.dtype.kind == "U"):
        columns[key] = np.array([_POWER.sub(_typeset, text) for text in columns[key]])
    if progress.remark:
        st.caption(progress.remark)
    table = data_frame(columns)
    if small:
        table = table.style.format(_number, subset=numbers, na_rep="")
    st.dataframe(table, hide_index=True, column_config=shown, height=320, placeholder="")
    with st.container(horizontal=True, gap="small"):
        share.tables(scene, progress, "table")


def _is_empty(cells: NDArray[Any]) -> bool:
    return cells.dtype.kind == "f" and bool(np.isnan(cells).all())


def _number(value: float | int) -> str:
    """Write a number of a table as the page writes numbers: a count in full, else six digits."""
    return readable(value, 6) if isinstance(value, float) else f"{value:,}"


def _typeset(number: re.Match[str]) -> str:
    return readable(float(number[0]))


def _help(column: str, meanings: Mapping[str, str]) -> str:
    """Say what a column holds, and what files call it."""
    return plain(". ".join(filter(None, (meanings.get(column), f"In files: {column}"))))


def _sources(scene: Scene, progress: Progress) -> None:
    """Say of each curve, and of what else is drawn, what kind of knowledge it is and whose."""
    result = progress.result
    curves = {
        (curve.label, curve.evidence.value, str(curve.source)): curve.assumption
        for curve in parts_of(result, Curve)
    }
    others = {
        ("", origin.evidence.value, str(origin.source)): "" for origin in result.other_origins
    }
    rows = [
        f"| {' | '.join(map(plain, (*row, assumption)))} |"
        for row, assumption in (curves | others).items()
    ]
    head = ["| curve | what it is | source | assumes |", "|---|---|---|---|"]
    st.markdown("\n".join([*head, *rows]))
    if more := scene.view.sources(result):
        st.markdown(more)
