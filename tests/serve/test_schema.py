"""What the figure route answers is what its schema says."""

import json
import re

import pytest
from jsonschema import Draft202012Validator, ValidationError

from dpviz.results.folders import ASSETS
from dpviz.serve import lines
from dpviz.serve.lines import LOOKS, Look, adapted
from tests.support.declarations import SLUGS, first, opened, page

SCHEMA = json.loads((ASSETS / "schemas" / "figure.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
LINE = SCHEMA["$defs"]["figure"]
_RAISED = re.compile(r"<sup>.*?</sup>|<[^>]*>")  # exponents, and what only a glossary says
_INK = re.compile(r"#[0-9a-f]{6}|\d(?:nan|inf)\b")
LOW = 300  # pixels that the lowest projector or window leaves for a figure


def read(answer):
    """The words that a reader sees of an answer: around the figure, on it, and at its axes."""
    layout, traces = answer["spec"]["layout"], answer["spec"]["data"]
    axes = [axis for name, axis in layout.items() if name[1:5] == "axis"]
    return [
        *(answer[part] for part in ("takeaway", "exact", "legend")),
        *answer["notes"],
        *(note["text"] for note in layout.get("annotations", ())),
        *(axis.get("title", {}).get("text") or "" for axis in axes),
        *(trace.get("name") or "" for trace in traces),
    ]


@pytest.mark.parametrize("slug", SLUGS)
def test_every_view_s_first_answer_is_one_and_a_low_projector_shows_more_than_its_legend(slug):
    declared = page(slug)
    for view in declared.views:
        scene, result = opened(declared, view.key), first(declared, view.key)
        for look in (Look(), Look(narrow=True, ask=True), Look(room=LOW), Look(low=LOW)):
            line = lines.line(adapted(scene, look), result, look, whole=False)
            answer = json.loads(line)
            VALIDATOR.validate(answer)
            assert set(answer) - {"linked"} == {*LINE["required"], "schema", "spec"}
            assert set(answer) <= {*LINE["properties"], "schema"}  # all of it is described
            words = [_RAISED.sub("", text) for text in read(answer)]
            assert not [text for text in words if "^" in text], view.key
            if look.room or look.low:
                layout = answer["spec"]["layout"]
                margins = layout["margin"]["t"] + layout["margin"]["b"]
                assert layout["height"] <= LOW
                assert layout["height"] - margins >= LOW / 4, view.key


@pytest.mark.parametrize("slug", SLUGS)
def test_every_view_s_first_answer_is_drawn_as_well_in_inks_of_the_page(slug):
    declared = page(slug)
    for view in declared.views:
        result = first(declared, view.key)
        for look in (Look(width=960, labels="few"), Look(width=360, narrow=True)):
            made = lines.line(view, result, look, whole=False)
            answer = json.loads(made)
            VALIDATOR.validate(answer)
            assert not _INK.findall(answer["svg"]), view.key
            still = json.loads(lines.line(view, result, look, whole=False, moving=True))
            assert still | {"readings": answer["readings"]} == answer
            for curve in answer["readings"]:
                assert len(curve["places"]) == len(curve["said"]), view.key
                assert set(curve["axes"]) <= set(answer["scales"])


@pytest.mark.parametrize("slug", SLUGS[1:])  # nobody presents the home page
def test_every_figure_is_as_high_as_a_projector_lets_it_be(slug):
    look = Look(room=450)
    for view in page(slug).views:
        scene, result = opened(page(slug), view.key), first(page(slug), view.key)
        answer = json.loads(lines.line(adapted(scene, look), result, look, whole=False))
        assert answer["spec"]["layout"]["height"] == look.room, view.key


def test_other_lines_are_described_too():
    for line in (lines.problem("No.", grave=False), lines.waiting(2)):
        VALIDATOR.validate(json.loads(line))


def test_the_schema_itself_is_sound_and_notices():
    Draft202012Validator.check_schema(SCHEMA)
    good = json.loads(lines.problem("No.", grave=False))
    for bad in (good | {"schema": 3}, good | {"whole": 1}, {"schema": 1}, {}):
        with pytest.raises(ValidationError):
            VALIDATOR.validate(bad)


def test_the_docs_name_the_schema_and_what_an_address_may_say_of_looks():
    numbers = (ASSETS.parent / "docs" / "numbers.md").read_text(encoding="utf-8")
    part = numbers.partition("**Figures** come from")[2].partition("\n\n")[0]
    assert "assets/schemas/figure.json" in part
    assert {look for look in LOOKS if f"`{look}=" in part} == {
        *("theme", "narrow", "room", "ask", "across")
    }
