"""What is said about δ: slack of sets of answers, no probability of a failure."""

import re
from pathlib import Path

import pytest
from scipy.special import ndtr

from dpviz.maths import gaussian

ROOT = Path(__file__).parents[2]
FALSE = (
    r"δ is a probability with which",
    r"probability (with which )?the (privacy loss )?(bound|promise)( by ε)? may fail",
    r"probability that the (privacy loss bound|promise) may fail",
    r"probability with which close output laws",
    r"probability that is allowed to escape",
    r"failure probability δ",
    r"gives every answer with nearly the same probability",
    r"up to a probability of δ",
    r"with probability δ it may give you away",
    r"that is δ",
    # ε with a δ beside it bounds no privacy loss
    r"(differ by|within|promises) a privacy loss of",
    r"privacy loss ε′? (that|when)",
    r"privacy loss between the two outputs",
    r"next to nothing is learned",
    r"the one that errs least for this",
    r"no single user can make the algorithm refuse",
)


def written():
    """Yield every text that a reader may meet, strings over several lines put together."""
    files = [*ROOT.glob("*.md")]
    for folder, kinds in (("assets", ("md", "json", "toml")), ("dpviz", ("py", "js", "html"))):
        files += [path for kind in kinds for path in (ROOT / folder).rglob(f"*.{kind}")]
    for path in [*files, *(ROOT / "pages").glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        yield path, re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*f?"', "", text))


@pytest.mark.parametrize("phrase", FALSE)
def test_what_is_false_of_delta_is_said_nowhere(phrase):
    found = [str(path) for path, text in written() if re.search(phrase, text, re.IGNORECASE)]
    assert not found


def test_the_prose_names_the_right_numbers():
    """A loss above ε is more probable than δ; a record behind random bits comes every time."""
    prose = (ROOT / "assets" / "prose" / "promise.md").read_text(encoding="utf-8")
    mu = float(gaussian.largest_mu(1.0, 1e-6))
    assert ndtr(-(1 - mu**2 / 2) / mu) == pytest.approx(2.01e-5, rel=2e-3)
    assert "2.01 · 10⁻⁵" in prose
    assert 0.5**20 < 1e-6
    assert "twenty random bits" in prose
