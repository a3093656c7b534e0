"""Accuracies on the bundled sets that are computed beforehand, for the settings a page opens with.

``python -m benchmarks.public_data --write`` computes them by the same functions and stores them in
`assets/data/real_accuracies.json`: how many test rows were labelled correctly, over all draws of
the noise. A test computes some of them again.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.folders import ASSETS

FILE = ASSETS / "data" / "real_accuracies.json"


@dataclass(frozen=True)
class Setting:
    """What accuracies depend on besides the data: shares, knob, noise, and chance (its base)."""

    public_share: float
    components: float
    delta: float
    knob: str
    averages: int
    base: int
    epsilons: tuple[float, ...]


@dataclass(frozen=True)
class Beforehand:
    """The accuracies on a set, split by split.

    cases: how many cases a split tests: a case is a test row in one draw of the noise, so that so
    many times a share is a whole number. right: by learner the shares that are right, (strengths,
    ε) for each split.
    """

    cases: list[int]
    right: dict[str, list[FloatArray]]


@cache
def _stored() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def accuracies(data_set: str, setting: Setting, runs: int) -> dict[str, list[FloatArray]] | None:
    """Return by learner the accuracies of so many splits, (strengths, ε) each; None if unknown."""
    stored = _stored()
    if stored["setting"] != json.loads(json.dumps(asdict(setting))):
        return None
    one_set = stored["sets"].get(data_set)
    if one_set is None or runs > len(one_set["cases"]):
        return None
    cases = one_set["cases"][:runs]
    return {
        name: [np.array(right) / many for right, many in zip(splits, cases, strict=False)]
        for name, splits in one_set["right"].items()
    }


def write(setting: Setting, sets: Mapping[str, Beforehand]) -> None:
    """Store the accuracies on sets, by their names, as whole numbers of cases."""
    found = {
        name: {
            "cases": one.cases,
            "right": {
                learner: [
                    np.rint(share * many).astype(int).tolist()
                    for share, many in zip(shares, one.cases, strict=True)
                ]
                for learner, shares in one.right.items()
            },
        }
        for name, one in sets.items()
    }
    text = json.dumps({"setting": asdict(setting), "sets": found}, separators=(",", ":"))
    FILE.write_text(f"{text}\n", encoding="utf-8")
