"""Odds: a hundred people, as suspected before the answers, after them, and as accused."""

import math
from collections.abc import Callable
from dataclasses import replace

from dpviz.plot.marks import SIDE, Mark, People, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import (
    CERTAIN,
    at_most_in_hundred,
    hundredths,
    hundredths_upwards,
    in_hundred,
    predicted,
    readable,
)
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject, guessed
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.promise.calibrating import NOISES, capitalised_noise
from dpviz.topics.promise.deployments import DEPLOYMENTS
from dpviz.topics.promise.releases_shown import RELEASE, idle_together
from dpviz.topics.promise.views.odds_after_answers import Odds, odds_after_answers

_ACCUSED = Limit("guess", "of 100", "accused who are in the data", 1, 100, 50, log=False, step=1)
_ALIKE = 0.005  # half a person of a hundred
_PITCH = 12.5  # from panel to panel, in people
_FREE = 2.5  # on either side of two


def takeaway(result: Odds) -> str:
    """State what a suspicion becomes, or where that has no limit, how often accusers are right."""
    if math.isfinite(result.largest_loss):
        noise, before = NOISES[result.mechanism], in_hundred(result.prior)
        return (
            f"At ε = {readable(result.epsilon)}, {noise} lets a suspicion of {before} that you are "
            f"in the data become {_at_most(result.worst)}."
        )
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
    return f"{at_most_in_hundred(part)}, whatever is published"


def figure(result: Odds, theme: Theme) -> Figure:
    """Draw a hundred people, as suspected, at most and, if they differ, accused."""
    name = ("Suspicion after any answer, at most", "At most"), result.worst
    if not math.isfinite(result.largest_loss):
        # k answers of Laplace noise made for (ε, δ) reach beyond a pure promise of that ε.
        name = ("By a pure promise, at most", "Pure, at most"), result.pure
    crowds = [
        (("Suspicion before any answer", "Before"), result.prior, people_of, Subject.ITEM_LEVEL),
        (*name, hundredths_upwards, Subject.DANGER),
        (
            ("Accusations that are right", "Accused"),
            result.accused[1],
            people_of,
            Subject.ATTACKER,
        ),
    ]
    prior = f" (π = {readable(result.prior)})"
    asked = math.isnan(result.pure)  # the answer is still to be predicted
    shown = 1 if asked else 2 if _twice(result) else 3
    people = [
        mark
        for number, crowd in enumerate(crowds[:shown])
        for mark in _crowd(number * _PITCH, *crowd, also="" if number else prior)
    ]
    if not math.isnan(result.guess):
        middle = 2 * _PITCH + (SIDE - 1) / 2
        people.append(People(round(result.guess), left=2 * _PITCH, share=0.8, ringed=True))
        people.append(Text(predicted(result.guess), middle, 0.2 - SIDE, to="S"))
    crowded, free = (2, _FREE) if shown == 2 else (3, 0.0)  # two are larger, in the middle
    across = Side.bare(-1 - free, crowded * _PITCH - 2 + free)
    among = Panel(across, Side.bare(-SIDE - 1.5, 4), people)
    return stacked(theme, among, tall=0.8)


def _twice(result: Odds) -> bool:
    """Return whether the accused are as many as any answer allows: drawn once, if not guessed."""
    limited, rightly = math.isfinite(result.largest_loss), result.accused[1]
    return limited and math.isnan(result.guess) and abs(result.worst - rightly) < _ALIKE


def _crowd(
    left: float,
    name: tuple[str, str],
    part: float,
    said: Callable[[float], str],
    about: Subject,
    also: str,
) -> list[Mark]:
    """Return a hundred people, some of whom are in the data, and how many; also: that as π."""
    count = f"<b>{said(part)}</b> in 100"
    words = f"{name[0]}:<br>{count}{also}", f"{name[1]}<br>{count}"
    return [
        People(round(100 * part), left=left, about=about),
        Text(words, left + (SIDE - 1) / 2, 0.9, to="N", about=about),
    ]


def hidden(result: Odds) -> Odds:
    """Return the result before the answer: the suspicion before."""
    return replace(result, pure=math.nan)


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
    "whatever is published; δ allows rare answers to be an exception.",
    idle=idle_together,
    notes=notes,
    prediction=Prediction(
        question="Of a hundred people whom the best attacker accuses, how many are in the data?",
        guess=Number(_ACCUSED),
        hide=hidden,
        answer=answer,
        value=lambda result: 100 * result.accused[1],
        mark=guessed,
    ),
)
