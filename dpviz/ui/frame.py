"""The frame all pages share.

From top to bottom: the question; the takeaway; the figure, with the controls beside it (below it
on a phone); then, folded, the numbers, the code, and the prose of assets/prose.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from html import escape

import streamlit as st

from dpviz.plot.text import plain
from dpviz.scene import coverage
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import Parameter, Value, encode
from dpviz.scene.glossary import all_explained, explained
from dpviz.scene.page import Page, Preset
from dpviz.scene.scene import Scene, snippet
from dpviz.serve import reference, scripts
from dpviz.serve.computing import Progress
from dpviz.ui import browser, navigation, server
from dpviz.ui import stage as figure
from dpviz.ui.classroom import collecting, predicting, presenting
from dpviz.ui.controls import rounds, upload, widget
from dpviz.ui.session import session, show
from dpviz.ui.sharing import share

_DEEP = "In depth"  # the tab of the views for those who work on the subject

server.prepare()


def render(page: Page) -> None:
    """Draw `page` in the state its URL and its widgets describe."""
    scene = begin(page)
    stage(scene)
    folds(scene)


def begin(page: Page) -> Scene:
    """Read the state, draw what every page begins with, and return the scene."""
    scene = _with_own(Scene.opened(page, session().begin(page.slug, page.url_parameters)))
    if instead := scene.fallen_back:
        session().fall_back(instead, scene.reset)
        scene = _with_own(Scene.opened(page, session().values))
    _top(page.slug, scene)
    return scene


def _with_own(scene: Scene) -> Scene:
    return replace(scene, own=upload.own(scene))


def begin_guide(slug: str, *parameters: Parameter) -> Mapping[str, Value]:
    """Draw what every page begins with, on a page without a figure; return its state."""
    values = session().begin(slug, parameters)
    _top(slug, None)
    if share.is_embedded():
        share.way_out(encode(values, parameters))
    return values


def _top(slug: str, scene: Scene | None) -> None:
    page = entry(slug)
    title = f"{page.title} · dpviz" if slug else "dpviz"
    st.set_page_config(page_title=title, layout="wide", initial_sidebar_state="collapsed")
    # Streamlit's own page, which answers a wrong address, has no link to it.
    st.html(f'<style>@import url("{scripts.style_address()}");</style>')
    here = presenting.place()
    if not share.is_embedded():
        navigation.header(page)
    st.title(plain(here.scene.prompt) if here else page.question, anchor=False)
    presenting.bar(scene, here)
    browser.draw()


def stage(scene: Scene) -> None:
    """Draw the open view: takeaway, figure, controls."""
    _tabs(scene)
    if notes := session().notes:
        st.info("  \n".join(notes))
    with st.container(key="stage", horizontal=True, gap="large"):
        picture = st.container(key="picture")
        further = st.container(key="further")
        _presets(scene)
        with st.container(key="controls", gap="xsmall"):
            _controls(scene)
    session().commit(scene.page.url_parameters)
    theme = "dark" if st.context.theme.type == "dark" else "light"
    with picture:
        figure.draw(scene, theme=theme)
    with further:
        if predicting.asked(scene):
            predicting.ask(scene, lambda: figure.ask_for_all(scene))
        else:
            rounds.draw(scene)


def _controls(scene: Scene) -> None:
    """Draw the controls; each keeps its place, so that one that comes or goes moves no other."""
    view, idle = scene.view, scene.idle

    def draw(key: str) -> None:
        if key in idle:
            st.empty()
        else:
            widget.draw(scene.parameter(key), scene.values[key], scene.offers.get(key))
            if key == "epsilon":
                figure.odds(scene)

    with st.container(key="own-data", gap="xsmall"):
        upload.draw(scene)
    if _with_own(scene).most != scene.most:  # a file that has just been read has other rows
        session().stay()
        st.rerun()
    for key in view.in_sight:
        draw(key)
    waiting = [key for key in view.parameters if key not in view.in_sight]
    if session().presenting or set(waiting) <= set(idle):
        st.empty()
    else:
        with st.expander("More", key="fold-controls"):
            for key in waiting:
                draw(key)


def _tabs(scene: Scene) -> None:
    page, opened = scene.page, scene.view
    if len(page.views) < 2:
        return
    is_deep = opened in page.in_depth
    front = {view.title: view.key for view in page.for_everyone}
    folded = {_DEEP: page.in_depth[0].key} if page.in_depth else {}
    _row(scene, "view", front | folded, _DEEP if is_deep else opened.title)
    if is_deep:
        _row(scene, "deep", {view.title: view.key for view in page.in_depth}, opened.title)


def _row(scene: Scene, name: str, keys: dict[str, str], title: str) -> None:
    """Draw a row of tabs, which open views by their keys."""
    show(name, title)
    st.tabs(
        list(keys),
        key=name,
        on_change=lambda: session().change(
            scene.page.turned(session().values, keys[st.session_state[name]])
        ),
    )


def _presets(scene: Scene) -> None:
    def take(preset: Preset) -> None:
        session().change(scene.page.preset_values(preset))

    with st.container(key="presets", horizontal=True, gap="xsmall"):
        for number, preset in enumerate(scene.page.presets):
            st.button(preset.label, key=f"preset-{number}", on_click=take, args=(preset,))
        predicting.offer(scene)


def why(scene: Scene) -> None:
    """Say why the figure is as it is; the home page does so before its ways in."""
    with st.container(key="why"):
        reason = scene.view.why or entry(scene.page.slug).why
        st.markdown(f"**Why?** {_reason(reason)}", unsafe_allow_html=True)


def _reason(text: str) -> str:
    return explained(escape(text, quote=False))


def folds(scene: Scene) -> None:
    """Draw what is read after the figure: why it is so, the numbers, the code, the prose.

    Within another page, draw the way to all this instead; and nothing that would give away an
    answer that the reader is to predict.
    """
    if share.is_embedded():
        share.way_out(scene.query)
        return
    if predicting.asked(scene):
        return
    with st.container(key="folds", gap="small"):
        if scene.page.slug:
            why(scene)
        with st.expander("What to know about these curves", key="fold-notes"):
            figure.notes()
        # What is in these is computed and sent when they are opened.
        table = st.expander("The numbers", key="fold-table", on_change="rerun")
        code = st.expander("The same in Python", key="fold-snippet", on_change="rerun")
        export = st.expander("Share and export", key="fold-share", on_change="rerun")
        if code.open:
            code.code(snippet(scene, session().file.columns), language="python")
            where = reference.address(scene.view.compute.__module__)
            code.markdown(
                f"What it computes, in words: [the reference]({where}). To run it, install dpviz: "
                "`pip install --editable .` in a copy of its repository."
            )
        if (table.open or export.open) and (progress := figure.shown(scene)):
            if table.open:
                with table:
                    _table(scene, progress)
            if export.open:
                with export:
                    share.section(scene, progress)
        if scene.page.slug:
            collecting.draw(scene)
        for number, (heading, text) in enumerate(_explained_prose(scene.page.slug)):
            with st.expander(heading, key=f"fold-prose-{number}"):
                st.markdown(text, unsafe_allow_html=True)


def _table(scene: Scene, progress: Progress) -> None:
    columns, said = progress.result.columns(), progress.result.meanings
    shown = {
        key: st.column_config.NumberColumn(format="%.6g", help=said.get(key))
        if column.dtype.kind == "f"
        else st.column_config.Column(help=said.get(key))
        for key, column in columns.items()
    }
    if progress.remark:
        st.caption(progress.remark)
    st.dataframe(columns, hide_index=True, column_config=shown, height=320)
    with st.container(horizontal=True, gap="small"):
        share.tables(scene, progress, "table")


@cache
def _explained_prose(slug: str) -> tuple[tuple[str, str], ...]:
    headings, texts = zip(*prose(slug), strict=True)
    return tuple(zip(headings, all_explained(texts), strict=True))


def prose(slug: str) -> list[tuple[str, str]]:
    """Return the sections of a page's prose, heading and text.

    As its file has them; what the page leaves out goes on with the list of the papers' results.
    """
    listed = {coverage.LEFT_OUT: f"\n\n{coverage.left_out(slug)}"}
    return [
        (heading, f"{text}{listed.get(heading, '')}".strip())
        for heading, text in entry(slug).sections()
    ]
