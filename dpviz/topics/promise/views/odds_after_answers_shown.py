"""Odds: a hundred people, as suspected before the answers, after them, and as accused."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.spec import Figure
from dpviz.plot.text import (
    CERTAIN,
    at_most_in_hundred,
    hundredths,
    hundredths_upwards,
    in_hundred,
    readable,
)
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.promise.calibrating import capitalised_noise
from dpviz.topics.promise.deployments import DEPLOYMENTS
from dpviz.topics.promise.releases_shown import RELEASE, idle_together
from dpviz.topics.promise.views.odds_after_answers import Odds, odds_after_answers

_ACCUSED = Limit("guess", "of 100", "accused who are in the data", 1, 100, 50, log=False, step=1)
_WORLD = (0.1, 60.0)  # the ends of the axis of ε on which deployments stand
_STRIP = 150  # pixels
_SIDE = 10  # people in a row and in a column
_PITCH = 12.5  # from panel to panel, in people


def takeaway(result: Odds) -> str:
    """State what a suspicion becomes, or where that has no limit, how often accusers are right."""
    if math.isfinite(result.largest_loss):
        noise, before = capitalised_noise(result.mechanism), in_hundred(result.prior)
        after = _at_most(result.worst).replace(" in 100", "")
        return f"{noise} lets a suspicion of {before} become {after}."
    accused_rightly, blind = people_of(result.accused[1]), people_of(result.prior)
    accused = (
        f"Of a hundred people whom the best attacker accuses, {accused_rightly} are in the data"
    )
    if accused_rightly == blind:
        return f"{accused}, as of a hundred picked blindly."
    return f"{accused}; of a hundred picked blindly, {blind}."


def detail(result: Odds) -> str:
    """State what an attacker does, and whether a single answer may give somebody away."""
    accusations = (
        f"An attacker who finds {_of(result.hit_rate)} of those in the data is right in "
        f"{at_most_in_hundred(result.accused[1])} accusations; somebody who accuses blindly is "
        f"right in {_of(result.prior)}."
    )
    if math.isfinite(result.largest_loss):
        return accusations
    return (
        f"{accusations} {capitalised_noise(result.mechanism)} sets no limit to what a suspicion of "
        f"{in_hundred(result.prior)} may become after an unlucky answer."
    )


def notes(result: Odds) -> tuple[str, ...]:
    """Tell what the numbers mean, and what is not bounded."""
    return (
        "The best attacker knows everything except whether you are in, and accuses so many that "
        f"{_of(result.hit_rate)} of those in the data are found. Of the accused "
        f"{_of(result.accused[1])} are in the data; the promise (ε, δ) alone would allow "
        f"{_of(result.promised)}.",
        f"A pure promise, ε = {readable(result.epsilon)} with δ = 0, lets a suspicion of "
        f"{in_hundred(result.prior)} become {_at_most(result.pure)}.",
        _unlimited(result),
        "Values in use are as published, each with its own meaning of one person. "
        + " ".join(
            f"{one.name}: ε = {readable(one.epsilon)}"
            f"{f', δ = {readable(one.delta)}' if one.delta else ''} ({one.unit}; {one.period})."
            for one in DEPLOYMENTS
        )
        + " Another unit or period makes another promise.",
    )


def _unlimited(result: Odds) -> str:
    """Tell what limit there is for single answers, and why."""
    if math.isfinite(result.largest_loss):
        needs = f"This noise needs no δ at ε = {readable(result.largest_loss)}"
        return f"{needs}, and so lets that suspicion become {_at_most(result.worst)}."
    return (
        "With δ > 0 nothing limits what rare answers reveal: answers that give you away may "
        "come with probability δ in all. What is bounded is how often accusations are right, at "
        "a given share of hits."
    )


def people_of(part: float) -> str:
    """Return how many of a hundred people a share is."""
    return hundredths(part, digits=2)


def _of(part: float) -> str:
    return f"{people_of(part)} in 100"


def _at_most(part: float) -> str:
    if part >= CERTAIN:
        return "near certainty after some answers"
    return f"{at_most_in_hundred(part)}, whatever is answered"


def figure(result: Odds, theme: Theme) -> Figure:
    """Draw a hundred people three times: as suspected, at most, and the accused."""
    short = theme.compact or theme.scale > 1
    panels = [
        ("Before" if short else "Before any answer", result.prior, Subject.ITEM_LEVEL),
        (*_limit(result, short), Subject.DANGER),
        (
            "Accused" if short else "Those the best attacker accuses",
            result.accused[1],
            Subject.ATTACKER,
        ),
    ]
    if np.isnan(result.pure):  # the answer is still to be predicted
        panels = panels[:1]
    people = np.arange(_SIDE * _SIDE)
    room = theme.width / (3 * _PITCH)
    drawn = Figure()
    for number, (_, part, subject) in enumerate(panels):
        filled = people < round(100 * part)
        colors = np.where(filled, theme.subjects[subject], theme.grid)
        drawn.add_scatter(
            x=number * _PITCH + people % _SIDE,
            y=-(people // _SIDE),
            mode="markers",
            marker={"color": colors.tolist(), "size": 0.72 * room, "symbol": "circle"},
            hoverinfo="skip",
            showlegend=False,
        )
    titles = [
        _title(number * _PITCH + (_SIDE - 1) / 2, name, said(part), theme.subjects[subject], short)
        for (number, (name, part, subject)), said in zip(
            enumerate(panels), (people_of, hundredths_upwards, people_of), strict=False
        )
    ]
    if not np.isnan(result.guess):
        titles.append(_add_guess(drawn, result.guess, room, theme))
    blank: dict[str, Any] = {"visible": False, "fixedrange": True}
    # A class and a path see people alone, and a phone has no room for more.
    if not (short or theme.labels == "only" or np.isnan(result.pure)):
        _add_deployments(drawn, result, theme)
    drawn.update_layout(
        template=theme.template(),
        height=round((1 if theme.scale > 1 else 0.8) * theme.height),  # a projector is filled
        margin={"l": 12, "r": 12, "t": 16, "b": 16},
        xaxis=blank | {"range": [-1, 3 * _PITCH - 2]},
        yaxis=blank | {"range": [-_SIDE - 1.5, 4]},
        annotations=[*titles, *drawn.layout.get("annotations", ())],
    )
    if "yaxis2" in drawn.layout:
        height, strip = drawn.layout["height"], theme.px(_STRIP)
        share = strip / (height - 32 + strip)
        drawn.update_layout(
            height=height + strip,
            margin={"b": theme.px(46)},
            yaxis={"domain": [share, 1]},
            yaxis2={"domain": [0, share - theme.px(46) / (height - 32 + strip)]},
        )
    return drawn


def _add_deployments(drawn: Figure, result: Odds, theme: Theme) -> None:
    """Draw on an axis of ε, below the people, what deployments promise, and the reader's ε."""
    color = theme.subjects[Subject.LOWER_BOUND]
    drawn.add_scatter(
        x=np.array([one.epsilon for one in DEPLOYMENTS]),
        y=np.zeros(len(DEPLOYMENTS)),
        mode="markers",
        xaxis="x2",
        yaxis="y2",
        marker={"color": color, "size": 9, "symbol": "circle"},
        text=[
            f"{one.name}: hides {one.unit}, {one.period}<br>{in_hundred(result.prior)} becomes "
            f"{at_most_in_hundred(result.after(one))}{', apart from δ' if one.delta else ''}"
            for one in DEPLOYMENTS
        ],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
    here = {"xref": "x2", "yref": "y2", "x0": result.epsilon, "x1": result.epsilon}
    line = {"color": theme.subjects[Subject.DANGER], "width": 2 * theme.scale}
    if _WORLD[0] <= result.epsilon <= _WORLD[1]:
        drawn.add_shape(type="line", **here, y0=-0.6, y1=0.6, line=line)
    for number, one in enumerate(DEPLOYMENTS):
        drawn.add_annotation(
            {"xref": "x2", "yref": "y2", "yanchor": "bottom", "showarrow": False},
            x=math.log10(one.epsilon),
            y=0.5 + number % 3,
            xanchor="right" if one.epsilon > 30 else "center",
            text=f"{one.name}: {readable(one.epsilon)}",
            font={"size": theme.font_size - 1},
        )
    low, high = (math.log10(end) for end in _WORLD)
    drawn.update_layout(
        xaxis2={
            "type": "log",
            "range": [low, high],
            "tickvals": [0.1, 1, 10],
            "ticktext": ["0.1", "1", "10"],
            "anchor": "y2",
            "fixedrange": True,
            "title": {"text": "ε, as published where it is in use"},
        },
        yaxis2={"visible": False, "fixedrange": True, "range": [-0.8, 3.6], "anchor": "x2"},
    )


def _limit(result: Odds, short: bool) -> tuple[str, float]:
    """Return what no answer exceeds, and its name; where noise sets no limit a pure promise would.

    k answers of Laplace noise made for (ε, δ) reach beyond a pure promise of that ε.
    """
    if np.isfinite(result.largest_loss):
        return "At most" if short else "After any answer, at most", result.worst
    return "Pure, at most" if short else "After, at most (pure promise)", result.pure


def _add_guess(drawn: Figure, people: float, room: float, theme: Theme) -> dict[str, Any]:
    """Ring as many of the accused as the reader predicted; return the words below them."""
    ringed = np.arange(round(people))
    columns, rows = ringed % _SIDE, ringed // _SIDE
    drawn.add_scatter(
        x=2 * _PITCH + columns,
        y=-rows,
        mode="markers",
        marker={"color": theme.text, "size": 0.8 * room, "symbol": "circle-open"},
        hoverinfo="skip",
        showlegend=False,
    )
    return {
        "x": 2 * _PITCH + (_SIDE - 1) / 2,
        "y": -_SIDE + 0.2,
        "yanchor": "top",
        "text": f"your prediction: {readable(people)}",
        "showarrow": False,
    }


def _title(x: float, name: str, people: str, color: str, short: bool) -> dict[str, Any]:
    count = f"<b>{people}</b> of 100"
    return {
        "x": x,
        "y": 0.9,
        "yanchor": "bottom",
        "text": f"{name}<br>{count}" if short else f"{name}:<br>{count} are in the data",
        "font": {"color": color},
        "showarrow": False,
    }


def hidden(result: Odds) -> Odds:
    """Return the result before the answer: the suspicion before."""
    return replace(result, pure=math.nan)


def marked(result: Odds, people: float) -> Odds:
    """Return the result with the reader's guess, of a hundred accused."""
    return replace(result, guess=people)


def answer(result: Odds) -> str:
    """Return how many of a hundred accused are in the data."""
    return hundredths(result.accused[1])


VIEW = View(
    key="odds",
    title="Odds",
    compute=odds_after_answers,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("prior", *RELEASE, "hit_rate"),
    in_sight=("epsilon", "prior", "mechanism"),
    defaults={"mechanism": "laplace", "queries": 1},
    pulled={"prior": "suspicion of # in 100"},
    why="An answer that is likelier with you than without you makes a suspicion stronger. ε "
    "limits how much likelier it can be. While ε is small, a weak suspicion stays weak, "
    "whatever is answered; δ allows rare answers to be an exception.",
    idle=idle_together,
    notes=notes,
    prediction=Prediction(
        question="Of a hundred people whom the best attacker accuses, how many are in the data?",
        guess=Number(_ACCUSED),
        hide=hidden,
        answer=answer,
        value=lambda result: 100 * result.accused[1],
        mark=marked,
    ),
)
