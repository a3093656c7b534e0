"""What a page declares, and a result as a table.

No Streamlit here: `dpviz.ui.frame` draws what this module describes.
"""

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.scene.codec import Choice, Number, Parameter, Seed, Value, usual_values
from dpviz.scene.exercise import Exercise
from dpviz.scene.view import View

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Preset:
    """A state worth seeing, one click away; what it does not name is as the view opens."""

    label: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Promise:
    """What the ε of a state promises, to be said in odds beside its control.

    about: whom or what a suspicion is about. pure: whether it holds without exception, δ = 0; else
    the state has a δ. largest_loss: of all that may be published, the largest privacy loss; inf
    where it has none, or none is known.
    """

    about: str = "you"
    pure: bool = False
    largest_loss: float = math.inf


DEEP = "In depth"
"""The tab of the views for those who work on the subject."""


@dataclass(frozen=True)
class Page:
    """A page; `dpviz.scene.catalogue` has its title and question, assets/prose its prose.

    for_everyone: views with a tab of their own, three at most; the first opens. in_depth: those for
    who works on the subject, which share one more tab if there are several. unnamed: the view of
    links that name parameters but no view, if that is not the first: they are older than the order
    of the views.
    formerly: what views of former times are now, by their keys: the key of a view, and values of
    parameters that make it show the same. gone: keys of parameters of former times, which links may
    name without effect. promise: what ε promises in a state, None where it is not
    the ε of something published. exercises: in rising order, from `exercises.py` of the topic.
    """

    slug: str
    parameters: tuple[Parameter, ...]
    for_everyone: tuple[View, ...]
    presets: tuple[Preset, ...] = ()
    promise: Callable[[Mapping[str, Value]], Promise | None] = lambda _: None
    in_depth: tuple[View, ...] = ()
    unnamed: str = ""
    formerly: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    gone: Sequence[str] = ()
    exercises: tuple[Exercise, ...] = ()

    def __post_init__(self) -> None:
        keys = {parameter.key for parameter in self.parameters}
        for view in self.views:
            if lacking := [key for key in view.parameters if key not in keys]:
                raise ValueError(
                    f"the view {view.key!r} has parameters that its page {self.name!r} does not "
                    f"list: {', '.join(lacking)}"
                )

    @cached_property
    def views(self) -> tuple[View, ...]:
        """All views, as the tabs have them."""
        return (*self.for_everyone, *self.in_depth)

    @cached_property
    def keys_of_views(self) -> frozenset[str]:
        """The keys by which addresses name its views, those of former times included."""
        return frozenset(view.key for view in self.views) | self.formerly.keys()

    @property
    def name(self) -> str:
        """What addresses and files call the page."""
        return self.slug or "home"

    @cached_property
    def url_parameters(self) -> tuple[Parameter, ...]:
        """Everything the page's URL holds: its parameters, and the open view if it has several."""
        if len(self.views) <= 1:
            return self.parameters
        titles = {view.key: view.title for view in self.views}
        usual = {view.key: view.defaults for view in self.views}
        first = self.views[0].key
        view = Choice(
            "view",
            "View",
            titles,
            self.unnamed or first,
            usual,
            opens=first,
            formerly=self.formerly,
            gone=self.gone,
        )
        return (*self.parameters, view)

    def parameter(self, key: str) -> Parameter:
        """Return the parameter `key`."""
        return next(p for p in self.url_parameters if p.key == key)

    def number(self, key: str) -> Number:
        """Return the parameter `key`, which is a number."""
        parameter = self.parameter(key)
        assert isinstance(parameter, Number), key
        return parameter

    def open_view(self, values: Mapping[str, Value]) -> View:
        """Return the view that `values` open."""
        key = values.get("view", self.views[0].key)
        return next(view for view in self.views if view.key == key)

    def rows(self, opened: View) -> tuple[Mapping[str, View], ...]:
        """Return the rows of tabs above a view: by what each tab is called, what it opens."""
        if len(self.views) < 2:
            return ()
        front = {view.title: view for view in self.for_everyone}
        if len(self.in_depth) == 1:
            return ({view.title: view for view in self.views},)
        if self.in_depth:
            front[DEEP] = opened if opened in self.in_depth else self.in_depth[0]
        deep = {view.title: view for view in self.in_depth}
        return (front, deep) if opened in self.in_depth else (front,)

    def usual(self, key: str = "") -> dict[str, Value]:
        """Return the state in which the view `key` opens, by default the first."""
        return dict(self._usual[key or self.views[0].key])

    @cached_property
    def _usual(self) -> Mapping[str, Mapping[str, Value]]:
        several = len(self.views) > 1
        chosen = {view.key: {"view": view.key} if several else {} for view in self.views}
        return {key: usual_values(one, self.url_parameters) | one for key, one in chosen.items()}

    def turned(self, values: Mapping[str, Value], key: str) -> dict[str, Value]:
        """Return what changes in a state as the view `key` is opened from another one.

        What the reader left at the usual value of the one view is at that of the other.
        """
        before, after = self.usual(str(values["view"])), self.usual(key)
        return {k: value for k, value in after.items() if k == "view" or values[k] == before[k]}

    def shown_by(self, preset: Preset) -> View:
        """Return the view in which a preset is seen."""
        return self.open_view(self.preset_values(preset))

    def preset_values(self, preset: Preset) -> dict[str, Value]:
        """Return the whole state a preset stands for."""
        return self.usual(str(preset.values.get("view", ""))) | dict(preset.values)

    def arguments(self, view: View, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the values the view depends on, the seed still as a number."""
        return {key: values[key] for key in view.parameters}

    def call(self, arguments: Mapping[str, Value]) -> dict[str, Any]:
        """Return the keywords for the core: `arguments`, with a Generator for the seed."""
        call: dict[str, Any] = {}
        for key, value in arguments.items():
            if isinstance(self.parameter(key), Seed):
                call["rng"] = np.random.default_rng(int(value))
            else:
                call[key] = value
        return call


def csv_text(columns: Columns) -> str:
    """Return the columns as CSV, every number exact, and no text that a spreadsheet would run."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_harmless, columns))
    cells = (map(_harmless, column.tolist()) for column in columns.values())
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue()


def _harmless(cell: object) -> object:
    """Put an apostrophe before text that begins like a formula; numbers stay numbers."""
    formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    return f"'{cell}" if formula else cell
