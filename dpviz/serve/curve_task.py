"""Curves that are answers to exercises: the axes to draw over, and how far off a drawn one is."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.text import readable
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import FloatArray
from dpviz.scene.exercise import CurveAnswer
from dpviz.scene.view import View
from dpviz.topics.classroom.sketches import COLUMNS, STEPS, Plane, heights_at, is_sketch
from dpviz.topics.classroom.sketches_shown import plane_of

_ROUNDING = 1 / STEPS


@dataclass(frozen=True)
class CurveTask:
    """What is to be drawn over a figure's empty axes.

    curve: the answer as declared. line: x and y of the right one, as parts of the axes.
    """

    curve: CurveAnswer
    plane: Plane
    line: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, curve: CurveAnswer, view: View, result: Any) -> "CurveTask":
        """Return the drawing that an exercise asks for, at the result of its link."""
        chart = result.drawn_chart
        plane = plane_of(chart, view.figure(result, LIGHT))
        right = chart.curve(curve.key)
        finite = np.isfinite(right.x) & np.isfinite(right.y)
        line = plane.x.parts(right.x[finite]), plane.y.parts(right.y[finite])
        return cls(curve, plane, line)

    @property
    def marks(self) -> FloatArray:
        """Where on the x axis a drawn curve is compared, as parts of it."""
        return self.plane.x.parts(np.array(self.curve.at, dtype=float))

    @property
    def right(self) -> FloatArray:
        """How high the right curve is there, as parts of the y axis."""
        return np.interp(self.marks, *self.line)

    @property
    def allowance(self) -> str:
        """Say how far off a drawn curve may be."""
        side, part = self.plane.y, self.curve.tolerance
        wide = part * (side.high - side.low)
        if side.log:
            return f"within a factor of {readable(10**wide, 2)} of the exact curve"
        return f"within {readable(wide, 2)} of the exact curve"

    def as_data(self, *, exact: bool) -> dict[str, Any]:
        """Tell a browser what to draw over; exact: the right curve as well."""
        names = [f"{self.curve.symbol} = {readable(at)}" for at in self.curve.at]
        line = np.clip(np.column_stack(self.line), 0, 1).tolist() if exact else None
        return {
            "axes": asdict(self.plane),
            "columns": COLUMNS,
            "steps": STEPS,
            "marks": [[part, name] for part, name in zip(self.marks.tolist(), names, strict=True)],
            "exact": line,
        }

    def in_words(self, heights: FloatArray) -> str:
        """Return how high a curve is where it is compared: "n = 10: 0.022; n = 100: 0.07"."""
        values = self.plane.y.values(heights)
        return "; ".join(
            f"{self.curve.symbol} = {readable(at)}: "
            f"{readable(float(y), 2) if np.isfinite(y) else 'nothing'}"
            for at, y in zip(self.curve.at, values, strict=True)
        )

    def drawn(self, text: str) -> str:
        """Return a drawn curve in words, "" for what is none."""
        return self.in_words(heights_at(text, self.marks)) if is_sketch(text) else ""

    def checked(self, text: str) -> tuple[bool | None, str]:
        """Return whether a drawn curve is right, None for none or half of one, and what is said."""
        if not is_sketch(text):
            return None, "Draw the curve first."
        heights = heights_at(text, self.marks)
        if missing := self._named(np.isnan(heights)):
            return None, f"Nothing is drawn {missing}."
        off = heights - self.right
        slack = self.curve.tolerance + _ROUNDING
        high, low = self._named(off > slack), self._named(off < -slack)
        if not high and not low:
            return True, f"It is {self.allowance} at all {len(self.curve.at)} places."
        parts = [f"too {way} {where}" for way, where in (("high", high), ("low", low)) if where]
        fine = len(self.curve.at) - int(np.sum(np.abs(off) > slack))
        rest = f" The other {fine} places are right." if fine > 1 else ""
        rest = " The other place is right." if fine == 1 else rest
        return False, f"It is {', and '.join(parts)}.{rest}"

    def _named(self, there: NDArray[np.bool_]) -> str:
        """Return some of the places in words, "" for none of them."""
        *others, last = [readable(at) for at in np.array(self.curve.at)[there]] or [""]
        places = f"{', '.join(others)} and {last}" if others else last
        return f"at {self.curve.symbol} = {places}" if places else ""
