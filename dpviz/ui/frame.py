"""The frame all pages share.

From top to bottom: the question; the takeaway; the figure, with the controls beside it (below it
on a phone); then, folded, the numbers, the code, and the prose of assets/prose.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.plot.theme import DARK, LIGHT, Theme
from dpviz.scene.codec import Value
from dpviz.scene.page import Page, Preset, Result, View, csv_text, snippet
from dpviz.ui import browser, navigation, server, session
from dpviz.ui.canvas import Canvas, Progress, asked_for_all, offer
from dpviz.ui.classroom import collecting, predicting, presenting
from dpviz.ui.computing import LINE, Computation, Hasty
from dpviz.ui.controls import upload, widget
from dpviz.ui.controls.range_control import courier
from dpviz.ui.sharing import share
from dpviz.ui.style import style

_PROSE = navigation.ROOT / "assets" / "prose"

# Pixels of a projector's height that do not belong to the figure, and what it gets at least.
_AROUND, _LEAST = 310, 300

server.prepare()


def render(page: Page) -> None:
    """Draw `page` in the state its URL and its widgets describe."""
    values = begin(page)
    drawn = stage(page, values)
    if share.is_embedded() or not drawn.hides_answer:
        folds(page, values, drawn.result)
    drawn.compute_on()


def begin_guide(slug: str) -> None:
    """Draw what every page begins with, on a page without parameters and figure."""
    guide = Page(slug=slug, parameters=(), views=())
    begin(guide)
    if share.is_embedded():
        share.way_out(guide, {})


def begin(page: Page) -> Mapping[str, Value]:
    """Read the state, draw what every page begins with, and return the state."""
    values = session.begin(page.slug, page.url_parameters)
    entry = navigation.entry(page.slug)
    title = f"{entry.title} · dpviz" if entry.slug else "dpviz"
    st.set_page_config(page_title=title, layout="wide", initial_sidebar_state="collapsed")
    st.html(style())
    here = presenting.place()
    if not share.is_embedded():
        navigation.header(entry)
    st.title(here.scene.prompt if here else entry.question, anchor=False)
    presenting.bar(page, values, here)
    return values


@dataclass(frozen=True)
class Drawn:
    """What a run of the script has drawn of the open view, and what the reader asked for."""

    result: Result | None
    canvas: Canvas
    computation: Computation
    hides_answer: bool = False
    progress: Progress | None = None

    def compute_on(self) -> None:
        """Compute to the end if the reader asked for it, and draw the page anew.

        Comes last, when all of the page stands. Whatever a reader does meanwhile, stopping
        included, ends the script; what is computed by then is kept in the session.
        """
        if self.progress is None:
            return
        with self.canvas.calm(), LINE.join() as ticket:
            self.progress.follow(self.computation, self.canvas, ticket)
            st.rerun()


def stage(page: Page, values: Mapping[str, Value]) -> Drawn:
    """Draw the open view: takeaway, figure, controls."""
    view, asked = _tabs(page, values), asked_for_all()
    if session.notes():
        st.info("  \n".join(session.notes()))
    with st.container(key="stage", horizontal=True, gap="large"):
        picture = st.container(key="picture")
        further = st.container(key="further")
        _presets(page, view, values)
        with st.container(key="controls", gap="xsmall"):
            _controls(page, view, values)
    session.commit(page.url_parameters)
    theme = current_theme()
    with picture:
        drawn = _picture(page, view, theme)
    with further:
        predicting.ask(page, view, values)
    if drawn.result is None or drawn.computation.whole or session.moving():
        return drawn
    with further:
        return replace(drawn, progress=offer(drawn.result, asked=asked))


@st.fragment
def _picture(page: Page, view: View, theme: Theme) -> Drawn:
    """Compute the open view and draw it. While a control is moved, this alone runs again."""
    if session.changed():
        # The end of a movement came together with one of its values, so that only this ran.
        st.rerun()
    values, moving = session.values(), session.moving()
    axes = st.session_state.pop("axes", None)
    shown = predicting.adapted(page, view, values)
    canvas = Canvas(page, shown, values, theme.holding(axes) if moving else theme)
    own = upload.own(view, values)
    computation = _computation(page, view, values, own)
    stages = _hasty().results(page, view, values, own) if moving else computation.first()
    result = None
    with canvas.calm():
        result = canvas.draw_all(stages)
    courier([page.parameter(key) for key in view.parameters])
    hidden = predicting.asked(view, values) is not None
    return Drawn(result, canvas, computation, hides_answer=hidden)


def _computation(
    page: Page, view: View, values: Mapping[str, Value], own: Mapping[str, object]
) -> Computation:
    """Return the session's computation of the open view, as far as it has come."""
    fresh = Computation(page, view, values, own)
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
            widget.draw(page.parameter(key), values[key])

    with st.container(key="own-data", gap="xsmall"):
        upload.draw(view, values)
    few = session.presenting() and view.essential
    for key in view.essential if few else view.parameters:
        if few or key not in view.folded:
            draw(key)
    if few or set(view.folded) <= set(idle):
        st.empty()
    else:
        with st.expander("More", key="fold-controls"):
            for key in view.folded:
                draw(key)


def current_theme() -> Theme:
    """Return the theme of the reader's browser."""
    theme = DARK if st.context.theme.type == "dark" else LIGHT
    window = browser.window()
    if session.presenting() and not window.narrow:
        return theme.projected(max(window.height - _AROUND, _LEAST))
    return theme.narrow() if window.narrow else theme


def _tabs(page: Page, values: Mapping[str, Value]) -> View:
    view = page.open_view(values)
    if len(page.views) > 1:
        keys = {v.title: v.key for v in page.views}
        session.show("view", view.title)
        st.tabs(
            list(keys),
            key="view",
            on_change=lambda: session.change({"view": keys[st.session_state["view"]]}),
        )
    return view


def _presets(page: Page, view: View, values: Mapping[str, Value]) -> None:
    def take(preset: Preset) -> None:
        session.change(page.preset_values(preset))

    with st.container(key="presets", horizontal=True, gap="xsmall"):
        for number, preset in enumerate(page.presets):
            st.button(preset.label, key=f"preset-{number}", on_click=take, args=(preset,))
        predicting.offer(view, values)


def folds(page: Page, values: Mapping[str, Value], result: Result | None) -> None:
    """Draw what is read after the figure: the numbers, the code, the prose.

    Within another page, draw the way to all this instead.
    """
    if share.is_embedded():
        share.way_out(page, values)
        return
    view = page.open_view(values)
    with st.container(key="folds", gap="small"):
        if result is not None:
            if notes := view.notes(result):
                with st.expander("What to know about these curves", key="fold-notes"):
                    st.markdown("\n".join(f"- {note}" for note in notes))
            table = st.expander("The numbers", key="fold-table", on_change="rerun")
            if table.open:
                _table(table, f"dpviz-{page.slug or 'home'}-{view.key}.csv", result)
            # Colouring code is the second largest script a browser loads: not before it is asked.
            code = st.expander("The same in Python", key="fold-snippet", on_change="rerun")
            if code.open:
                code.code(snippet(page, view, values), language="python")
            export = st.expander("Share and export", key="fold-share", on_change="rerun")
            if export.open:
                with export:
                    share.section(page, values, result)
        if page.slug:
            collecting.draw(page, view, values)
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
