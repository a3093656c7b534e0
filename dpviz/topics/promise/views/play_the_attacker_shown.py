"""Play the attacker: a reader guesses in which of two worlds an answer was published."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Mark, Subject
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, Rounds, View
from dpviz.topics.promise.best_attacker_shown import RIGHT
from dpviz.topics.promise.calibrating import capitalised_noise
from dpviz.topics.promise.guessing import INSIDE, OUTSIDE, ROUNDS
from dpviz.topics.promise.releases_shown import idle_controls
from dpviz.topics.promise.views.play_the_attacker import PlayedRounds, play_the_attacker

_ROWS = (0.05, 0.12)  # of the height, where answers without the person and with them are kept
_CORNER = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "align": "left"}


def takeaway(result: PlayedRounds) -> str:
    """Tell what there is to guess, how the last round ended, and at last how the game did."""
    played, right = result.inside.size, result.score.right
    if result.over:
        return (
            f"You were right in {right} of {ROUNDS} rounds. The best attacker is right "
            f"{hundredths(result.correct)}% of the time in the long run; a coin, half of it."
        )
    asks = f"Round {played + 1} of {ROUNDS}: were you in?"
    if played:
        world = "with you" if result.inside[-1] else "without you"
        outcome = "Right" if result.inside[-1] == result.guessed[-1] else "Wrong"
        return f"{outcome}: that was {world}. {right} of {played} so far. {asks}"
    if result.mechanism == "response":
        opening = "A bit says whether you are in the data, unless a coin has flipped it."
    else:
        opening = (
            f"{readable(result.counts[0])} others are counted; with you it would be one more. "
            f"{capitalised_noise(result.mechanism)} is added, and this is published."
        )
    return f"{opening} {asks}"


def notes(result: PlayedRounds) -> tuple[str, ...]:
    """Tell what the figure shows, and how much twenty rounds say."""
    if not result.over:
        return (
            "A fair coin decides in every round whether you are in the data. The curves are how "
            "likely each answer is, with you and without you: the higher one is the better guess.",
            "The link holds the seed: the same answers come again. Your guesses stay in this "
            "session.",
        )
    earned = result.score
    return (
        f"Of {earned.present} answers with you, you said so of {earned.hits}; of {earned.absent} "
        f"without you, you accused {earned.alarms} wrongly. The best attacker would have been "
        f"right in {result.best_right} of these {ROUNDS} rounds: luck goes both ways.",
        "The cross reaches as far as the 95% intervals of Clopper and Pearson, for somebody who "
        f"decides by the same rule in every round. {ROUNDS} rounds leave much open.",
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
    drawn.add_shape(type="line", x0=now, x1=now, y0=0, y1=1, yref="paper", line=line)
    row = round(1.4 * theme.font_size)  # of its own, above the title of the axis
    left, right = drawn.layout["xaxis"]["range"]
    beside = (now - left) / (right - left)  # in the figure, also near its ends
    drawn.add_annotation(
        {"yref": "paper", "yanchor": "bottom", "yshift": row, "showarrow": False},
        xanchor="left" if beside < 0.25 else "right" if beside > 0.75 else "center",
        x=now,
        y=1,
        text=f"<b>published: {readable(now, 4)}</b>",
    )
    if result.counts == (0.0, 1.0):  # a bit has no other values
        drawn.update_layout(xaxis={"tickvals": [0, 1], "ticktext": ["0: out", "1: in"]})
    margin = drawn.layout["margin"]
    drawn.update_layout(margin={"t": margin["t"] + row}, height=drawn.layout["height"] + row)
    if not math.isnan(result.guess):
        text = f"your prediction: {readable(result.guess)}% right"
        drawn.add_annotation(_CORNER, x=0.01, y=0.99, text=text, showarrow=False)
    return drawn.update_layout(hovermode="closest")


def _score_figure(result: PlayedRounds, test: Chart, theme: Theme) -> Figure:
    """Draw the curve of the best attacker, and the player's point with both its intervals."""
    alarms = result.score.alarm_share
    if not math.isnan(result.guess):
        right = result.guess / 100
        test = replace(test, marks=(Mark(1 - right, right, "your prediction"),))
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
        test = replace(test, curves=tuple(c for c in test.curves if c.key == "blind"))
    return replace(result, worlds=worlds, test=test)


def marked(result: PlayedRounds, percent: float) -> PlayedRounds:
    """Return the result with how often the reader thinks the best attacker is right."""
    return replace(result, guess=percent)


def answer(result: PlayedRounds) -> str:
    """Return how often the best attacker is right."""
    return f"{hundredths(result.correct)}%"


VIEW = View(
    key="play",
    title="Play the attacker",
    compute=play_the_attacker,
    figure=figure,
    takeaway=takeaway,
    parameters=("mechanism", "epsilon", "delta", "power", "seed"),
    in_sight=("epsilon", "mechanism", "seed"),
    why="The same answer may come with you and without you, because noise is added to the count. "
    "All that an attacker can do is ask which is likelier. The smaller ε, the more noise, and the "
    "more the two curves overlap.",
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
    ),
    rounds=Rounds(
        keyword="guesses",
        count=ROUNDS,
        answers={OUTSIDE: "Without you", INSIDE: "With you"},
        again="seed",
    ),
)
