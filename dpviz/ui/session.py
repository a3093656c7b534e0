"""What one browser tab knows: one object, kept in step with the URL and the widgets.

Its values are the only truth. A widget's callback changes them before the script runs; a URL that
is new (a link, Back, Forward) replaces them; afterwards the URL is written from them. Widgets are
shown its values and never own them; only widgets' keys are beside it in Streamlit's session state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from dpviz.scene.carrying import Opened, changed
from dpviz.scene.codec import (
    MODES,
    Parameter,
    Value,
    decode_address,
    in_words,
    quote,
)
from dpviz.scene.homework import Attempt
from dpviz.scene.lectures import Lecture
from dpviz.scene.scene import Scene
from dpviz.scene.submissions import ClassFiles
from dpviz.serve.grants import Grant, welcome
from dpviz.ui import inside
from dpviz.ui.controls.own_file import OwnFile

_KEY = "dpviz"
_WORDS = 4  # of the first line of a page that goes on with a session: dpviz/scripts/links.js
EVIDENCE = "evidence"
"""The key of the tabs at the figure."""


@dataclass
class Session:
    """What one browser tab is looking at, and what its reader has made there.

    slug, values: the open page and its state. arrival: the mark of the page that the browser has
    loaded last, if it went on with a session. query: the URL as last read or written; led: whether
    another one of the same page was read, and none written since. whole: whether the last run of
    the page drew all of it; a widget may end one before. modes: what the link says about how the
    page is shown, of `MODES`. lowered: of numbers that were more than can be used, what they were
    and are; limits: the notes on that. offered: what was brought along and not used here. carried:
    what the reader has changed of what the pages share; linked: what of it the links
    of the page carry, as they were drawn last. moves: the number of the last value taken from each
    range control. field_note: the field typed into last, and what was wrong. guess: what the reader
    predicted, None for nothing, and of which scene; revealed: on which page, view and step the
    answer was told; guessing: the control for a guess that was moved last, and where it stands;
    brought: what was guessed before the session had the page, as text. preset: where a class is
    among the presets. opened: what a class is shown beside the figure. lecture: the reader's own;
    lecture_known: whether that is all of it, or the browser may still have one from before a
    reload; lecture_forgotten: whether the browser keeps none over a reload; added: the number of
    the scene that was written last, 0 for none; refusal: why a pasted one was not taken;
    file_wanted: which one is to be a file, as links carry it, or "answers";
    file_hurried: whether what there is of it will do; files_begun: how many were asked for. grant:
    the session as `dpviz.serve` knows it. file: the reader's own data; files: how many came before.
    answered: what was answered at the end of a lecture, by the lecture and the number of the
    question. ended: the lectures whose end was reached. attempts: what was made of exercises, by
    their keys; solving: the address of the one opened last. handed_in: what a class handed in.
    """

    slug: str | None = None
    arrival: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    query: dict[str, list[str]] = field(default_factory=dict)
    changed: bool = False
    led: bool = False
    whole: bool = False
    modes: dict[str, str] = field(default_factory=dict)
    lowered: dict[str, tuple[Value, Value]] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    offered: dict[str, Value] = field(default_factory=dict)
    carried: dict[str, str] = field(default_factory=dict)
    linked: dict[str, str] = field(default_factory=dict)
    moves: dict[str, int] = field(default_factory=dict)
    field_note: tuple[str, str] = ("", "")
    guess: tuple[tuple[object, ...], Value | None] | None = None
    revealed: tuple[str, ...] = ()
    preset: int = -1
    opened: frozenset[str] = frozenset()
    lecture: Lecture = field(default_factory=lambda: Lecture("My lecture", ()))
    lecture_known: bool = False
    lecture_forgotten: bool = False
    added: int = 0
    guessing: tuple[str, Value | None] = ("", None)
    brought: str = ""
    refusal: str = ""
    file_wanted: str = ""
    file_hurried: bool = False
    files_begun: int = 0
    grant: Grant = field(default_factory=welcome)
    file: OwnFile = field(default_factory=OwnFile)
    files: int = 0
    answered: dict[tuple[str, int], int] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    attempts: dict[str, Attempt] = field(default_factory=dict)
    solving: dict[str, str] = field(default_factory=dict)
    handed_in: ClassFiles = field(default_factory=ClassFiles)

    def begin(
        self,
        slug: str,
        parameters: Sequence[Parameter],
        read: Callable[[Mapping[str, Sequence[str]], Mapping[str, Value]], Opened] | None = None,
    ) -> Mapping[str, Value]:
        """Return the value of every parameter of the page `slug`, before its widgets are drawn.

        read: how the page opens at an address, where that is not just what the address says. It is
        given what this tab has of the page: an address does not say what has no effect in a view.

        The URL is read when the page is new, after Back and Forward, or when it changed although no
        widget did. Otherwise it is left alone: after a fast series of keys the browser's URL lags
        behind the widgets. The next step back may come before this run gets to `commit`.
        """
        self._arrive()
        query, self.whole = _query(), False
        # The parameters of a page can change under an open session, when the app is updated.
        is_new = self.slug != slug or set(self.values) != {p.key for p in parameters}
        others = query != self.query and (_is_in_history() or not self.changed)
        self.led = self.led or (others and not is_new)
        if is_new or others:
            before = {} if is_new else self.wanted
            if self.slug != slug:
                self.preset = -1  # that of the page before means nothing here
            self.slug, self.query = slug, query
            state = read(query, before) if read else Opened(*decode_address(query, parameters))
            self.values, self.notes = state.values, state.notes
            self.offered = dict(state.offered)
            self.modes = {key: query[key][-1] for key in MODES if query.get(key)}
            # The page that stood before says it by a step back; a link says nothing of its reader.
            brought = self.modes.pop("guess", "")
            self.brought = brought if _is_in_history() else ""
            st.session_state.pop(EVIDENCE, None)  # the address says which of its tabs is open
            self.field_note = ("", "")
            self.lowered, self.limits = {}, ()
        self.changed = False
        self.carry(parameters)
        return self.values

    def _arrive(self) -> None:
        """Forget what widgets showed, if the browser has loaded another page since.

        Its widgets are new, and know nothing of what those of the page before showed. What a click
        began there has ended.
        """
        mark = _arrival()
        if not mark or mark == self.arrival:  # nor is it one whose line was interrupted
            return
        # Its address is a new one, whatever a click on the page before began, and may have been
        # written over by the run that it began.
        self.arrival, self.grant.unlimited, self.led, self.changed = mark, None, True, False
        for key in [key for key in st.session_state if key != _KEY]:
            del st.session_state[key]

    def carry(self, parameters: Sequence[Parameter]) -> None:
        """Have links to other pages carry what is changed now, and what the page does not have."""
        if self.slug:  # the example on the home page is nobody's setting
            keys = {p.key for p in parameters}
            others = {key: text for key, text in self.carried.items() if key not in keys}
            offered = {
                p.key: p.write(self.offered[p.key]) for p in parameters if p.key in self.offered
            }
            self.carried = others | changed(self.values, parameters) | offered

    def commit(self, query: Mapping[str, str]) -> None:
        """Write the query of a state to the URL, in one step and only if that changes it.

        Who goes back before the answer to an earlier click has come, has its address written over
        the one gone back to: after Back and Forward it is written in any case. So it is after a
        link from the page to itself, of which Streamlit tells the script but not the address bar.
        """
        written = {**query, **self.modes}
        self.query = {key: [text] for key, text in written.items()}
        if self.led or _query() != self.query or _is_in_history():
            st.query_params.from_dict(written)
        self.led = False

    def change(self, values: Mapping[str, Value]) -> None:
        """Take new values from a widget's callback; limits of what was chosen before are gone."""
        if any(isinstance(new, str) and new != self.values.get(k) for k, new in values.items()):
            self.give_back()
        self.lowered = {key: pair for key, pair in self.lowered.items() if key not in values}
        self.offered = {key: value for key, value in self.offered.items() if key not in values}
        self.values = {**self.values, **values}
        self.notes = ()
        self.changed = True
        self.field_note = ("", "")

    def fall_back(self, values: Mapping[str, Value], notes: Sequence[str] = ()) -> None:
        """Take what a state that is just read must be instead; say what a reader should know.

        notes: on the numbers that are lower now; `give_back` undoes that.
        """
        for key, used in values.items() if notes else ():
            wanted, before = self.lowered.get(key, (self.values[key], self.values[key]))
            if not isinstance(used, str):
                same = before == self.values[key]
                self.lowered[key] = (wanted if same else self.values[key], used)
        self.values = {**self.values, **values}
        self.notes, self.limits = (*self.notes, *notes), (*self.limits, *notes)

    @property
    def wanted(self) -> dict[str, Value]:
        """The state without what limits did to numbers."""
        lowered = self.lowered.items()
        back = {key: wanted for key, (wanted, used) in lowered if self.values.get(key) == used}
        return {**self.values, **back}

    def give_back(self) -> None:
        """Undo what limits did to numbers, and what was said of it: other data have others."""
        self.values = self.wanted
        self.notes = tuple(note for note in self.notes if note not in self.limits)
        self.lowered, self.limits = {}, ()

    def stay(self) -> None:
        """Note that a widget caused this run: an address that lags behind is not a new one."""
        self.changed = True

    def type_text(self, parameter: Parameter, text: str) -> None:
        """Take typed text from a widget's callback; unreadable text leaves the value as it was."""
        value, problem = parameter.read(text, self.values.get(parameter.key, parameter.default))
        self.change({parameter.key: value})
        self._note(parameter.key, parameter, text, value, problem)

    def _note(self, key: str, parameter: Parameter, text: str, value: Value, problem: str) -> None:
        note = f"{quote(text, '“”')} {problem}; using {in_words(parameter, value)}."
        self.field_note = (key, note[0].upper() + note[1:]) if problem else ("", "")

    def move(self, parameter: Parameter, text: str, number: int) -> None:
        """Take a value from a range control: where a movement has ended, or a typed one.

        number: grows with every value of a control. One that was sent twice is taken once.
        """
        self.stay()
        if number <= self.last_move(parameter.key):
            return
        self.moves[parameter.key] = number
        self.type_text(parameter, text)

    def last_move(self, key: str) -> int:
        """Return the number of the last value taken from the range control of `key`."""
        return self.moves.get(key, 0)

    def note_beside(self, key: str) -> str:
        """Return what was wrong with the text last typed into the field of `key`, or ""."""
        noted, note = self.field_note
        return note if noted == key else ""

    @property
    def carried_query(self) -> dict[str, str]:
        """The query parameters that a link to another page takes along."""
        return self.carried | ({"present": "1"} if self.presenting else {})

    @property
    def presenting(self) -> bool:
        """Whether the page is shown to a class, large and with few controls."""
        return self.modes.get("present") == "1"

    @property
    def predicts_first(self) -> bool:
        """Whether the reader is to predict before a view shows its answer."""
        return self.modes.get("ask") == "1"

    def enter(self, mode: str, text: str = "1") -> None:
        """Put one of `MODES` into the URL, from a widget's callback."""
        self.modes = self.modes | {mode: text}
        self.changed = True

    def leave(self, *modes: str, note: str = "") -> None:
        """Take these out of `modes`, and so out of the URL; say why, if there is a reason to."""
        self.modes = {key: text for key, text in self.modes.items() if key not in modes}
        self.changed = True
        if note:
            self.notes = (*self.notes, note)

    def venture(self, key: str, guess: Parameter, text: str, number: int) -> None:
        """Take what a reader guesses, before the answer is told, from the control of `key`."""
        self.stay()
        if number <= self.last_move(key):
            return
        self.moves[key] = number
        value, problem = guess.read(text, self.ventured(key, guess.default))
        self.guessing = (key, value)
        self._note(key, guess, text, value, problem)

    def ventured(self, key: str, otherwise: Value) -> Value:
        """Return where the control for a guess stands."""
        touched, value = self.guessing
        return otherwise if touched != key or value is None else value

    def predict(self, scene: Scene, value: Value | None) -> None:
        """Keep the reader's guess about a scene, whose answer is told, in place of any other."""
        self.guess = (scene.about, value)
        self.revealed = self._step(scene)

    def answer(self, scene: Scene, letter: str, number: int) -> None:
        """Keep the answer in round `number` of a scene; another round's came too late."""
        self.stay()
        rounds, given = scene.view.rounds, self.grant.answers.get(scene.about, "")
        if rounds and letter in rounds.answers and number == len(given) + 1 <= rounds.count:
            self.grant.answers[scene.about] = given + letter

    def guess_about(self, scene: Scene) -> Value | None:
        """Return the reader's guess about a scene: a guess about another one does not count."""
        if self.guess is None or self.guess[0] != scene.about:
            return None
        return self.guess[1]

    def reveal_state(self, scene: Scene) -> str:
        """Return "here" where the answer was told, "moved" where the reader moved on from there."""
        if self.guess is None or self.revealed != self._step(scene):
            return ""
        return "here" if self.guess[0] == scene.about else "moved"

    def _step(self, scene: Scene) -> tuple[str, ...]:
        """Name a view and at which step of a lecture it is seen."""
        step = (self.modes.get(mode, "") for mode in ("lecture", "scene"))
        return (scene.page.slug, scene.view.key, *step)

    def take_refusal(self) -> str:
        """Return, once, why a pasted lecture was not taken, or ""."""
        refusal, self.refusal = self.refusal, ""
        return refusal

    def forget_file(self) -> None:
        """Drop the reader's file, all that was made of it, and the token that leads to it."""
        answers = self.grant.answers
        self.file, self.grant = OwnFile(), welcome()
        self.grant.answers = answers
        self.files += 1
        self.give_back()


def session() -> Session:
    """Return what this browser tab knows."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    tab: Session = st.session_state[_KEY]
    return tab


def while_here(take: Callable[[], None]) -> Callable[[], None]:
    """Return a callback that does nothing once the tab has left the page it is made on.

    What is let go of while another page opens comes too late: its control is gone, and the values
    are those of the other page.
    """
    slug = session().slug

    def taken() -> None:
        if session().slug == slug:
            take()

    return taken


def show(key: str, value: object) -> bool:
    """Set the widget `key` to `value` before it is drawn, unless it already shows it.

    Writing a value back to the widget it came from would undo newer keystrokes in the browser.
    Return whether it was set. If not, its default must say it: of two runs whose messages come
    together a browser draws the second alone, and never hears what the first one set.
    """
    new = key not in st.session_state or st.session_state[key] != value
    if new:
        st.session_state[key] = value
    return new


def _is_in_history() -> bool:
    """Tell whether Back or Forward led to this run: what is written then replaces an address."""
    context = inside.running()
    return context is not None and context.is_history_navigation


def _arrival() -> str:
    """Return the mark of a page that went on with a session, "" of any other."""
    words = st.context.headers.get("sec-websocket-protocol", "").split(",", _WORDS)
    return words[-1].strip() if len(words) == _WORDS else ""


def _query() -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in st.query_params}
