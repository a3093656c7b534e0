"""The frame all pages share.

From top to bottom: the question; the takeaway; the figure, with the controls beside it (below it
on a phone) and its evidence in tabs at its lower edge; states to try; then why the figure is so,
and the prose of assets/prose.
"""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from html import escape

import streamlit as st

from dpviz.plot.text import plain, superscript, unbroken
from dpviz.plot.written import line_markdown
from dpviz.scene import carrying, coverage
from dpviz.scene.catalogue import entry, section_name, topic_after
from dpviz.scene.codec import Parameter, Value, encode, in_words
from dpviz.scene.glossary import all_explained, explained
from dpviz.scene.page import Page, Preset
from dpviz.scene.scene import Scene
from dpviz.scene.showing import Showing
from dpviz.serve import scripts, standing
from dpviz.serve.clients import CLIENT
from dpviz.ui import browser, evidence, exercises, navigation, server, written
from dpviz.ui import stage as figure
from dpviz.ui.classroom import predicting, presenting
from dpviz.ui.controls import rounds, upload, widget
from dpviz.ui.session import session
from dpviz.ui.sharing import share

# What runs alone when a slider is let go.
_FIGURE, _ROUNDS, _TABS, _NEXT = "figure", "rounds", "views", "next"
_NAMED = 32  # characters of the controls that wait, named beside how many there are

server.prepare()


def render(page: Page) -> None:
    """Draw `page` in the state its URL and its widgets describe."""
    scene = begin(page)
    stage(scene)
    if not share.is_embedded() and not predicting.pending(scene):
        why(scene)
    if not presenting.only_control(scene):
        reading(scene)
    end()


def begin(page: Page) -> Scene:
    """Read the state, draw what every page begins with, and return the scene."""
    scene = _with_own(Scene.opened(page, _begun(page)))
    if instead := scene.fallen_back:
        session().fall_back(instead, scene.reset)
        scene = _now(page)
    predicting.bring(scene, lambda: figure.ask_for_all(scene))
    _top(page.slug, scene)
    return scene


def _begun(page: Page) -> Mapping[str, Value]:
    return session().begin(page.slug, page.url_parameters, partial(carrying.opened, page))


def end() -> None:
    """Note that all of the page is drawn: from now on its figure may run alone."""
    session().whole = True


def _now(page: Page) -> Scene:
    """Return the scene of a page that the session holds."""
    return _with_own(Scene.opened(page, session().values))


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
    CLIENT.set(session().grant.client)
    page = entry(slug)
    title = f"{page.title} · dpviz" if slug else "dpviz"
    st.set_page_config(page_title=title, layout="wide", initial_sidebar_state="collapsed")
    # Streamlit's own page, which answers a wrong address, has no link to it.
    st.html(f'<style>@import url("{scripts.style_address()}");</style>')
    position = presenting.lecture_position()
    if not share.is_embedded():
        alone = position is not None and position.alone
        navigation.carrying(lambda: navigation.header(page, alone=alone))
    st.title(unbroken(line_markdown(position.heading)) if position else page.question, anchor=False)
    presenting.bar(scene, position)
    browser.draw()


def stage(scene: Scene) -> None:
    """Draw the open view: takeaway, figure, controls; in a scene of one control nothing else."""
    only = presenting.only_control(scene)
    if not only and len(scene.page.views) > 1:
        _tabs(scene.page)
    if notes := session().notes:
        st.info("  \n".join(notes))
    with st.container(key="stage", horizontal=True, gap="large"):
        picture = st.container(key="picture")
        further = st.container(key="further")
        with st.container(key="controls", gap="xsmall"):
            moved = partial(_answer, scene.page, _around_figure(scene))
            _controls(scene, only, moved)
        at_figure = st.container(key="at-figure")
        if not only:
            _try(scene)
    with picture:
        _figure(scene.page, only)
    with further:
        if predicting.pending(scene):
            predicting.ask(scene, lambda: figure.ask_for_all(scene))
        elif scene.view.rounds is not None:
            _rounds(scene.page, moved)
    if not only:
        with at_figure:
            evidence.draw(scene)


@st.fragment(key=_FIGURE)
def _figure(page: Page, only: str) -> None:
    """Write the address and draw the figure of what the session holds now."""
    scene = _now(page)
    session().commit(scene.query)
    figure.draw(scene, Showing(only=only))


@st.fragment(key=_ROUNDS)
def _rounds(page: Page, answered: Callable[[], None]) -> None:
    """Draw the buttons of the game that the session is at now."""
    rounds.draw(_now(page), answered)


def _answer(page: Page, drawn: Sequence[object] | None) -> None:
    """From a callback: run the figure alone, if all else is there and would be drawn as it is.

    What depends on values alone runs with it: the buttons of a game, which is another one then, and
    links to other pages, where they carry other values along.
    """
    tab = session()
    if not tab.whole or drawn is None or drawn != _around_figure(_now(page)):
        return
    tab.carry(page.url_parameters)
    tab.changed = False  # what reads the address does not run
    games = [_ROUNDS] if _now(page).view.rounds else []
    links = [navigation.LINKS] if tab.linked != tab.carried else []
    turns = [_TABS, _NEXT] if len(page.views) > 1 else []
    st.rerun([_FIGURE, *games, *links, *turns])


def _around_figure(scene: Scene) -> tuple[object, ...] | None:
    """Return what a page shows of a scene beside the figure, and beside where its sliders stand.

    None where that is too much to tell: where links, files or open tabs say it all.
    """
    tab, view = session(), scene.view
    if tab.modes or share.is_embedded() or scene.upload or evidence.is_read():
        return None
    words = (view.why_here(scene.state), tab.notes, tab.field_note)
    state = (scene.idle, scene.most, scene.offers, scene.fallen_back, scene.prediction)
    return (view.key, *words, *state)


def _controls(scene: Scene, only: str, moved: Callable[[], None]) -> None:
    """Draw the controls; each keeps its place, so that one that comes or goes moves no other."""
    view, idle = scene.view, scene.idle

    def draw(key: str) -> None:
        if key in idle:
            st.empty()
        else:
            value = scene.values[key]
            widget.draw(scene.parameter(key), value, scene.offers.get(key), moved)
            if key == "epsilon" and not only:  # a path asks for them
                figure.odds(scene)

    with st.container(key="own-data", gap="xsmall"):
        upload.draw(scene)
    now = _now(scene.page)
    if now.values != scene.values or now.most != scene.most:  # a file just read has other rows
        session().stay()
        st.rerun()
    if only:
        draw(only)
        return
    for key in scene.in_front if session().presenting else view.in_sight:
        draw(key)
    waiting = [key for key in view.parameters if key not in view.in_sight]
    live = [key for key in waiting if key not in idle]
    if session().presenting or not live:
        st.empty()
    else:
        named = ", ".join(widget.name(scene.parameter(key)) for key in live)
        short = plain(textwrap.shorten(named, _NAMED, placeholder=" …"))
        with st.expander(f"{len(live)} more: {short}", key="fold-controls"):
            for key in waiting:
                draw(key)


@st.fragment(key=_TABS)
def _tabs(page: Page) -> None:
    """Draw links to the views of a page, in the state that the session holds now."""
    st.html(standing.tabs(_turning(page)))


def _turning(page: Page) -> Scene:
    """Return the scene that other views are opened from: without the limits of this one."""
    values = session().wanted
    return Scene(page, page.open_view(values), values)


def _try(scene: Scene) -> None:
    """Draw states of the open view that are worth seeing, and the way to what comes next."""

    def take(preset: Preset) -> None:
        session().change(scene.page.preset_values(preset))

    with st.container(key="presets", horizontal=True, vertical_alignment="center", gap="xsmall"):
        tried = [p for p in scene.page.presets if scene.page.shown_by(p) is scene.view]
        offered = session().offered
        if tried or offered:
            st.markdown("Try:", width="content")
        if offered:
            numbers = ", ".join(
                _number_in_words(scene, key, value) for key, value in offered.items()
            )
            st.button(
                f"with your {numbers}",
                key="brought",
                on_click=lambda: session().change(dict(offered)),
            )
        for preset in tried:
            number = scene.page.presets.index(preset)
            st.button(preset.label, key=f"preset-{number}", on_click=take, args=(preset,))
        predicting.offer(scene)
        exercises.lead(scene.page)
        _next(scene.page)


def _number_in_words(scene: Scene, key: str, value: Value) -> str:
    """Return a number as its control has it: ε = 1."""
    parameter = scene.page.parameter(key)
    return f"{widget.name(parameter)} = {superscript(in_words(parameter, value))}"


@st.fragment(key=_NEXT)
def _next(page: Page) -> None:
    """Draw the way to the next view among its like, or to the next topic."""
    scene = _turning(page)
    row = page.in_depth if scene.view in page.in_depth else page.for_everyone
    after = row[row.index(scene.view) + 1 :]
    if after:
        st.html(f'<p class="next">{standing.turn(scene, after[0], f"Next: {after[0].title} →")}')
    elif topic := topic_after(page.slug):
        with st.container(key="next-topic", width="content"):
            navigation.link(topic, f"Next: {topic.title} →")


def why(scene: Scene) -> None:
    """Say why the figure is as it is; the home page does so before its topics."""
    why = presenting.reason(scene) or scene.view.why_here(scene.state) or scene.view.why
    if why:
        text = explained(escape(why, quote=False))
        with st.container(key="why"):
            st.html(f"<p><strong>Why?</strong> {text}</p>")


def reading(scene: Scene) -> None:
    """Draw the prose: its first part, what and why, is open, the others are folded."""
    if share.is_embedded() or predicting.pending(scene):
        return
    (heading, text), *others = _explained_prose(scene.page.slug)
    with st.container(key="prose", gap="small"):
        st.header(heading, anchor=False)
        written.draw(text, "prose-first")
        section = session().modes.get("read")  # page.js brings it into sight
        for number, (heading, text) in enumerate(others):
            is_open = section_name(heading) == section
            with st.expander(heading, expanded=is_open, key=f"fold-prose-{number}"):
                written.draw(text, f"prose-{number}")


@cache
def _explained_prose(slug: str) -> tuple[tuple[str, str], ...]:
    headings, texts = zip(*prose(slug), strict=True)
    return tuple(zip(headings, map(written.as_html, all_explained(texts)), strict=True))


def prose(slug: str) -> list[tuple[str, str]]:
    """Return the sections of a page's prose, heading and text.

    As its file has them; what the page leaves out goes on with the list of the papers' results.
    """
    listed = {coverage.LEFT_OUT: f"\n\n{coverage.left_out(slug)}"}
    return [
        (heading, f"{text}{listed.get(heading, '')}".strip())
        for heading, text in entry(slug).sections()
    ]
