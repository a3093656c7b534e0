"""Many rows: what noise made for one row leaves to a person who gave more."""

import math
from dataclasses import replace

from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.promise.calibrating import NOISES
from dpviz.topics.promise.releases_shown import RELEASE, idle_together
from dpviz.topics.promise.views.many_rows import ManyRows, many_rows


def takeaway(result: ManyRows) -> str:
    """State the ε of a person with m rows, and the two ways to think of it."""
    made = f"made for one row at ε = {readable(result.epsilon)}"
    noise, true = NOISES[result.mechanism], result.exact.upper
    if result.rows == 1:
        return f"With {noise} {made}, you have that ε if one row is all you gave."
    you = f"With {noise} {made}, your {result.rows:,} rows together"
    if math.isinf(true):
        return f"{you} have no ε at all: an answer may show you."
    write = readable if true == result.exact.lower else upwards
    return f"{you} are protected only up to ε = {write(true)}."


def detail(result: ManyRows) -> str:
    """State at which δ that is, and what protects people instead of rows."""
    whose = "1 row" if result.rows == 1 else f"{result.rows:,} rows"
    exact = f"At δ = {readable(result.delta)} the ε of {whose} is "
    true = result.exact.upper
    exact += "infinite." if math.isinf(true) else f"{readable(true)}, exactly."
    if result.rows == 1:
        return exact
    door = "Noise made for people is m times as large; the pages on users do better."
    if result.mechanism == "response":
        door = "To protect people, each of your bits gets an m-th of the ε."
    return f"{exact} {door}"


def notes(result: ManyRows) -> tuple[str, ...]:
    """Tell what group privacy promises, and what randomised response means here."""
    known = readable(result.group_delta)
    group = f"Group privacy promises mε = {readable(result.rows * result.epsilon)} with δ = {known}"
    empty = ": nothing at all." if result.group_delta >= 1 else "; the solid curve keeps δ."
    said = [group + empty]
    if result.mechanism == "response":
        said.append("Randomised response: each of the m rows is a bit of its own, asked k times.")
    return tuple(said)


def figure(result: ManyRows, theme: Theme) -> Figure:
    """Draw it at its δ; group privacy is named with the one that it needs at the reader's m."""
    y = replace(result.y, label=f"{result.y.label}, at δ = {readable(result.delta)}")
    curves = list(result.curves)
    if result.group_delta < 1:
        place = [curve.key for curve in curves].index("group")
        label = f"m times ε, here with δ = {upwards(result.group_delta, 2)}"
        curves[place] = replace(curves[place], label=label)
    seen = Charted(
        replace(result, curves=tuple(curves), y=y), earlier=lambda before: replace(before, y=y)
    )
    return stacked(theme, seen)


VIEW = View(
    key="rows",
    title="Many rows",
    compute=many_rows,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*RELEASE, "examples_per_user"),
    in_sight=("examples_per_user", "epsilon", "delta"),
    pulled={"epsilon": "at ε = #", "examples_per_user": "your # rows"},
    why="The noise hides what one row changes. Whoever gave more rows changes more, and the "
    "same noise hides less of that. To hide a person, it must be made for all their rows.",
    idle=idle_together,
    notes=notes,
)
