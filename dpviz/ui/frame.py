"""The frame all pages share.

From top to bottom: the question; the takeaway; the figure, with the controls beside it (below it
on a phone); then, folded, the numbers, the code, and the prose of assets/prose.
"""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.scene.codec import Value
from dpviz.scene.page import Page, Preset, Result, View, csv_text, snippet
from dpviz.ui import browser, navigation, server, session
from dpviz.ui import stage as figure
from dpviz.ui.classroom import collecting, predicting, presenting
from dpviz.ui.controls import upload, widget
from dpviz.ui.sharing import share
from dpviz.ui.style import style

_PROSE = navigation.ROOT / "assets" / "prose"

server.prepare()


def render(page: Page) -> None:
    """Draw `page` in the state its URL and its widgets describe."""
    values = begin(page)
    stage(page, values)
    folds(page, values)


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


def stage(page: Page, values: Mapping[str, Value]) -> None:
    """Draw the open view: takeaway, figure, controls."""
    view = _tabs(page, values)
    if session.notes():
        st.info("  \n".join(session.notes()))
    with st.container(key="stage", horizontal=True, gap="large"):
        picture = st.container(key="picture")
        further = st.container(key="further")
        _presets(page, view, values)
        with st.container(key="controls", gap="xsmall"):
            _controls(page, view, values)
    session.commit(page.url_parameters)
    browser.keys()
    theme = "dark" if st.context.theme.type == "dark" else "light"
    with picture:
        figure.draw(page, view, values, theme=theme)
    with further:
        predicting.ask(page, view, values, lambda: figure.ask_for_all(page, view))


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


def folds(page: Page, values: Mapping[str, Value]) -> None:
    """Draw what is read after the figure: the numbers, the code, the prose.

    Within another page, draw the way to all this instead; and nothing that would tell an answer
    that the reader is to predict.
    """
    if share.is_embedded():
        share.way_out(page, values)
        return
    view = page.open_view(values)
    if predicting.asked(view, values):
        return
    with st.container(key="folds", gap="small"):
        with st.expander("What to know about these curves", key="fold-notes"):
            figure.notes()
        # What is in these is computed and sent when they are opened.
        table = st.expander("The numbers", key="fold-table", on_change="rerun")
        code = st.expander("The same in Python", key="fold-snippet", on_change="rerun")
        export = st.expander("Share and export", key="fold-share", on_change="rerun")
        if code.open:
            code.code(snippet(page, view, values), language="python")
        if (table.open or export.open) and (result := figure.shown_result(page, view, values)):
            if table.open:
                _table(table, f"dpviz-{page.slug or 'home'}-{view.key}.csv", result)
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
