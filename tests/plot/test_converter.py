"""Pictures by vl-convert, in a process that ends."""

import os
import struct
import subprocess

import pytest

from dpviz.plot import converter

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"></svg>'


def test_a_function_is_called_in_another_process():
    assert converter.apart(os.getpid) != os.getpid()


def test_a_picture_that_cannot_be_read_ends_the_other_process_only(capfd):
    with pytest.raises(subprocess.CalledProcessError):
        converter.apart(converter.png, "this is no picture", 1)
    assert "Error" in capfd.readouterr().err


def test_a_png_has_its_size():
    made = converter.apart(converter.png, SQUARE, 1.5)
    assert struct.unpack(">II", made[16:24]) == (60, 45)
