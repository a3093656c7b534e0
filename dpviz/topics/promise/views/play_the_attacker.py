"""Play the attacker: guess, round after round, in which of two worlds an answer was published."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Result,
    Source,
    Subject,
)
from dpviz.results.parameters import LIMITS
from dpviz.topics.promise.calibrating import largest_loss, least_noise
from dpviz.topics.promise.guessing import (
    ROUNDS,
    Answers,
    BoundedAnswers,
    Rounds,
    Score,
    answers_of,
    drawn_rounds,
    read_guesses,
    score,
)
from dpviz.topics.promise.hits_charts import hits_chart
from dpviz.topics.promise.releases import Release

_POINTS = 241
STEEPEST = LIMITS["power"].minimum
"""The noise whose last answers are the likeliest: of others they are too rare to be shown."""
_BEST = "the best attacker in your rounds"
_SCORE = Source("dpviz.topics.promise", "your own guesses, exact 95% intervals")


@dataclass(frozen=True, eq=False)
class PlayedRounds(Result):
    """A game as far as it is played, without what the player may not know yet.

    worlds: the laws of an answer with the person and without. test: what attackers reach, with
    the player's own point; None before the last round. answers: those seen so far; the last is
    to be guessed, unless all rounds are played. inside, guessed: of the rounds that are over,
    whether the answer was from the data with the person, and whether the player said so.
    counts: what would be published without noise. correct: how often the best attacker is right,
    if both worlds are equally likely; rule: above which answer they accuse; best: what that came to
    in these rounds, None before they are over. largest_loss: inf if nothing limits it. reveals: how
    often an answer is possible in one world alone, where the noise is the steepest at its ends,
    else 0; only: from where on with the person, and up to where without them; NaN where reveals is
    0. heights: how likely the last answer is, without the person and with them. guess: how often,
    in percent, the reader predicted; NaN for no prediction.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "part": "law (of an answer), answer or attackers",
            "x": "a published count, or the share of false alarms",
            "y": "probability density, or the share of hits",
            "inside": "1 if the answer is from the data with the person, 0 if not",
            "guessed": "1 if the player said so, 0 if not",
        }
    )

    worlds: Chart
    test: Chart | None
    mechanism: str
    epsilon: float
    delta: float
    counts: tuple[float, float]
    answers: FloatArray
    inside: NDArray[np.bool_]
    guessed: NDArray[np.bool_]
    score: Score
    correct: float
    rule: float
    best: Score | None
    largest_loss: float
    reveals: float
    only: tuple[float, float]
    heights: tuple[float, float]
    guess: float = math.nan

    @property
    def shows_delta(self) -> bool:
        """Whether there are answers to draw that one world alone can give."""
        return self.reveals > 0

    @property
    def over(self) -> bool:
        """Whether all rounds are played."""
        return self.inside.size == ROUNDS

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return all that is plotted, one row a point.

        part: "law" (of an answer), "answer" or "attackers"; of an answer, inside and guessed are
        1 or 0, and NaN where they are not known yet.
        """
        charts = [("law", self.worlds)] + ([("attackers", self.test)] if self.test else [])
        curves = [(part, curve) for part, chart in charts for curve in chart.curves]
        open_ones = self.answers.size - self.inside.size
        known = [
            np.concatenate([truth.astype(float), np.full(open_ones, math.nan)])
            for truth in (self.inside, self.guessed)
        ]
        sizes = [curve.x.size for _, curve in curves]
        none = np.full(sum(sizes), math.nan)
        labels = [(part, curve.key) for part, curve in curves] + [("answer", "answer")]
        sizes.append(self.answers.size)
        return {
            "part": np.repeat([part for part, _ in labels], sizes),
            "curve": np.repeat([key for _, key in labels], sizes),
            "x": np.concatenate([*(curve.x for _, curve in curves), self.answers]),
            "y": np.concatenate(
                [*(curve.y for _, curve in curves), np.full(self.answers.size, math.nan)]
            ),
            "inside": np.concatenate([none, known[0]]),
            "guessed": np.concatenate([none, known[1]]),
        }


def play_the_attacker(
    *,
    mechanism: str,
    epsilon: float,
    delta: float,
    power: float,
    rng: np.random.Generator,
    guesses: str = "",
) -> PlayedRounds:
    """Return a game of twenty rounds, with one answer each, as far as it has been played.

    A fair coin decides in each round whether the answer is from the data with the person. Its noise
    is the least with which one answer is (ε, δ)-DP; power: p of bounded noise. rng: the source of
    the coins and the noise. guesses: "i" (in the data) or "o" (not in them) for each round so far.
    Neighbouring data sets substitute one person. Raises `ParameterError`.
    """
    said = read_guesses(guesses)
    release = least_noise(mechanism, epsilon=epsilon, delta=delta, queries=1, power=power)
    answers = answers_of(release)
    rounds = drawn_rounds(answers, rng, epsilon=epsilon)
    inside, over = rounds.inside[: said.size], said.size == ROUNDS
    earned = score(inside, said)
    best = score(rounds.inside, rounds.best(answers)) if over else None
    reveals, only = (0.0, (math.nan, math.nan)) if power > STEEPEST else _revealing(answers)
    loss = largest_loss(mechanism, epsilon=epsilon, delta=delta, queries=1)
    zero = release.log_delta(np.array([0.0]))[1][0]
    return PlayedRounds(
        worlds=_worlds(release, answers, rounds),
        test=None if best is None else _test(release, mechanism, epsilon, delta, earned, best),
        mechanism=mechanism,
        epsilon=epsilon,
        delta=delta,
        counts=answers.counts,
        answers=rounds.answers[: said.size + 1],
        inside=inside,
        guessed=said,
        score=earned,
        correct=(1 + math.exp(zero)) / 2,
        rule=sum(answers.counts) / 2,
        best=best,
        largest_loss=loss,
        reveals=reveals,
        only=only,
        heights=_heights(answers, rounds.answers[[said.size - over]]),
    )


def _heights(answers: Answers, answer: FloatArray) -> tuple[float, float]:
    """Return how likely an answer is without the person and with them, or its density."""
    without, inside = (float(answers.law(answer, world)[0]) for world in (False, True))
    return without, inside


def _revealing(answers: Answers) -> tuple[float, tuple[float, float]]:
    """Return how often an answer is possible in one world alone, and where such answers begin.

    Bounded noise ends: within 1 of an end, the sensitivity, an answer is possible in one world
    alone, with the probability of that tail; alike in both worlds.
    """
    if not isinstance(answers, BoundedAnswers):
        return 0.0, (math.nan, math.nan)
    without, inside = answers.counts
    radius = answers.radius
    share = math.exp(float(answers.noise.log_tail_from_edge((inside - without) / radius)))
    # Where the noise is narrower than one person, the worlds have no answer in common.
    return share, (max(without + radius, inside - radius), min(inside - radius, without + radius))


def _worlds(release: Release, answers: Answers, rounds: Rounds) -> Chart:
    """Return both laws, over a range that holds all answers of the game."""
    low, high = answers.counts
    span = answers.span()
    seen = rounds.answers
    first, last = min(low - span, float(seen.min())), max(high + span, float(seen.max()))
    curves = [
        _law(key, label, subject, release, answers, (first, last), inside)
        for key, label, subject, inside in (
            ("without", "Without you", Subject.ITEM_LEVEL, False),
            ("with", "With you", release.subject, True),
        )
    ]
    published = "Published bit" if high == 1 else "Published count"
    if first < 0 and high != 1:
        published += " (noise can take it below 0)"
    tall = Axis("probability", "Probability" if answers.whole else "Probability density", log=False)
    return Chart(Axis("answer", published, log=False), tall, tuple(curves))


def _law(
    key: str,
    label: str,
    subject: Subject,
    release: Release,
    answers: Answers,
    ends: tuple[float, float],
    inside: bool,
) -> Curve:
    first, last = ends
    if answers.whole:
        whole = np.arange(math.floor(first), math.ceil(last) + 1.0)
        x = np.repeat(np.append(whole - 0.5, whole[-1] + 0.5), 2)
        y = np.concatenate([[0.0], np.repeat(answers.law(whole, inside), 2), [0.0]])
    else:
        x = np.union1d(np.linspace(first, last, _POINTS), answers.counts)
        y = answers.law(x, inside)
    return Curve(key, label, subject, Evidence.EXACT, release.source, x, y)


def _test(
    release: Release, mechanism: str, epsilon: float, delta: float, earned: Score, best: Score
) -> Chart:
    """Return what attackers reach, and the player among them, beside the best in these rounds."""
    chart = hits_chart(release, mechanism, epsilon, delta)
    if not earned.present or not earned.absent:
        return chart
    alarms, hits = earned.alarms / earned.absent, earned.hits / earned.present
    you = Curve(
        "you",
        "You",
        Subject.DANGER,
        Evidence.SIMULATED,
        _SCORE,
        np.array([alarms]),
        np.array([hits]),
        np.array([earned.hit_share.lower]),
        np.array([earned.hit_share.upper]),
    )
    reached = Landmark(best.alarms / best.absent, best.hits / best.present, _BEST)
    curves = (*chart.curves, you)
    return replace(chart, curves=curves, landmarks=(reached,), in_headline=("best", "you"))
