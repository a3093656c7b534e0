"""Figures as plotly's own objects, which check every part of a spec."""

import base64
import functools
from types import ModuleType

import numpy as np
import plotly.graph_objects as go

from dpviz.plot.spec import Figure
from tests.support.examples import in_nightly


def checked(figure):
    """A figure as plotly's own; ValueError if plotly does not know a part of it."""
    return go.Figure(data=figure.data, layout=figure.layout, frames=list(figure.frames))


class Checked:
    """A function, or a module of functions, whose figures come as plotly's own objects.

    Checked part by part at night alone, which takes ten times as long as to read them: by
    default tests/plot/test_spec.py checks those of every view.
    """

    def __init__(self, drawing):
        self._drawing = drawing
        if not isinstance(drawing, ModuleType):
            functools.update_wrapper(self, drawing)

    def __getattr__(self, name):
        part = getattr(self._drawing, name)
        return Checked(part) if callable(part) else part

    def __call__(self, *positional, **keywords):
        result = self._drawing(*positional, **keywords)
        if not isinstance(result, Figure):
            return result
        if in_nightly():
            return checked(result)
        parts = {"data": result.data, "layout": result.layout, "frames": list(result.frames)}
        return go.Figure(**listed(parts), _validate=False)


def listed(part):
    """What is in dictionaries and sequences, these as lists: plotly's reading expects no others."""
    if isinstance(part, dict):
        return {key: listed(value) for key, value in part.items()}
    return [listed(value) for value in part] if isinstance(part, list | tuple) else part


def decoded(spec):
    """What JSON says, its typed arrays as numpy's."""
    if isinstance(spec, list):
        return [decoded(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    if "bdata" not in spec:
        return {key: decoded(part) for key, part in spec.items()}
    shape = [int(size) for size in spec["shape"].split(",")] if "shape" in spec else -1
    values = np.frombuffer(base64.b64decode(spec["bdata"]), np.dtype(spec["dtype"]))
    return values.reshape(shape)
