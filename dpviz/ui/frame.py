"""The frame all pages share.

From top to bottom: the question; the takeaway; the figure, with the controls beside it (below it
on a phone); then, folded, the numbers, the code, and the prose of assets/prose.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.figures.legend import legend_html
from dpviz.figures.steady import ranges
from dpviz.figures.theme import DARK, LIGHT, Theme
from dpviz.limits import ParameterError
from dpviz.ui import browser, controls, navigation, server, state
from dpviz.ui.codec import Value
from dpviz.ui.computing import LINE, Computation, Hasty, Ticket
from dpviz.ui.page import Page, Preset, Result, View, csv_text, snippet
from dpviz.ui.range_control import courier

_STYLE = Path(__file__).with_name("style.css")
_PROSE = navigation.ROOT / "assets" / "prose"
_CALM = "This figure could not be computed. The parameters above still work; try other values."

_SO_FAR = "This is what a short computation gives{so_far}. The code below computes all of it."
_TOUCH, _REDRAW = 0.05, 0.5  # seconds between looks for a click, and between figures

_log = logging.getLogger(__name__)

server.prepare()


def render(page: Page) -> None:
    """Draw `page` in the state its URL and its widgets describe."""
    values = begin(page)
    result = stage(page, values)
    folds(page, values, result)


def begin(page: Page) -> Mapping[str, Value]:
    """Read the state, draw what every page begins with, and return the state."""
    values = state.begin(page.slug, page.url_parameters)
    entry = navigation.entry(page.slug)
    title = f"{entry.title} · dpviz" if entry.slug else "dpviz"
    st.set_page_config(page_title=title, layout="wide", initial_sidebar_state="collapsed")
    st.html(_STYLE)
    navigation.header(entry)
    st.title(entry.question, anchor=False)
    return values


def stage(page: Page, values: Mapping[str, Value]) -> Result | None:
    """Draw the open view: takeaway, figure, controls. Return its final result, if it has one."""
    view = _tabs(page, values)
    if state.notes():
        st.info("  \n".join(state.notes()))
    with st.container(key="stage", horizontal=True, gap="large"):
        picture = st.container(key="picture")
        _presets(page)
        with st.container(key="controls", gap="xsmall"):
            _controls(page, view, values)
    state.commit(page.url_parameters)
    theme = current_theme()
    with picture:
        return _picture(page, view, theme)


@st.fragment
def _picture(page: Page, view: View, theme: Theme) -> Result | None:
    """Compute the open view and draw it. While a control is moved, this alone runs again."""
    if state.changed() or st.session_state.pop("stopped", False):
        # The end of a movement came together with one of its values, so that only this ran;
        # or what was computed on has to get into the table as well.
        st.rerun()
    values, moving = state.values(), state.moving()
    axes = st.session_state.pop("axes", None)
    canvas = _Canvas(view, theme.holding(axes) if moving else theme)
    computation = _computation(page, view, values)
    stages = _hasty().results(page, view, values) if moving else computation.first()
    result = None
    with canvas.calm(page, values):
        for result in stages:
            canvas.draw(result)
    courier([page.parameter(key) for key in view.parameters])
    with st.container(key="further"):
        place = st.empty()
    if result is not None and not moving and not computation.whole and _asked(place, result):
        with canvas.calm(page, values), LINE.join() as ticket:
            _compute_on(place, computation, canvas, ticket)
            st.rerun()
    return result


class _Canvas:
    """The places of takeaway, figure and legend, and how a result gets there."""

    def __init__(self, view: View, theme: Theme) -> None:
        self._view, self._theme = view, theme
        self._takeaway, self._figure, self._legend = (
            st.container(key=key) for key in ("takeaway", "figure", "legend")
        )
        self._shown: object = None
        self._count = 0

    def draw(self, result: Result) -> None:
        """Draw a result in place of the one before."""
        sentence = self._view.takeaway(result)
        self._takeaway = self._takeaway.markdown(sentence)
        drawn = self._view.figure(result, self._theme)
        st.session_state["axes"] = ranges(drawn)
        if drawn == self._shown:
            return
        # Streamlit refuses to draw the same twice in one run unless the keys differ.
        key, config = f"plot-{self._count}", _plot_config(self._view, self._theme)
        self._figure = self._figure.plotly_chart(
            drawn, theme=None, config=config, alt=sentence, key=key
        )
        self._shown, self._count = drawn, self._count + 1
        if self._theme.compact:
            self._legend = self._legend.html(legend_html(drawn))

    @contextmanager
    def calm(self, page: Page, values: Mapping[str, Value]) -> Iterator[None]:
        """Show words in place of the figure where it cannot be computed; no reader sees more."""
        try:
            yield
        except ParameterError as error:
            self._figure.info(str(error))
        except Exception:
            _log.exception(
                "view %s of page %s failed at %s", self._view.key, page.slug, dict(values)
            )
            self._figure.warning(_CALM)


def _asked(place: DeltaGenerator, result: Result) -> bool:
    """Tell that the figure is not all there is, and return whether the reader asked for more."""
    done = getattr(result, "done", None)
    so_far = "" if done is None else f", {done:.0%} of the whole"
    with place.container(horizontal=True, vertical_alignment="center"):
        asked = st.button("Compute on", key="compute-on", type="primary")
        st.caption(_SO_FAR.format(so_far=so_far))
    return asked


def _compute_on(
    place: DeltaGenerator, computation: Computation, canvas: _Canvas, ticket: Ticket
) -> None:
    """Compute to the end, showing how far that is, unless the reader stops or does else.

    Whatever a reader does ends the script, at the next word it says; what is computed by then is
    kept in the session.
    """

    def stop() -> None:
        st.session_state["stopped"] = True

    with place.container(horizontal=True, vertical_alignment="center"):
        st.button("Stop", key="stop", on_click=stop)
        bar = st.progress(0.0)

    def tell(words: str) -> None:
        done = getattr(computation.result, "done", None)
        bar.progress(done or 0.0, words if done is None else f"{words} {done:.0%}")

    told = drawn = time.monotonic()
    results = computation.further()
    while True:
        while ahead := ticket.ahead():
            others = "another computation" if ahead == 1 else f"{ahead} other computations"
            tell(f"Waiting for {others} to end or to pause.")
            time.sleep(2 * _TOUCH)
        result = next(results, None)
        if result is None:
            return
        now = time.monotonic()
        if now - told > _TOUCH:
            tell("Computing.")
            told = now
        if now - drawn > _REDRAW:
            canvas.draw(result)
            drawn = time.monotonic()


def _computation(page: Page, view: View, values: Mapping[str, Value]) -> Computation:
    """Return the session's computation of the open view, as far as it has come."""
    fresh = Computation(page, view, values)
    known: Computation | None = st.session_state.get("computation")
    if known is None or known.state != fresh.state:
        st.session_state["computation"] = known = fresh
    return known


def _hasty() -> Hasty:
    hasty: Hasty = st.session_state.setdefault("hasty", Hasty())
    return hasty


def _controls(page: Page, view: View, values: Mapping[str, Value]) -> None:
    """Draw the controls; each keeps its place, so that one that comes or goes moves no other."""
    idle = view.idle(values)

    def draw(key: str) -> None:
        if key in idle:
            st.empty()
        else:
            controls.draw(page.parameter(key), values[key])

    for key in view.parameters:
        if key not in view.folded:
            draw(key)
    if set(view.folded) <= set(idle):
        st.empty()
        return
    with st.expander("More", key="fold-controls"):
        for key in view.folded:
            draw(key)


def current_theme() -> Theme:
    """Return the theme of the reader's browser."""
    theme = DARK if st.context.theme.type == "dark" else LIGHT
    return theme.narrow() if browser.is_narrow() else theme


def _tabs(page: Page, values: Mapping[str, Value]) -> View:
    view = page.open_view(values)
    if len(page.views) > 1:
        keys = {v.title: v.key for v in page.views}
        state.show("view", view.title)
        st.tabs(
            list(keys),
            key="view",
            on_change=lambda: state.change({"view": keys[st.session_state["view"]]}),
        )
    return view


def _presets(page: Page) -> None:
    if not page.presets:
        return

    def take(preset: Preset) -> None:
        state.change(page.preset_values(preset))

    with st.container(key="presets", horizontal=True, gap="xsmall"):
        for number, preset in enumerate(page.presets):
            st.button(preset.label, key=f"preset-{number}", on_click=take, args=(preset,))


def _plot_config(view: View, theme: Theme) -> dict[str, Any]:
    return {
        "displayModeBar": False if theme.compact else "hover",
        "modeBarButtons": [["toImage", "resetScale2d"]],
        "toImageButtonOptions": {"format": "svg", "filename": f"dpviz-{view.key}"},
    }


def folds(page: Page, values: Mapping[str, Value], result: Result | None) -> None:
    """Draw what is read after the figure: the numbers, the code, the prose."""
    view = page.open_view(values)
    with st.container(key="folds", gap="small"):
        if result is not None:
            if notes := view.notes(result):
                with st.expander("What to know about these curves", key="fold-notes"):
                    st.markdown("\n".join(f"- {note}" for note in notes))
            table = st.expander("The numbers", key="fold-table", on_change="rerun")
            if table.open:
                _table(table, f"dpviz-{page.slug or 'home'}-{view.key}.csv", result)
            with st.expander("The same in Python", key="fold-snippet"):
                st.code(snippet(page, view, values), language="python")
        for number, (heading, text) in enumerate(prose(page.slug or "home")):
            with st.expander(heading, key=f"fold-prose-{number}"):
                st.markdown(text)


def _table(place: DeltaGenerator, name: str, result: Result) -> None:
    columns = result.columns()
    number = st.column_config.NumberColumn(format="%.6g")
    numeric = {key: number for key, column in columns.items() if column.dtype.kind == "f"}
    place.dataframe(columns, hide_index=True, column_config=numeric, height=320)
    place.download_button(
        "Download CSV", lambda: csv_text(columns), name, "text/csv", on_click="ignore"
    )


def prose(slug: str) -> list[tuple[str, str]]:
    """Return the sections of a page's prose, heading and text, as assets/prose tells them."""
    sections = (_PROSE / f"{slug}.md").read_text(encoding="utf-8").split("\n## ")
    divided = [section.removeprefix("## ").partition("\n") for section in sections]
    return [(heading.strip(), text.strip()) for heading, _, text in divided]
