"""The values of the open page: one dictionary, kept in step with the URL and the widgets.

The dictionary is the only truth. A widget's callback changes it before the script runs; a URL
that is new (a link, Back, Forward) replaces it; afterwards the URL is written from it. Widgets
are shown its values and never own them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from dpviz.scene.codec import (
    CARRIED,
    MODES,
    Parameter,
    Value,
    decode_link,
    encode,
    quote,
    read_note,
)


@dataclass
class _Session:
    """What one browser tab is looking at."""

    slug: str | None = None
    values: dict[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    query: dict[str, list[str]] = field(default_factory=dict)
    changed: bool = False
    moves: dict[str, int] = field(default_factory=dict)
    field_note: tuple[str, str] = ("", "")
    carried: dict[str, str] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)


def _session() -> _Session:
    session: _Session = st.session_state.setdefault("dpviz", _Session())
    return session


def _query() -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in st.query_params}


def begin(slug: str, parameters: Sequence[Parameter]) -> Mapping[str, Value]:
    """Return the value of every parameter of the page `slug`, before its widgets are drawn.

    The URL is read when the page is new, or when it changed although no widget did. Otherwise
    it is left alone: after a fast series of keys the browser's URL lags behind the widgets.
    """
    session = _session()
    query = _query()
    # The parameters of a page can change under an open session, when the app is updated.
    is_new = session.slug != slug or set(session.values) != {p.key for p in parameters}
    if is_new or (query != session.query and not session.changed):
        session.slug = slug
        session.values, session.notes = decode_link(query, parameters)
        session.modes = {key: query[key][-1] for key in MODES if query.get(key)}
        session.field_note = ("", "")
    session.changed = False
    written = encode(session.values, parameters)
    session.carried |= {key: text for key, text in written.items() if key in CARRIED}
    return session.values


def values() -> Mapping[str, Value]:
    """Return the value of every parameter of the open page."""
    return _session().values


def change(values: Mapping[str, Value], note: str = "") -> None:
    """Take new values from a widget's callback."""
    session = _session()
    session.values = {**session.values, **values}
    session.notes = (note,) if note else ()
    session.changed = True
    session.field_note = ("", "")


def type_text(parameter: Parameter, text: str) -> None:
    """Take typed text from a widget's callback; unreadable text leaves the value as it was."""
    value, note = read_note(parameter, text, _session().values[parameter.key])
    change({parameter.key: value}, note)


def move(parameter: Parameter, text: str, number: int) -> None:
    """Take a value from a range control: where a movement has ended, or a typed one.

    number: grows with every value of a control. One that was sent twice is taken once.
    """
    session = _session()
    if number <= last_move(parameter.key):
        return
    session.moves[parameter.key] = number
    value, problem = parameter.read(text, session.values.get(parameter.key, parameter.default))
    change({parameter.key: value})
    if problem:
        note = f"{quote(text, '“”')} {problem}; using {parameter.write(value)}."
        session.field_note = (parameter.key, note[0].upper() + note[1:])


def last_move(key: str) -> int:
    """Return the number of the last value taken from the range control of `key`."""
    return _session().moves.get(key, 0)


def field_note(key: str) -> str:
    """Return what was wrong with the text last typed into the field of `key`, or ""."""
    noted, note = _session().field_note
    return note if noted == key else ""


def commit(parameters: Sequence[Parameter]) -> None:
    """Write every parameter to the URL, in one step and only if that changes it."""
    session = _session()
    written = encode(session.values, parameters) | session.modes
    session.query = {key: [text] for key, text in written.items()}
    if _query() != session.query:
        st.query_params.from_dict(written)


def notes() -> tuple[str, ...]:
    """Return the notes on the last thing read, from the URL or from a reader."""
    return _session().notes


def carried() -> Mapping[str, str]:
    """Return the query parameters that a link to another page takes along."""
    session = _session()
    present = {key: text for key, text in session.modes.items() if key == "present"}
    return session.carried | present


def modes() -> Mapping[str, str]:
    """Return what the link says about how the page is shown, of `MODES`."""
    return dict(_session().modes)


def enter(key: str, text: str = "1") -> None:
    """Put one of `MODES` into the URL, from a widget's callback."""
    session = _session()
    session.modes = session.modes | {key: text}
    session.changed = True


def leave(*keys: str, note: str = "") -> None:
    """Take these out of `modes`, and so out of the URL; tell why, if there is a reason to."""
    session = _session()
    session.modes = {key: text for key, text in session.modes.items() if key not in keys}
    session.changed = True
    if note:
        session.notes = (*session.notes, note)


def presenting() -> bool:
    """Return whether the page is shown to a class, large and with few controls."""
    return _session().modes.get("present") == "1"


def show(key: str, value: object) -> None:
    """Set the widget `key` to `value` before it is drawn, unless it already shows it.

    Writing a value back to the widget it came from would undo newer keystrokes in the browser.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
