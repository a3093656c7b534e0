"""Headlines say which end of a number they mean, and name the class of every none and best.

"Needs", "takes" and "at least" go with a lower end or an exact value, "is enough" with an upper
one; "at most" is rounded up, "at least" down, and no share is written as 100 % or 0 % unless it is.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import dpviz.maths
from dpviz.results.evidence import Chart, Curve, Evidence, Result, parts_of
from dpviz.results.folders import ROOT
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Number, Value
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from tests.support.declarations import SLUGS, begun, page
from tests.support.examples import in_nightly

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMBER = r"(\d[\d,]*(?:\.\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)( million| billion)?(%?)"
NEED = re.compile(rf"\b(?:needs?|takes?)\b(?! at most)(?! more)(?! between)[^.;:]*? {NUMBER}")
ENOUGH = re.compile(rf"{NUMBER} (?:users?|examples?)[^.;:]* (?:is|are) enough")
AT_MOST, AT_LEAST = (re.compile(rf"\bat {end} (?:ε′? = )?{NUMBER}") for end in ("most", "least"))
WHOLE = re.compile(r"(?<![\d.,])(?:100|0) ?%")
IS_WHOLE = {
    "clipping/selected": "a class of which every answer is good",
    "adaptive_analysis/attack": "a sample of one, which every coin fits when it is turned",
}
AS_WRITTEN = 0.006  # of a number: what three digits leave out

# What is said of noise or of mechanisms without a class, and what names one.
NOBODY = re.compile(
    r"\b(no bounded noise|no (?:additive )?noise (?:below|can|keeps|is|has)|none (?:below|can)|"
    r"not (?:even )?one)\b",
    re.I,
)
CLASS = re.compile(
    r"independen|at all|of this shape|whole numbers|Gaussian|splitting|drawn|compared|needed", re.I
)
KNOWN = re.compile(r"\b(best (?:\w+ )?noise known|best known)\b", re.I)
TEXTS = [
    "docs/results.md",
    "docs/numbers.md",
    "CITATION.cff",
    "pages/bounded_noise.py",
    "assets/prose/bounded_noise.md",
]


def read(match: re.Match[str]) -> float:
    """The number in a match of `NUMBER`, the last three groups."""
    digits, many, percent = match.groups()[-3:]
    plain = digits.replace(",", "").translate(SUPERSCRIPTS).replace(" × 10", "e")
    if re.fullmatch(r"10-?\d+", plain) and not digits.isdecimal():
        plain = f"1e{plain[2:]}"
    times = {" million": 1e6, " billion": 1e9, None: 1.0}[many]
    return float(plain) * times / (100 if percent else 1)


def scalars(value: object) -> Iterator[float]:
    """All single numbers that a result knows, and its curves' values at the reader's place."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float | np.number):
        yield float(value)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from scalars(one)
    elif isinstance(value, dict):
        yield from scalars(list(value.values()))
    elif is_dataclass(value):
        if isinstance(value, Chart) and not math.isnan(value.here):
            for curve in value.curves:
                if curve.x.size:
                    at = int(np.abs(curve.x - value.here).argmin())
                    yield from (float(part[at]) for part in (curve.y, *curve.interval))
        for entry in fields(value):
            if not isinstance(value, Curve):
                yield from scalars(getattr(value, entry.name))


def ends(result: Result) -> Iterator[tuple[Evidence, float, float]]:
    """What the headline's curves are, and their two ends at the reader's place."""
    for chart in parts_of(result, Chart):
        for curve in chart.curves:
            if curve.key in chart.in_headline and curve.x.size and not math.isnan(chart.here):
                at = int(np.abs(curve.x - chart.here).argmin())
                low, high = (float(end[at]) for end in curve.interval)
                yield curve.evidence, low, high


def written(number: float, value: float) -> bool:
    return math.isfinite(value) and abs(number - value) <= AS_WRITTEN * abs(value)


def wrong(headline: str, result: Result) -> list[str]:
    """What a headline says of the wrong end."""
    found, known = [], [v for v in scalars(result) if math.isfinite(v)]
    for match in NEED.finditer(headline):
        number = read(match)
        for kind, low, high in ends(result):
            two = kind is Evidence.CERTIFIED and high > low * (1 + 2 * AS_WRITTEN)
            upper = kind is Evidence.UPPER or (two and not written(number, low))
            if upper and written(number, high):
                found.append(f"needs an upper end: {match[0]}")
    for match in ENOUGH.finditer(headline):
        for kind, low, high in ends(result):
            lower = kind is Evidence.LOWER or high > low * (1 + 2 * AS_WRITTEN)
            if lower and written(read(match), low) and not written(read(match), high):
                found.append(f"a lower end is enough: {match[0]}")
    for pattern, sign in ((AT_MOST, 1), (AT_LEAST, -1)):
        for match in pattern.finditer(headline):
            number = read(match)
            near = [v for v in known for v in (v, v / 100) if written(number, v)]
            if near and all(sign * (v - number) > 1e-9 * abs(v) for v in near):
                found.append(f"rounded to the wrong side: {match[0]}")
    return found + [f"not quite {match[0]}" for match in WHOLE.finditer(headline)]


def states(slug: str, key: str) -> Iterator[dict[str, Value]]:
    """The usual state, one with all ranges at an end, at night the presets, too."""
    declared, usual = page(slug), page(slug).usual(key)
    view = declared.open_view(usual)
    yield usual
    turn = [one.key for one in declared.views].index(key) % 2
    for end in ("minimum", "maximum") if in_nightly() else (("minimum", "maximum")[turn],):
        yield usual | {
            p.key: p.read(p.write(getattr(p.limit, end)), 0)[0]
            for p in declared.parameters
            if isinstance(p, Number) and p.key in view.parameters
        }
    for preset in declared.presets if in_nightly() else ():
        if (values := declared.preset_values(preset))["view"] == key:
            yield values


def seen(slug: str, key: str) -> Iterator[tuple[View, Result]]:
    for values in states(slug, key):
        try:
            scene = Scene.settled(page(slug), values)
            yield scene.view, begun(page(slug), scene.view, scene.values)
        except ParameterError:
            continue  # the ends of two ranges may contradict each other


@pytest.mark.parametrize(
    ("slug", "key"), [(slug, view.key) for slug in SLUGS for view in page(slug).views]
)
def test_verbs_match_the_ends_of_what_they_tell_and_every_none_has_its_class(slug, key):
    for view, result in seen(slug, key):
        headline = view.takeaway(result)
        said = WHOLE.sub("all", headline) if f"{slug}/{key}" in IS_WHOLE else headline
        assert not wrong(said, result), headline
        texts = [headline, view.exactly(result), *result.curve_labels.values()]
        assert not [text for text in texts if classless(text)]


def classless(text: str) -> list[str]:
    """The sentences that say none or best of noise and name no class."""
    sentences = re.split(r"(?<=[.;:])\s+", " ".join(text.split()))
    none = [one for one in sentences if NOBODY.search(one) and not CLASS.search(one)]
    return none + [one for one in sentences if KNOWN.search(one)]


@pytest.mark.parametrize("file", TEXTS)
def test_documents_name_the_class_of_every_none(file):
    assert not classless((ROOT / file).read_text("utf-8"))


@pytest.mark.parametrize(
    "name", ["noise_converse", "one_pair_converse", "two_cuts_converse", "score_converse"]
)
def test_a_converse_says_first_that_noise_is_independent(name):
    module = __import__(f"{dpviz.maths.__name__}.{name}", fromlist=[name])
    assert "independent" in module.__doc__.partition("\n")[0]


@pytest.mark.parametrize(
    "text",
    ["No bounded noise below", "Tuned noise is the best bounded noise known.", "None below, so."],
)
def test_what_has_no_class_is_found(text):
    assert classless(text)


def test_a_wrong_end_is_found():
    x = np.array([1.0, 2.0])
    evidence = (Evidence.CERTIFIED, Evidence.UPPER)
    curves = [
        Curve(k.value, "", None, k, None, x, np.array([395.0, 395.0]), np.array([75.0, 75.0]))
        for k in evidence
    ]
    for curve in curves:
        chart = Chart(x=None, y=None, curves=(curve,), here=1.0, in_headline=(curve.key,))
        assert wrong("Alone it takes 395 users.", chart)
        assert wrong("So 75 users are enough.", chart)
        assert not wrong("So 395 users are enough.", chart)
        assert not wrong("It takes between 75 and 395.", chart)
        assert wrong("At most 394 are needed, at least 76.".replace("At most", "at most"), chart)
        assert wrong("It is right in 100% of runs.", chart)
