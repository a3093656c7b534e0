"""Figures as plotly's own objects, which check every part of a spec."""

import base64
import functools
from types import ModuleType

import numpy as np
import plotly.graph_objects as go

from dpviz.plot.spec import Figure


def checked(figure):
    """A figure as plotly's own; ValueError if plotly does not know a part of it."""
    return go.Figure(data=figure.data, layout=figure.layout, frames=figure.frames)


class Checked:
    """A function, or a module of functions, whose figures come `checked`."""

    def __init__(self, drawing):
        self._drawing = drawing
        if not isinstance(drawing, ModuleType):
            functools.update_wrapper(self, drawing)

    def __getattr__(self, name):
        part = getattr(self._drawing, name)
        return Checked(part) if callable(part) else part

    def __call__(self, *positional, **keywords):
        result = self._drawing(*positional, **keywords)
        return checked(result) if isinstance(result, Figure) else result


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
