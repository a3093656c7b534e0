"""Pictures by vl-convert, in a process that ends."""

import os
import pickle
import struct
import subprocess
import unicodedata
from types import SimpleNamespace

import pytest
from PIL import ImageFont

from dpviz.plot import converter
from dpviz.results.folders import ASSETS, ROOT

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"></svg>'


def test_a_function_is_called_in_another_process():
    assert converter.apart(os.getpid) != os.getpid()


def test_a_picture_that_cannot_be_read_ends_the_other_process_only(capfd):
    with pytest.raises(subprocess.CalledProcessError):
        converter.apart(converter.png, "this is no picture", 1)
    assert "Error" in capfd.readouterr().err


def test_two_processes_at_a_time_and_no_more_whoever_asks(monkeypatch):
    """Each takes 60 MB and more: readers who ask together for files would take all there is."""
    free = []

    def run(*_, **__):
        while converter._PLACES.acquire(blocking=False):
            free.append("place")
        converter._PLACES.release(len(free))
        return SimpleNamespace(stdout=pickle.dumps(1))

    monkeypatch.setattr(converter, "subprocess", SimpleNamespace(run=run, PIPE=None))
    assert converter.apart(os.getpid) == 1
    assert free == ["place"]


def test_a_png_has_its_size():
    made = converter.apart(converter.png, SQUARE, 1.5)
    assert struct.unpack(">II", made[16:24]) == (60, 45)


def test_a_picture_is_written_in_our_font_on_any_machine():
    """A line with superscripts was written in whatever font of the machine has them."""
    line = '<text x="10" y="30" font-size="20" font-family="{}">ε = 10⁻⁶</text>'
    wide = SQUARE.replace("40", "200").replace("></svg>", ">{}</svg>")
    ours, none = (
        converter.apart(converter.png, wide.format(line.format(name)), 1)
        for name in ("dpviz Sans", "no such font")
    )
    assert ours != none


@pytest.mark.parametrize("name", ["picture-regular", "picture-semibold"])
def test_our_font_has_the_accents_of_our_words(name):
    """One accent that a font lacks, as in f̂, and the whole line is drawn in another font."""
    words = {c for path in ROOT.glob("dpviz/topics/**/*.py") for c in path.read_text("utf-8")}
    accents = {c for c in words if unicodedata.combining(c)}
    file = ASSETS / "fonts" / f"{name}.ttf"
    font = ImageFont.truetype(file, 40, layout_engine=ImageFont.Layout.BASIC)
    missing = bytes(font.getmask("\uffff"))
    assert accents
    assert not [c for c in accents if bytes(font.getmask(c)) == missing]
