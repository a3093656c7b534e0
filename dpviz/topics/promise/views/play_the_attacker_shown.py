"""Play the attacker: a reader guesses in which of two worlds an answer was published."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import hundredths, readable, spoken
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Mark, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number, Value
from dpviz.scene.view import Prediction, Rounds, View
from dpviz.topics.promise.best_attacker_shown import RIGHT
from dpviz.topics.promise.calibrating import capitalised_noise
from dpviz.topics.promise.guessing import INSIDE, OUTSIDE, ROUNDS
from dpviz.topics.promise.releases_shown import idle_controls
from dpviz.topics.promise.views.play_the_attacker import (
    STEEPEST,
    PlayedRounds,
    play_the_attacker,
)

_CERTAIN = Limit("guess", "of 1,000", "rounds that tell for certain", 1, 1000, 200)
_WHY_DELTA = (
    "Noise that ends gives answers near its ends that are possible in one world alone; seeing "
    "one, you know. ε forbids them, and δ allows them rarely. Even publishing all that one of n "
    "people said, drawn at random, keeps a δ of one in n, so δ must be much smaller than that."
)
_LOWER = 70  # pixels
_MOST_PEOPLE = 100  # drawn one by one
_IN_A_ROW = 20
_ROWS = (0.05, 0.12)  # of the height, where answers without the person and with them are kept
_CORNER = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "align": "left"}


def takeaway(result: PlayedRounds) -> str:
    """Tell what there is to guess, how the last round ended, and at last how the game did."""
    played, right = result.inside.size, result.score.right
    if result.best is not None:
        believes = result.mechanism == "response"
        rule = "believes the bit" if believes else f"accuses above {readable(result.rule)}"
        best = "as many" if result.best.right == right else f"in {result.best.right}"
        return (
            f"You were right in {right} of twenty rounds; the best attacker, who {rule}, {best}. "
            "Over many rounds no rule beats the curve: hits cost false alarms."
        )
    asks = _asks(result)
    if played:
        world = "with you" if result.inside[-1] else "without you"
        outcome = "right" if result.inside[-1] == result.guessed[-1] else "wrong"
        return f"Round {played} was {world}: {outcome}. {right} of {played} so far. {asks}"
    if result.mechanism == "response":
        opening = "A bit says whether you are in the data, unless a coin has flipped it."
    elif result.shows_delta:
        opening = (
            "Shaded answers are possible in one world only. They come "
            f"{_often(result.reveals)}, and give the world away; δ allows "
            f"{_often(result.delta)}."
        )
    else:
        opening = (
            f"{readable(result.counts[0])} others are counted; with you it would be one more. "
            f"{capitalised_noise(result.mechanism)} is added, and this is published."
        )
    return f"{opening} {asks}"


def _asks(result: PlayedRounds) -> str:
    """Ask for the next round, "" once the game is over."""
    return (
        ""
        if result.best is not None
        else f"Round {result.inside.size + 1} of {ROUNDS}: were you in?"
    )


def detail(result: PlayedRounds) -> str:
    """State how often the best attacker is right in the long run, once the game is over."""
    if result.best is None:
        return ""
    return (
        f"In the long run the best attacker is right {hundredths(result.correct)}% of the time; "
        "a coin is right half of the time."
    )


def _often(part: float) -> str:
    """Say how often something happens, among a hundred or among so many that it happens once."""
    times = hundredths(part, digits=2)
    if part >= 0.01 and times != "1":
        return f"{times} times in 100"
    return f"once in {re.sub('^1 (?=[a-z])', 'a ', spoken(1 / part))}"


def notes(result: PlayedRounds) -> tuple[str, ...]:
    """Tell what the figure shows, and how much twenty rounds say."""
    if result.best is None:
        return (
            *_what_delta_is(result),
            "A fair coin decides in every round whether you are in the data. The curves show "
            "how likely each answer is with you and without you; the higher one is the better "
            "guess.",
            "The link holds the seed, so it brings the same answers again. Your guesses stay in "
            "this session.",
        )
    earned = result.score
    return (
        f"Of {earned.present} answers with you, you recognised {earned.hits}; of "
        f"{earned.absent} without you, you accused {earned.alarms} wrongly. Luck matters: in so "
        "few rounds somebody who follows the best rule can do worse than somebody who guesses.",
        "The arms of the cross are 95% intervals (Clopper and Pearson), for somebody who "
        f"decides by the same rule in every round. {ROUNDS} rounds leave much open.",
    )


def _what_delta_is(result: PlayedRounds) -> tuple[str, ...]:
    if not result.shows_delta:
        return ()
    return (
        "Near its ends bounded noise gives answers that are possible with you and impossible "
        "without you, or the other way round. The rest of δ pays for answers that are more than "
        "e^ε times as likely in one world.",
    )


def figure(result: PlayedRounds, theme: Theme) -> Figure:
    """Draw the answer to be guessed below the laws of both worlds; at the end, the player's score.

    Answers of rounds that are over remain: a dot where the guess was right, a cross where not.
    """
    if result.test is not None:
        return _score_figure(result, result.test, theme)
    drawn = draw(result.worlds, theme)
    low, high = drawn.layout["yaxis"]["range"]
    subjects = {curve.key: curve.subject for curve in result.worlds.curves}
    colors = [theme.subjects[subjects.get(key, Subject.ITEM_LEVEL)] for key in ("without", "with")]
    _add_what_delta_is(drawn, result, colors, theme)
    played = result.inside.size
    inside, right = result.inside, result.inside == result.guessed
    dots = [colors[int(world)] for world in inside]
    drawn.add_scatter(
        x=result.answers[:played],
        y=low + np.array(_ROWS)[inside.astype(int)] * (high - low),
        mode="markers",
        marker={
            "color": dots,
            "symbol": np.where(right, "circle", "x-thin-open").tolist(),
            "size": 9 * theme.scale,
            "line": {"color": dots, "width": 2.5 * theme.scale},
        },
        text=[
            f"round {number + 1}, {'with' if inside[number] else 'without'} you: "
            f"guessed {'right' if right[number] else 'wrong'}"
            for number in range(played)
        ],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
    now = float(result.answers[-1])
    line = {"color": theme.text, "width": 2 * theme.scale}
    up = "y domain" if result.shows_delta else "paper"  # people stand below the plot, or nothing
    drawn.add_shape(type="line", x0=now, x1=now, y0=0, y1=1, yref=up, line=line)
    row = round(1.4 * theme.font_size)  # of its own, above the title of the axis
    left, right = drawn.layout["xaxis"]["range"]
    beside = (now - left) / (right - left)  # in the figure, also near its ends
    drawn.add_annotation(
        {"yref": "paper", "yanchor": "bottom", "yshift": row + theme.px(6), "showarrow": False},
        xanchor="left" if beside < 0.25 else "right" if beside > 0.75 else "center",
        x=now,
        y=1,
        text=f"<b>published: {readable(round(now, 2), 4)}</b>",
    )
    if result.counts == (0.0, 1.0):  # a bit has no other values
        drawn.update_layout(xaxis={"tickvals": [0, 1], "ticktext": ["0: out", "1: in"]})
    margin = drawn.layout["margin"]
    drawn.update_layout(margin={"t": margin["t"] + row}, height=drawn.layout["height"] + row)
    if not (math.isnan(result.guess) or result.shows_delta or theme.compact):
        text = f"your prediction: {readable(result.guess)}% right"
        drawn.add_annotation(_CORNER, x=0.01, y=0.99, text=text, showarrow=False)
    return drawn.update_layout(hovermode="closest")


def _add_what_delta_is(
    drawn: Figure, result: PlayedRounds, colors: list[str], theme: Theme
) -> None:
    """Shade the answers that one world alone can give, and say below what else δ allows."""
    if not result.shows_delta:
        return
    low, high = (curve.x[curve.y > 0] for curve in result.worlds.curves)
    inside_from, without_to = result.only
    for color, ends in (
        (colors[1], (inside_from, float(high.max()))),
        (colors[0], (float(low.min()), without_to)),
    ):
        box = {"x0": ends[0], "x1": ends[1], "y0": 0, "y1": 1, "yref": "y domain"}
        edge = {"color": color, "width": 1}  # what is shaded can be narrower than it
        look = {"fillcolor": color, "opacity": 0.3, "line": edge, "layer": "below"}
        drawn.add_shape(type="rect", **box, **look)
    _add_below(drawn, result, colors, theme)


def _add_below(drawn: Figure, result: PlayedRounds, colors: list[str], theme: Theme) -> None:
    """Name below the axis what is shaded, and n people of whom one is published: δ = 1/n."""
    people = math.ceil(1 / result.delta * (1 - 1e-9))
    shown = people if people <= _MOST_PEOPLE else 0
    rows, pitch, line = -(-shown // _IN_A_ROW), theme.px(11), theme.px(22)
    words = f"The same δ allows: draw one of {people:,} people,"
    words += f"{'<br>' if theme.compact else ' '}publish all they said"
    if not math.isnan(result.guess):  # above what the people below it are
        words = f"your prediction: {readable(result.guess)} of 1,000<br>{words}"
    said = line * (1 + words.count("<br>"))
    broken = theme.compact or theme.scale > 1  # in a room there may be votes beside it
    named = round(line * (2.2 if broken else 1.2))
    strip, below = named + said + rows * pitch, theme.px(8)
    margin, height = drawn.layout["margin"], drawn.layout["height"] + strip
    if theme.compact:  # the buttons below stay in sight
        height -= _LOWER
    plot = height - margin["t"] - below
    row = {"xref": "paper", "yref": "paper", "yanchor": "top", "showarrow": False}
    often = f"{'<br>' if broken else ' '}{_often(result.reveals)}"
    for x, side, name, color in (
        (0, "left", "without you", colors[0]),
        (1, "right", "with you", colors[1]),
    ):
        text = f"<b>only {name}:</b>{often}"
        place = {"x": x, "xanchor": side, "align": side, "y": strip / plot}
        drawn.add_annotation(row | place, text=text, font={"color": color})
    place = {"x": 0, "xanchor": "left", "align": "left", "y": (strip - named) / plot}
    drawn.add_annotation(row | place, text=words)
    each = np.arange(shown)
    drawn.add_scatter(
        x=each % _IN_A_ROW,
        y=-(each // _IN_A_ROW),
        mode="markers",
        xaxis="x2",
        yaxis="y2",
        marker={
            "color": theme.text,
            "symbol": np.where(each == shown // 3, "circle", "circle-open").tolist(),
            "size": 0.7 * pitch,
        },
        hoverinfo="skip",
        showlegend=False,
    )
    blank = {"visible": False, "fixedrange": True}
    across = blank | {"domain": [0, 1], "range": [-0.5, theme.width / pitch - 0.5]}
    drawn.update_layout(
        height=height,
        margin={"b": below},
        yaxis={"domain": [min((strip + margin["b"]) / plot, 0.6), 1]},
        xaxis2=across | {"anchor": "y2"},
        yaxis2=blank
        | {"domain": [0, max(rows, 1) * pitch / plot], "range": [0.5 - max(rows, 1), 0.5]},
    )


def _score_figure(result: PlayedRounds, test: Chart, theme: Theme) -> Figure:
    """Draw the curve of the best attacker, and the player's point with both its intervals."""
    alarms = result.score.alarm_share
    if not (math.isnan(result.guess) or result.shows_delta or theme.compact):
        right = result.guess / 100
        predicted = Mark(1 - right, right, "your prediction")
        test = replace(test, marks=(*test.marks, predicted))
    drawn = draw(test, theme)
    for trace in drawn.data:
        if "error_y" in trace:
            at = result.score.alarms / result.score.absent
            ends = {"array": [alarms.upper - at], "arrayminus": [at - alarms.lower]}
            trace["error_x"] = trace["error_y"] | ends
    return drawn


def hidden(result: PlayedRounds) -> PlayedRounds:
    """Return the result before the answer: one world alone, and blind guessing."""
    worlds = replace(result.worlds, curves=result.worlds.curves[:1])
    test = result.test
    if test is not None:
        blind = tuple(c for c in test.curves if c.key == "blind")
        test = replace(test, curves=blind, marks=())
    return replace(result, worlds=worlds, test=test, reveals=math.nan)


def marked(result: PlayedRounds, percent: float) -> PlayedRounds:
    """Return the result with how often the reader thinks the best attacker is right."""
    return replace(result, guess=percent)


def answer(result: PlayedRounds) -> str:
    """Return how often the best attacker is right."""
    return f"{hundredths(result.correct)}%"


def _now(result: PlayedRounds) -> str:
    """Return how often the best attacker is right here, as long as the game does not end it."""
    return (
        "" if result.best else f"The best attacker is now right **{answer(result)}** of the time."
    )


def _asks_for_delta(values: Mapping[str, Value]) -> bool:
    """Tell whether δ can be seen: the noise is bounded, and steepest at its ends."""
    return values["mechanism"] == "bounded" and float(values["power"]) <= STEEPEST


VIEW = View(
    key="play",
    title="Play the attacker",
    compute=play_the_attacker,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("mechanism", "epsilon", "delta", "power", "seed"),
    in_sight=("epsilon", "mechanism", "seed"),
    defaults={"epsilon": 10.0, "power": STEEPEST},
    why="The same answer may come with you and without you, because noise is added to the count. "
    "All that an attacker can do is ask which is likelier. The smaller ε, the more noise, and the "
    "more the two curves overlap.",
    why_here=lambda values: _WHY_DELTA if _asks_for_delta(values) else "",
    idle=idle_controls,
    notes=notes,
    prediction=Prediction(
        question="A coin decides whether you are in the data. How often will the best "
        "attacker be right, in percent?",
        guess=Number(RIGHT),
        hide=hidden,
        answer=answer,
        value=lambda result: 100 * result.correct,
        mark=marked,
        since=_now,
        applies=lambda values: not _asks_for_delta(values),
        otherwise=Prediction(
            question="One answer is published. Some answers are possible in only one of the two "
            "worlds, and give it away. In how many of a thousand rounds, with this δ?",
            guess=Number(_CERTAIN),
            hide=hidden,
            answer=lambda result: f"{readable(1000 * result.reveals)} of 1,000",
            value=lambda result: 1000 * result.reveals,
            mark=marked,
        ),
    ),
    rounds=Rounds(
        keyword="guesses",
        count=ROUNDS,
        answers={OUTSIDE: "Without you", INSIDE: "With you"},
        again="seed",
        right=lambda result: "".join(np.where(result.inside, INSIDE, OUTSIDE)),
        asks=_asks,
    ),
)
