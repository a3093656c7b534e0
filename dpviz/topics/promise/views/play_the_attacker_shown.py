"""Play the attacker: a reader guesses in which of two worlds an answer was published."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.marks import Dots, Mark, Part, Rule, Span, Text
from dpviz.plot.panels import Panel, Plotted, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import (
    hundredths,
    percent,
    predicted,
    readable,
    spoken,
    upwards,
)
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Landmark, Subject, guessed
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
_MOST_PEOPLE = 100  # drawn one by one
_IN_A_ROW = 20
_ROWS = (0.05, 0.12)  # of the height, where answers without the person and with them are kept
_PITCH = 11  # pixels
_NAMED, _HIGH = 1.1, 1.2  # times the highest peak: where the curves have their names, and the end
_LETTER, _OFF = 0.0095, 7  # of the width, that a letter of a name needs; pixels beside a place
_BESIDE = 0.3  # of the step from one bit to the other
_LARGEST = 500.0  # privacy loss, of which e to its power is still a float


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
        world = "you were in" if result.inside[-1] else "you were not in"
        outcome = "Right" if result.inside[-1] == result.guessed[-1] else "Wrong"
        return f"{outcome}, {world}: {right} of {played} so far. Now {_published(result)}. {asks}"
    if result.mechanism == "response":
        opening = (
            "A bit says whether you are in the data, unless a coin has flipped it. Here "
            f"{_published(result)}."
        )
    elif result.shows_delta:
        opening = (
            "Shaded answers are possible in one world only. They come "
            f"{_often(result.reveals)}, and give the world away; δ allows "
            f"{_often(result.delta)}."
        )
    else:
        others, noise = readable(result.counts[0]), capitalised_noise(result.mechanism)
        opening = (
            f"{others} others said yes; a coin decided for you. {noise} is added, "
            f"and {_published(result, others)}."
        )
    return f"{opening} {asks}"


def _published(result: PlayedRounds, *others: str) -> str:
    """Say what was published: as the figure does, unless the sentence has that number already."""
    if result.mechanism == "response":
        return f"it says {'in' if result.answers[-1] else 'out'}"
    number = _number(result)
    return "this is published" if number in others else f"{number} is published"


def _number(result: PlayedRounds) -> str:
    """Write the published answer."""
    return readable(round(float(result.answers[-1]), 2), 4)


def _asks(result: PlayedRounds) -> str:
    """Ask for the next round, "" once the game is over."""
    return "" if result.best is not None else "Were you in?"


def _dares(result: PlayedRounds) -> str:
    """Return what a reader of a whole game asks of somebody else, who gets the same answers."""
    wrong = ROUNDS - result.score.right
    return f"The noise fooled me {wrong} of {ROUNDS} times: can you do better?"


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
        f"In the long run the best attacker is right {percent(result.correct)} of the time; "
        "a coin is right half of the time.",
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
    known = {curve.key: curve.subject for curve in result.worlds.curves}
    without, present = (known.get(key, Subject.ITEM_LEVEL) for key in ("without", "with"))
    played, now = result.inside.size, float(result.answers[-1])
    inside, right = result.inside.tolist(), result.inside == result.guessed
    dots = Dots(
        result.answers[:played],
        [Part(_ROWS[world]) for world in inside],
        size=9,
        symbol=np.where(right, "circle", "x-thin-open").tolist(),
        edge=2.5,
        about=[present if world else without for world in inside],
        said=[
            f"round {number + 1}, {'with' if world else 'without'} you: guessed "
            f"{'right' if is_right else 'wrong'}"
            for number, (world, is_right) in enumerate(zip(inside, right, strict=True))
        ],
    )
    guess = "" if result.shows_delta else predicted(result.guess, "% right")
    bit = result.counts == (0.0, 1.0)  # it has no other values; names need room beside them
    low, high = (result.worlds.curves[0].x[[0, -1]] + [-bit * _BESIDE, bit * _BESIDE]).tolist()
    ticks = [(0, "0: out"), (1, "1: in")] if bit else None
    top = max(float(curve.y.max()) for curve in result.worlds.curves)
    marks = [
        *(_only(result, without, present) if result.shows_delta else []),
        *(Plotted(curve, result.worlds) for curve in result.worlds.curves),
        *_heights(result, without, present),
        dots,
        Rule(x=now, called=_told(result)),
        *_names(result, high - low, _NAMED * top),
        Text((guess, ""), Part(0.01), Part(0.99), to="SE"),
    ]
    game = Panel(
        Side(low, high, result.worlds.x.label, ticks=ticks, held=True),
        Side(0.0, _HIGH * top, result.worlds.y.label, held=True),
        marks,
    )
    if not result.shows_delta:
        return stacked(theme, game)
    return stacked(theme, game, *_allowed(result, without, present), tall=0.8)


def _names(result: PlayedRounds, span: float, high: float) -> list[Mark]:
    """Name each curve beside its peak, away from the other one and beyond what was published."""
    now, named = float(result.answers[-1]), list[Mark]()
    for curve, peak, side in zip(result.worlds.curves, result.counts, (-1, 1), strict=False):
        beside = 0 <= side * (now - peak) < _LETTER * len(curve.label) * span
        at, to = (now if beside else peak), "E" if side > 0 else "W"
        shift = (side * _OFF, 0.0)
        named.append(Text(curve.label, at, high, to=to, shift=shift, about=curve, backed=True))
    return named


def _heights(result: PlayedRounds, without: Subject, present: Subject) -> list[Mark]:
    """Mark on the curves that are drawn how likely the published answer is."""
    now, many = float(result.answers[-1]), len(result.worlds.curves)
    about = (without, present)[:many]
    return [Dots([now] * many, result.heights[:many], size=12, about=about)]


def _told(result: PlayedRounds) -> tuple[str, str]:
    """Say what was published, how much likelier one world makes it, and how much ε allows.

    Not while the other world is hidden, or where the figure is about δ. Which world the answer is
    likelier in is not said: that is for the reader to guess.
    """
    published = f"<b>published: {_number(result)}</b>"
    if len(result.worlds.curves) == 1 or result.shows_delta:
        return published, published
    most = upwards(math.exp(result.epsilon))
    # Noise that is made for a δ so small that e^ε is written alike is as good as pure.
    pure = upwards(math.exp(min(result.largest_loss, _LARGEST))) == most
    limit = f"ε = {readable(result.epsilon)} allows {most}" + ("" if pure else ", plus δ")
    low, high = sorted(result.heights[:2])
    times = readable(high / low) if low > 0 else ""
    if not times:
        return f"{published}<br>possible in one case only", f"{published}<br>in one case only"
    likelier, other = f"{times} times as likely in one case", " as in the other"
    if times == "1":
        likelier, other = "as likely in either case", ""
    return f"{published}<br>{likelier}{other}; {limit}", f"{published}<br>{likelier};<br>{limit}"


def _only(result: PlayedRounds, without: Subject, present: Subject) -> list[Mark]:
    """Return the shades of the answers that one world alone can give."""
    low, high = (curve.x[curve.y > 0] for curve in result.worlds.curves)
    inside_from, without_to = result.only
    # What is shaded can be narrower than its edge.
    return [
        Span(x=(inside_from, float(high.max())), edge=1, about=present, seen=0.3),
        Span(x=(float(low.min()), without_to), edge=1, about=without, seen=0.3),
    ]


def _allowed(result: PlayedRounds, without: Subject, present: Subject) -> tuple[Panel, Panel]:
    """Name below the axis what is shaded, and n people of whom one is published: δ = 1/n."""
    people, often = math.ceil(1 / result.delta * (1 - 1e-9)), _often(result.reveals)
    shown = np.arange(people if people <= _MOST_PEOPLE else 0)
    named = [
        Text(f"<b>only without you:</b><br>{often}", Part(0), Part(1), to="NE", about=without),
        Text(f"<b>only with you:</b><br>{often}", Part(1), Part(1), to="NW", about=present),
    ]
    draws = f"The same δ allows: draw one of {people:,} people,"
    words = [f"{draws}{end}publish all they said" for end in (" ", "<br>")]
    if guess := predicted(result.guess, " of 1,000"):  # above what the people below it are
        words = [f"{guess}<br>{one}" for one in words]
    dots = Dots(
        shown % _IN_A_ROW,
        -(shown // _IN_A_ROW),
        size=7.7,
        apart=True,
        symbol=np.where(shown == shown.size // 3, "circle", "circle-open").tolist(),
    )
    rows = max(-(-shown.size // _IN_A_ROW), 1)
    across, up = Side.bare(-0.5, 54.5), Side.bare(0.5 - rows, 0.5)
    return (
        Panel(across, Side.bare(0, 1), named, pixels=1),
        Panel(across, up, [dots], pixels=_PITCH * rows, above=tuple(words)),
    )


def _score_figure(result: PlayedRounds, test: Chart, theme: Theme) -> Figure:
    """Draw the curve of the best attacker, and the player's point with both its intervals."""
    alarms = result.score.alarm_share
    if not (math.isnan(result.guess) or result.shows_delta):
        right = result.guess / 100
        predicted = Landmark(1 - right, right, "your prediction")
        test = replace(test, landmarks=(*test.landmarks, predicted))
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
        test = replace(test, curves=blind, landmarks=())
    return replace(result, worlds=worlds, test=test, reveals=math.nan)


def answer(result: PlayedRounds) -> str:
    """Return how often the best attacker is right."""
    return percent(result.correct)


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
    parameters=("mechanism", "epsilon", "delta", "power", "seed"),
    in_sight=("epsilon", "mechanism", "seed"),
    defaults={"mechanism": "laplace", "power": STEEPEST},
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
        mark=guessed,
        when_moved=_now,
        applies=lambda values: not _asks_for_delta(values),
        otherwise=Prediction(
            question="One answer is published. Some answers are possible in only one of the two "
            "worlds, and give it away. In how many of a thousand rounds, with this δ?",
            guess=Number(_CERTAIN),
            hide=hidden,
            answer=lambda result: f"{readable(1000 * result.reveals)} of 1,000",
            value=lambda result: 1000 * result.reveals,
            mark=guessed,
        ),
    ),
    rounds=Rounds(
        keyword="guesses",
        count=ROUNDS,
        answers={OUTSIDE: "Without you", INSIDE: "With you"},
        again="seed",
        right=lambda result: "".join(np.where(result.inside, INSIDE, OUTSIDE)),
        asks=_asks,
        dares=_dares,
    ),
)
