"""The frames of a play, as changes to a drawing, draw what each frame is by itself."""

import gzip
import json

import pytest

from dpviz.plot import frames
from dpviz.plot.picture import picture
from dpviz.plot.schemes import inked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import LIGHT
from tests.support.plays import PLAYS, played

WIDTH = 900
MOST = 300_000  # bytes, packed


@pytest.mark.parametrize(("slug", "view"), PLAYS)
def test_changes_lead_to_the_drawing_of_each_frame(slug, view):
    figure = played(slug, view)
    whole = picture(figure.with_exponents(), LIGHT, WIDTH, "live-")
    found = frames.frames(figure, LIGHT, WIDTH, whole)
    assert len(found) == len(figure.frames) > 1
    assert len(gzip.compress(json.dumps(found).encode())) <= MOST
    notes = {}
    for number, (frame, changes) in enumerate(zip(figure.frames, found, strict=True)):
        notes |= frame.get("layout", {})
        if number % 5 and number < len(found) - 1:
            continue  # each takes a drawing
        data = list(figure.data)
        for at, now in zip(frame["traces"], frame["data"], strict=True):
            data[at] = data[at] | now
        alone = Figure(data).update_layout(**{**figure.layout, **notes}).with_exponents()
        parts = [inked(part) for part in whole.parts]
        for start, end, markup in changes[::-1]:
            parts[start:end] = [markup]
        assert "".join(parts) == inked("".join(picture(alone, LIGHT, WIDTH, "live-").parts))
