"""Words of the field, explained where they stand: the glossary's sentences, put into texts.

A word is explained where a text first uses it. It becomes an element that a pointer, a finger or
the keyboard can reach; dpviz/scripts/page.js shows what it means.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from types import MappingProxyType
from urllib.parse import parse_qsl

from dpviz.results.folders import ASSETS
from dpviz.scene.catalogue import entry

FORMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Mechanism": ("mechanism", "mechanisms"),
        "Neighbouring data sets": ("neighbouring", "neighbours"),
        "(ε, δ)-differential privacy": (
            "differential privacy",
            "differentially private",
            "pure privacy",
            "approximate privacy",
            "pure DP",
            "approximate DP",
        ),
        "Privacy loss": ("privacy loss", "privacy losses"),
        "Attacker": ("attacker", "attackers"),
        "False alarm": ("false alarm", "false alarms"),
        "Odds": ("odds",),
        "Trade-off function": ("trade-off function", "trade-off functions"),
        "Gaussian DP": ("Gaussian DP", "Gaussian privacy"),
        "Hockey-stick divergence": ("hockey-stick divergence", "privacy profile", "hockey-stick"),
        "Sensitivity": ("sensitivity", "Δ"),
        "Composition": ("composition", "advanced composition", "basic composition"),
        "Accountant": ("accountant",),
        "Concentrated privacy (zCDP)": ("concentrated privacy", "zCDP"),
        "Group privacy": ("group privacy",),
        "Central, local and shuffle model": (
            "central model",
            "central models",
            "local model",
            "shuffle model",
            "shuffle",
        ),
        "Fisher information": ("Fisher information",),
        "Log-concave": ("log-concave",),
        "Statistical query": (
            "statistical query",
            "statistical-query",
            "statistical queries",
            "statistical-query dimension",
        ),
        "Representation dimension": ("representation dimension",),
        "Exponential mechanism": ("exponential mechanism",),
        "Laplace noise, Gaussian noise, geometric noise, bounded noise": (
            "Laplace noise",
            "Gaussian noise",
            "geometric noise",
            "bounded noise",
        ),
        "Tuned noise": ("tuned noise", "tuned"),
        "Drawn together": ("drawn for all answers together", "drawn for all", "drawn together"),
        "Noise on whole numbers": (
            "noise on whole numbers",
            "discrete Laplace noise",
            "discrete Gaussian noise",
            "discrete Gaussian",
        ),
        "Hard bound": ("hard bound", "hard bounds"),
        "Randomised response": ("randomised response",),
        "Item-level": ("item-level", "item level"),
        "Transformation": ("the transformation",),
        "User-level": ("user-level", "user level"),
        "Local deletion": ("local deletion", "LDDP"),
        "Outlier": ("outlier", "outliers"),
        "DelStab": ("DelStab",),
        "R₁": ("R₁",),
        "⊥": ("⊥",),
        "Stable set": ("stable set",),
        "κ": ("κ", "4κ", "2κ"),
        "Truncated noise, truncated Laplace": ("truncated", "truncated Laplace"),
        "Exact": ("exact", "exactly"),
        "Certified": ("certified", "certificate"),
        "Limit": ("limit as", "limit for many queries"),
        "Asymptotic shape": ("asymptotic", "asymptotic shape", "asymptotic rates"),
        "As published": ("as published",),
        "Simulated": ("simulated", "95% interval", "95% intervals"),
        "Constants dropped": (
            "constants dropped",
            "up to constants",
            "up to hidden constants",
            "up to its hidden constant",
            "hidden constant",
            "hidden constants",
        ),
        "PAC learning": ("PAC", "agnostic"),
        "VC and Littlestone dimension": ("Littlestone dimension", "VC dimension"),
        "Hypothesis": ("hypothesis", "hypotheses"),
        "Excess error": ("excess error", "excess errors"),
        "Parity": ("parity", "parities"),
        "Mistake tree": ("mistake tree", "mistake trees"),
        "Optimal algorithm": ("optimal algorithm", "standard optimal algorithm"),
        "Hypothesis selection": ("hypothesis selection",),
        "Scheffé score": ("Scheffé", "Scheffé score", "Scheffé scores"),
        "Clipping": ("clipping", "clipped"),
        "Gibbs learner": ("Gibbs",),
        "Shared darts (correlated sampling)": ("correlated sampling", "shared darts"),
        "Pseudo-global stability": ("pseudo-globally stable", "pseudo-global stability"),
        "Shared uniform number": ("shared uniform number",),
        "Practical setting": ("practical setting",),  # "practical certainty" is none
        "Own coins": ("coins of their own", "own coins"),
        "Analyser": ("analyser",),
        "Global and list stability": (
            "global stability",
            "globally stable",
            "list stability",
            "list-stable",
        ),
        "Rare points": ("rare points", "rare point"),
        "Hashed": ("hashed",),
        "Perturbed minimiser": ("perturbed minimiser", "perturbed minimisers"),
        "Objective and output perturbation": ("objective perturbation", "output perturbation"),
        "Public points": ("public points", "public point"),
        "Principal components": ("principal components",),
        "RSPM, RRSPM": ("RSPM", "RRSPM"),
        "Smooth data": ("smooth",),
        "Generalization": ("perfect generalization",),
        "(ε′, δ′)-close": ("(ε′, δ′)-close",),
        "Fresh samples": ("fresh samples", "fresh sample", "fresh data sets"),
        "Adaptive analysis": ("adaptive",),
        "Total variation distance (TV)": ("total variation distance", "total variation"),
        "Oracle, optimiser": ("oracle", "optimiser"),
    }
)
"""The entries of the glossary that texts explain, and the forms in which words stand there."""

_SEEN = ASSETS / "glossary.toml"

_SIGN = 2  # characters, at most: R₁ is a sign, a word is longer

# What is left as it is: formulas, code, links, elements.
_KEPT = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\[[^\]]*\]\([^)]*\)|<[^>]*>|^#[^\n]*", re.S | re.M
)


@cache
def sections() -> Mapping[str, Mapping[str, str]]:
    """Return the entries under their headings, each as the Markdown of its paragraph."""
    return MappingProxyType(
        {
            heading: MappingProxyType(
                {
                    " ".join(match[1].split()): paragraph
                    for paragraph in text.split("\n\n")
                    if (match := re.match(r"\*\*(.+?)\*\*", paragraph, re.S))
                }
            )
            for heading, text in entry("glossary").sections()
        }
    )


@cache
def entries() -> Mapping[str, str]:
    """Return what the glossary says of each entry, as plain text."""
    paragraphs = (pair for section in sections().values() for pair in section.items())
    return MappingProxyType({head: _plain(paragraph) for head, paragraph in paragraphs})


@cache
def seen() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Return where entries are seen: a page, and the query that opens the view there."""
    addresses = tomllib.loads(_SEEN.read_text(encoding="utf-8"))
    parted = {head: address.partition("?") for head, address in addresses.items()}
    return MappingProxyType(
        {head: (slug, dict(parse_qsl(q))) for head, (slug, _, q) in parted.items()}
    )


def _plain(paragraph: str) -> str:
    words = " ".join(paragraph.split()).replace(r"$e^\varepsilon$", "e^ε")
    return re.sub(r"\*+", "", words)


@cache
def _words() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return the pattern of all words, longer ones first, and the entry of each."""
    heads = {form.casefold(): head for head, forms in FORMS.items() for form in forms}
    longest = sorted((form for forms in FORMS.values() for form in forms), key=len, reverse=True)
    # By first letters: else each word of a text is compared with all of these.
    begun: dict[str, list[str]] = {}
    for form in longest:
        for letter in {form[0].lower(), form[0].upper()}:
            begun.setdefault(letter, []).append(form)
    forms = "|".join(
        f"{re.escape(letter)}(?:{'|'.join(_pattern(form, letter) for form in some)})"
        for letter, some in begun.items()
    )
    return re.compile(rf"(?<![\w-])(?:{forms})(?![\w-])"), heads


def _pattern(form: str, letter: str) -> str:
    """Return the pattern of what follows a word's first letter, if that is this one.

    Of a sign a capital one is another: Δ is no δ.
    """
    rest = re.escape(form[1:]).replace(r"\ ", r"\s+")
    if len(form) > _SIGN:
        return f"(?i:{rest})"
    return rest if form[0] == letter else "(?!)"


def _head(match: re.Match[str]) -> str:
    """Return the entry of a word as it stands in a text, perhaps in two lines."""
    return _words()[1][" ".join(match[0].split()).casefold()]


def explained(text: str, seen: set[str] | None = None) -> str:
    """Return Markdown or HTML in which words of the glossary are explained where they first stand.

    seen: entries explained before, to which those of this text are added.
    """
    already: set[str] = set() if seen is None else seen
    parts, end = [], 0
    for kept in _KEPT.finditer(text):
        parts += [_explained(text[end : kept.start()], already), kept[0]]
        end = kept.end()
    return "".join([*parts, _explained(text[end:], already)])


def _explained(text: str, seen: set[str]) -> str:
    pattern, _ = _words()

    def put(match: re.Match[str]) -> str:
        head = _head(match)
        if head in seen:
            return match[0]
        seen.add(head)
        return element(match[0], entries()[head])

    return pattern.sub(put, text)


def element(word: str, meaning: str) -> str:
    """Return a word with its meaning, as HTML."""
    return (
        f'<span class="term" tabindex="0" role="button" aria-description="{escape(meaning)}">'
        f"{word}</span>"
    )


def pieces(text: str) -> list[tuple[str, str]]:
    """Return a plain text in pieces, each with its meaning or ""."""
    pattern, _ = _words()
    parts, end = [], 0
    seen: set[str] = set()
    for match in pattern.finditer(text):
        head = _head(match)
        if head not in seen:
            seen.add(head)
            parts += [(text[end : match.start()], ""), (match[0], entries()[head])]
            end = match.end()
    return [piece for piece in (*parts, (text[end:], "")) if piece[0]]


def meanings(label: str, options: Iterable[str] = ()) -> str | None:
    """Return what the words of a control mean, a paragraph each; None if it has none.

    options: of a choice, of which each is also read together with the label: "Central model".
    """
    texts = [label, *(text for option in options for text in (option, f"{option} {label}"))]
    found = dict.fromkeys(meaning for text in texts for _, meaning in pieces(text) if meaning)
    return "\n\n".join(found) or None


def all_explained(texts: Iterable[str]) -> list[str]:
    """Return several texts in which each word is explained once."""
    seen: set[str] = set()
    return [explained(text, seen) for text in texts]
