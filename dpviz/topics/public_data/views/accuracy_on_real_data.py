"""Private learners on real data, with public points and without: test accuracy against ε."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dpviz.maths.intervals import student_half_width
from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Claim, Curve, Evidence, FloatArray, SoFar
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import pause
from dpviz.topics.public_data.real import beforehand
from dpviz.topics.public_data.real.beforehand import Beforehand, Setting
from dpviz.topics.public_data.real.data_sets import RealData, real_data_set
from dpviz.topics.public_data.real.learners import KNOBS, LEARNERS, Given, RealLearner
from dpviz.topics.public_data.real.split import Split, split

_EPSILONS = np.array([0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0])
_DRAWS = 4  # of the noise in each split
_AVERAGES, _DELTA = 3000, 1e-6  # that a page opens with
_APART = 0.1  # of ln ε, from the reader's ε
NON_PRIVATE, CONSTANT = "non_private", "constant"


@dataclass(frozen=True, eq=False)
class Gain:
    """What the best learner with public points is ahead of the best without, at each ε.

    with_public, without: which they are; mean, lower, upper: the difference in accuracy over the
    same splits, with its 95% interval (NaN before the third split).
    """

    with_public: tuple[str, ...]
    without: tuple[str, ...]
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class RealDataChart(Chart):
    """Mean test accuracy over random splits, against ε.

    data: the set; samples, public_points, dimension: n, m and the length of φ, of the last split;
    runs: how many splits are whole; knob: one of `KNOBS`; gain: None before the first is.
    """

    data: RealData
    samples: int
    public_points: int
    dimension: int
    runs: int
    knob: str
    gain: Gain | None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """At the reader's ε: what public points gain, and the two accuracies compared."""
        if self.gain is None:
            return ()
        at, gain = int(np.argmin(np.abs(self.curves[0].x - self.here))), self.gain
        low, high = float(gain.lower[at]), float(gain.upper[at])
        ahead = Claim("gain of public points", float(gain.mean[at]), low, high)
        with_public = self.claim(gain.with_public[at], "the best with public points", at)
        return ahead, with_public, self.claim(gain.without[at], "the best without", at)


@dataclass
class _Record:
    """Accuracies by learner, means over the draws: (strengths, ε) arrays, one for each split."""

    epsilons: FloatArray
    accuracies: dict[str, list[FloatArray]] = field(default_factory=dict)

    def best(self, name: str, runs: int) -> FloatArray:
        """Return the accuracy in each split at the strength that is best on average: (runs, ε)."""
        every = np.array(self.accuracies[name][:runs])
        strength = np.argmax(every.mean(axis=0), axis=0)
        chosen: FloatArray = every[:, strength, np.arange(self.epsilons.size)]
        return chosen

    def curve(self, name: str) -> Curve:
        """Return the mean over the splits so far, with Student's interval from three on."""
        learner, runs = LEARNERS[name], len(self.accuracies[name])
        mean, lower, upper = _interval(self.best(name, runs))
        return Curve(
            key=name,
            label=learner.title,
            subject=learner.subject,
            evidence=Evidence.SIMULATED,
            source=learner.source,
            x=self.epsilons,
            y=mean,
            lower=np.clip(lower, 0, 1),
            upper=np.clip(upper, 0, 1),
            weight=learner.weight,
        )

    def gain(self, runs: int) -> Gain | None:
        """Compare the best learners of both kinds on the splits that all have seen."""
        if not runs:
            return None
        every = {name: self.best(name, runs) for name in LEARNERS if name != NON_PRIVATE}
        means = {name: values.mean(axis=0) for name, values in every.items()}
        places = range(self.epsilons.size)

        def leading(uses_public: bool) -> tuple[str, ...]:
            names = [name for name in every if LEARNERS[name].uses_public == uses_public]
            return tuple(max(names, key=lambda name: float(means[name][i])) for i in places)

        ahead, behind = leading(True), leading(False)
        apart = np.stack([every[ahead[i]][:, i] - every[behind[i]][:, i] for i in places], axis=1)
        return Gain(ahead, behind, *_interval(apart))


def _interval(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of each column and the ends of its interval, NaN for fewer than three."""
    mean, runs = values.mean(axis=0), len(values)
    if runs < 3:
        return mean, np.full(mean.shape, math.nan), np.full(mean.shape, math.nan)
    half = student_half_width(values.std(axis=0, ddof=1), runs)
    return mean, mean - half, mean + half


def accuracy_on_real_data(
    *,
    data_set: str,
    public_share: float,
    components: float,
    epsilon: float,
    delta: float,
    runs: float,
    rng: np.random.Generator,
    knob: str = "hindsight",
    own: RealData | None = None,
    averages: int = _AVERAGES,
) -> Iterator[RealDataChart]:
    """Yield the mean test accuracy of private learners on real data, against ε.

    What is computed beforehand (`dpviz.topics.public_data.real.beforehand`) comes whole at once.

    data_set: one of `dpviz.topics.public_data.real.data_sets.DATA`; own: the data if it is "own".
    Each run splits the units anew: a quarter for the test, public_share of them public and without
    labels, the others private. epsilon: the reader's ε, computed as well; delta: δ; knob: one of
    `KNOBS`, how each learner's strength is chosen; averages: J of Algorithm 2. What is not private
    is chosen with hindsight, or fixed. Neighbouring data sets substitute one unit. Raises
    `ParameterError`.
    """
    if knob not in KNOBS:
        raise ParameterError("knob", f"one of {', '.join(KNOBS)}", knob)
    data, here = real_data_set(data_set, own), validate("epsilon", epsilon)
    count, given_delta = int(validate("runs", runs)), validate("delta", delta)
    apart = np.abs(np.log(_EPSILONS / here)) > _APART
    record = _Record(np.unique(np.append(_EPSILONS[apart], here)))
    streams = Streams(rng)
    setting = Setting(
        public_share=public_share,
        components=components,
        delta=given_delta,
        knob=knob,
        averages=averages,
        base=streams.base,
        epsilons=tuple(record.epsilons.tolist()),
    )
    if (known := beforehand.accuracies(data_set, setting, count)) is not None:
        record.accuracies |= known
        last = streams.at(count - 1)
        parts = split(data, last, public_share=public_share, components=components)
        yield _chart(record, data, parts, here, knob, count, count)
        return
    for run, name, parts, found in _in_turn(data, setting, streams, count):
        record.accuracies.setdefault(name, []).append(found)
        if not run or name == CONSTANT:
            yield _chart(record, data, parts, here, knob, run + (name == CONSTANT), count)


def _in_turn(
    data: RealData, setting: Setting, streams: Streams, count: int
) -> Iterator[tuple[int, str, Split, FloatArray]]:
    """Yield for each split and learner its accuracies: (strengths, ε)."""
    for run in range(count):
        parts = split(
            data,
            streams.at(run),
            public_share=setting.public_share,
            components=setting.components,
        )
        for place, (name, learner) in enumerate(LEARNERS.items(), 1):
            chance, epsilons = streams.at(run, place), np.array(setting.epsilons)
            given = Given(epsilons, setting.delta, chance, setting.averages, _DRAWS)
            by_strength = []
            for strength in _strengths(name, learner, setting.knob):
                pause()
                by_strength.append(
                    learner.chosen_in_private(parts, given)
                    if strength is None
                    else learner.run(parts, given, strength)
                )
            yield run, name, parts, np.array(by_strength)


def computed_beforehand(
    data_set: str, runs: int, rng: np.random.Generator, *, components: float, public_share: float
) -> tuple[Setting, Beforehand]:
    """Return what is stored of a set: its accuracies over so many splits, with hindsight.

    δ and J are those that a page opens with. Raises `ParameterError`.
    """
    streams, found = Streams(rng), Beforehand([], {})
    setting = Setting(
        public_share=public_share,
        components=components,
        delta=_DELTA,
        knob="hindsight",
        averages=_AVERAGES,
        base=streams.base,
        epsilons=tuple(_EPSILONS.tolist()),
    )
    for _, name, parts, shares in _in_turn(real_data_set(data_set), setting, streams, runs):
        found.right.setdefault(name, []).append(shares)
        if name == CONSTANT:
            found.cases.append(_DRAWS * parts.test.y.size)
    return setting, found


def _strengths(name: str, learner: RealLearner, knob: str) -> tuple[float | None, ...]:
    """Return the strengths that are run; None stands for one that is chosen in private."""
    if knob == "fixed":
        return (learner.strengths[learner.fixed],)
    return learner.strengths if knob == "hindsight" or name == NON_PRIVATE else (None,)


def _chart(
    record: _Record,
    data: RealData,
    parts: Split,
    here: float,
    knob: str,
    runs: int,
    planned: int,
) -> RealDataChart:
    gain = record.gain(runs)
    at = int(np.argmin(np.abs(record.epsilons - here)))
    leading = (NON_PRIVATE,) if gain is None else (gain.with_public[at], gain.without[at])
    return RealDataChart(
        x=Axis("epsilon", "Privacy loss, ε"),
        y=Axis("accuracy", "Share of test rows labelled correctly", log=False, base=0.4, reach=1.0),
        curves=tuple(record.curve(name) for name in record.accuracies),
        here=here,
        in_headline=leading,
        done=runs / planned,
        so_far=SoFar(runs, "random split", planned),
        data=data,
        samples=parts.private.size,
        public_points=len(parts.public),
        dimension=parts.dimension,
        runs=runs,
        knob=knob,
        gain=gain,
    )
