"""What the constants hide: whether the new bound still saves users once they are put back."""

import math
from collections.abc import Mapping

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    examples_in_words,
    m_in_full,
    theorem_behind,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.comparing_shown import notes
from dpviz.topics.user_complexity.rows_shown import (
    TABLES,
    WHICH,
    against_one_each,
    idle_parameters,
    rows_asked,
)
from dpviz.topics.user_complexity.views.hidden_constants import ConstantsChart, hidden_constants


def takeaway(chart: ConstantsChart) -> str:
    """State what the constants leave of the saving."""
    if chart.unmet:
        return (
            f"With {examples_in_words(chart.here)} each the theorem does not apply: it needs "
            f"{_needed(chart)}."
        )
    if math.isinf(chart.beats_discarding):
        begins = "no number of examples makes up for them"
    else:
        begins = f"the saving begins at {_examples_in_full(chart.beats_discarding)} each"
    if chart.here == 1:
        return f"With these constants {begins}."
    change = times_fewer(chart.saving, noun="users")
    return f"With these constants, {examples_in_words(chart.here)} each take {change}; {begins}."


def _needed(chart: ConstantsChart) -> str:
    """Return the assumptions that fail, as what is needed."""
    return " and ".join(text.partition(" fails")[0] for text in chart.unmet)


def _examples_in_full(m: float) -> str:
    return "1 example" if m == 1 else f"{m_in_full(m)} examples"


def detail(chart: ConstantsChart) -> str:
    """State what the constants leave of the saving, and from which m on the bound wins."""
    if chart.unmet:
        return (
            f"{theorem_behind(chart.curve('new'))} needs {_needed(chart)}; at m = "
            f"{readable(chart.here)} it says nothing."
        )
    sentence = (
        f"With these constants {theorem_behind(chart.curve('new'))} asks for "
        f"{users_in_words(chart.users)} at m = {readable(chart.here)}"
    )
    sentence += f", {times_fewer(chart.saving)}." if chart.here > 1 else "."
    if math.isinf(chart.beats_discarding):
        return f"{sentence} No m, however large, makes it better than throwing examples away."
    sentence += f" It beats throwing examples away from m = {m_in_full(chart.beats_discarding)} on"
    if math.isinf(chart.beats_earlier):
        return f"{sentence}, but some earlier bound is always as good."
    if chart.beats_earlier > chart.beats_discarding:
        sentence += f", and every earlier bound from m = {m_in_full(chart.beats_earlier)} on"
    if math.isinf(chart.loses_again):
        return f"{sentence}."
    return f"{sentence}, until earlier work catches up at m = {m_in_full(chart.loses_again)}."


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the new bound and its competitors; δ is in its logarithm."""
    rows = against_one_each(rows_asked(values))
    if not rows:
        return {*TABLES, "constant", "log_power"}
    logarithm = values["privacy"] == "approximate" and values["log_power"]
    return idle_parameters(rows) - ({"delta"} if logarithm else set())


VIEW = View(
    key="constants",
    title="What the constants hide",
    compute=hidden_constants,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("constant", "log_power", *WHICH, *TABLES),
    in_sight=("constant", "log_power", "problem"),
    idle=idle_controls,
    pulled={"examples_per_user": "constants, # examples each"},
)
