"""Both picks together: the joint law of two picks, made in three ways."""

from typing import Any

import numpy as np

from dpviz.plot.axes import y_title
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray
from dpviz.scene.view import View
from dpviz.topics.shared_darts.bells_shown import BELLS, axis_of_outcomes, notes, of_a_hundred
from dpviz.topics.shared_darts.views.joint_laws import JointLaws, joint_laws

_NAMES = ("Shared darts", "One shared number", "Own coins")
_TITLE = 18  # pixels between the headings and the picture, for the title of the y-axis


def takeaway(laws: JointLaws) -> str:
    """State how often the picks agree."""
    darts, inverse, own = (of_a_hundred(part, agree=True) for part in laws.agreement)
    agree = f"With shared darts the two agree in {darts} of a hundred games"
    if darts == inverse == own:
        return f"{agree}, as with one shared random number and with coins of their own."
    if inverse == own:
        return f"{agree}, with one shared random number, or coins of their own, in {own}."
    if darts == inverse:
        return f"{agree}, as with one shared random number, and with coins of their own in {own}."
    if darts == own:
        return f"{agree}, as with coins of their own, and with one shared number in {inverse}."
    return f"{agree}, with one shared random number in {inverse}, with coins of their own in {own}."


def detail(laws: JointLaws) -> str:
    """State the exact probabilities."""
    darts, inverse, own = map(chance, laws.agreement)
    return (
        "Each of the three ways gives each person a pick from their own distribution. The picks "
        f"agree with probability {darts}, {inverse} and {own}."
    )


def figure(laws: JointLaws, theme: Theme) -> Figure:
    """Draw the three joint laws side by side, on a phone in two rows that fit its screen."""
    tables = (laws.darts, laws.inverse, laws.independent)
    highest = max(float(np.sqrt(table.max())) for table in tables)
    picks = axis_of_outcomes(len(laws.darts))
    figure = Figure()
    notes = []
    layout: dict[str, Any] = {}
    for i, (name, table, agree) in enumerate(zip(_NAMES, tables, laws.agreement, strict=True)):
        suffix = "" if i == 0 else str(i + 1)
        _add_law(figure, table, suffix, highest, theme)
        room = _room(i, theme.compact)
        layout[f"xaxis{suffix}"] = picks | {
            "domain": room[0],
            "anchor": f"y{suffix}",
            "title": {"text": "P picks", "standoff": 2},
        }
        layout[f"yaxis{suffix}"] = picks | {
            "domain": room[1],
            "anchor": f"x{suffix}",
        }
        often = of_a_hundred(agree, agree=True)
        # Of the longer ones two do not stand beside each other on a phone.
        often = "agree hardly ever" if often == "hardly any" else f"agree in {often} of 100"
        heading = f"<b>{name}</b><br>{often}"
        notes.append(_panel_heading(heading, room, theme))
    margin = {"l": theme.px(56), "r": 16, "t": theme.px(62 + _TITLE) - 6, "b": theme.px(56)}
    titles = {_room(i, theme.compact)[1][1] for i in range(len(tables))}
    up = theme.px(10) - 6  # the last number may stand at the very top
    notes += [y_title("Q picks", theme, margin["l"], top=top, up=up) for top in sorted(titles)]
    return figure.update_layout(
        template=theme.template(),
        height=496 if theme.compact else theme.room or 400,
        margin=margin,
        hovermode="closest",
        showlegend=False,
        annotations=notes,
        **layout,
    )


def _add_law(figure: Figure, table: FloatArray, suffix: str, highest: float, theme: Theme) -> None:
    """Add one joint law and its diagonal to the axes with this suffix."""
    outcomes = np.arange(1, len(table) + 1)
    figure.add_heatmap(
        x=outcomes,
        y=outcomes,
        z=np.sqrt(table.T),
        customdata=table.T,
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        zmin=0,
        zmax=highest,
        colorscale=[[0, theme.background], [1, theme.palette[2]]],
        showscale=False,
        hovertemplate="P picks %{x}, Q picks %{y}: %{customdata:.3g}<extra></extra>",
    )
    figure.add_shape(
        type="line",
        xref=f"x{suffix}",
        yref=f"y{suffix}",
        x0=0.5,
        y0=0.5,
        x1=outcomes.size + 0.5,
        y1=outcomes.size + 0.5,
        line={"color": theme.muted, "width": 1, "dash": "dot"},
    )


def _panel_heading(
    text: str, room: tuple[list[float], list[float]], theme: Theme
) -> dict[str, Any]:
    return {
        "x": room[0][0],
        "xanchor": "left",
        "xref": "paper",
        "y": room[1][1],
        "yanchor": "bottom",
        "yref": "paper",
        "yshift": theme.px(_TITLE + 6) - 6,
        "align": "left",
        "showarrow": False,
        "text": text,
    }


def _room(number: int, compact: bool) -> tuple[list[float], list[float]]:
    """Return the domains of x and y of one panel of three."""
    if compact:
        below, beside = divmod(number, 2)
        return [0.56 * beside, 0.56 * beside + 0.44], [0.64 * (1 - below), 1 - 0.64 * below]
    return [number * 0.36, number * 0.36 + 0.28], [0.0, 1.0]


VIEW = View(
    key="joint",
    title="Both picks together",
    compute=joint_laws,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=BELLS,
    in_sight=("gap", "width", "outcomes"),
    why="Each square is a pair of picks, and on the diagonal the two agree. With one shared random "
    "number the picks are close but seldom equal: a little mass moved at one end shifts all the "
    "rest. A dart is judged at its own outcome alone, so what changes elsewhere does not matter.",
    notes=notes,
)
