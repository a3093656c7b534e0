"""Where a result is drawn, and what is said while it is computed."""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from dpviz.plot.legend import legend_html
from dpviz.plot.steady import ranges
from dpviz.plot.theme import Theme
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Value
from dpviz.scene.page import Page, Result, View
from dpviz.ui.computing import Computation, Ticket

_CALM = "This figure could not be computed. The parameters above still work; try other values."
_SO_FAR = "This is what a short computation gives{so_far}. The code below computes all of it."
_TOUCH, _PAUSE = 0.05, 0.15  # seconds between looks for a click, and between figures at least

_log = logging.getLogger(__name__)


class Canvas:
    """The places of takeaway, figure and legend, and how a result gets there."""

    def __init__(self, page: Page, view: View, values: Mapping[str, Value], theme: Theme) -> None:
        self._page, self._view, self._values, self._theme = page, view, values, theme
        self._takeaway, self._figure, self._legend = (
            st.container(key=key) for key in ("takeaway", "figure", "legend")
        )
        self._shown: Result | None = None
        self._count, self._next = 0, 0.0

    def draw_all(self, results: Iterable[Result]) -> Result | None:
        """Draw results that replace each other, and surely the last of them; return that one."""
        result = None
        for result in results:
            self.draw_in_time(result)
        if result is not None:
            self.draw(result)
        return result

    def draw_in_time(self, result: Result) -> None:
        """Draw a result, unless more time would go into drawing than into computing."""
        if time.monotonic() >= self._next:
            self.draw(result)

    def draw(self, result: Result) -> None:
        """Draw a result in place of the one before."""
        if result is self._shown:
            return
        begin = time.monotonic()
        sentence = self._view.takeaway(result)
        self._takeaway = self._takeaway.markdown(sentence)
        drawn = self._view.figure(result, self._theme)
        if self._theme.room and drawn.layout["height"] > self._theme.room:
            drawn.update_layout(height=self._theme.room)  # a projector shows no second screen
        st.session_state["axes"] = ranges(drawn)
        # Streamlit refuses to draw the same twice in one run unless the keys differ.
        self._figure = self._figure.plotly_chart(
            drawn.plain(),
            theme=None,
            config=self._config(),
            alt=sentence,
            key=f"plot-{self._count}",
        )
        if self._theme.compact:
            self._legend = self._legend.html(legend_html(drawn))
        self._shown, self._count = result, self._count + 1
        end = time.monotonic()
        self._next = end + max(_PAUSE, 2 * (end - begin))

    @contextmanager
    def calm(self) -> Iterator[None]:
        """Show words in place of the figure where it cannot be computed; no reader sees more."""
        try:
            yield
        except ParameterError as error:
            self._figure.info(str(error))
        except Exception:
            view, page, values = self._view.key, self._page.slug, dict(self._values)
            _log.exception("view %s of page %s failed at %s", view, page, values)
            self._figure.warning(_CALM)

    def _config(self) -> dict[str, Any]:
        return {
            "displayModeBar": False if self._theme.compact else "hover",
            "modeBarButtons": [["toImage", "resetScale2d"]],
            "toImageButtonOptions": {"format": "svg", "filename": f"dpviz-{self._view.key}"},
        }


def ask_for_all() -> None:
    """Have the run that follows a click compute its view to the end."""
    st.session_state["asked"] = True


def asked_for_all() -> bool:
    """Return, once, whether the reader just asked for that."""
    return bool(st.session_state.pop("asked", False))


def offer(result: Result, *, asked: bool) -> "Progress | None":
    """Tell that the figure is not all there is; return the progress if more was asked for."""
    done = getattr(result, "done", None)
    with st.container(horizontal=True, vertical_alignment="center"):
        if asked:
            st.button("Stop", key="stop")
            return Progress(done)
        st.button("Compute on", key="compute-on", type="primary", on_click=ask_for_all)
        so_far = "" if done is None else f", {done:.0%} of the whole"
        st.caption(_SO_FAR.format(so_far=so_far))
    return None


class Progress:
    """The bar that tells how far a long computation is."""

    def __init__(self, done: float | None) -> None:
        self._bar = st.progress(done or 0.0)

    def follow(self, computation: Computation, canvas: Canvas, ticket: Ticket) -> None:
        """Compute to the end, as the line allows, and draw what there is now and then."""
        told = time.monotonic()
        results = computation.further()
        while True:
            while ahead := ticket.ahead():
                others = "another computation" if ahead == 1 else f"{ahead} other computations"
                self._tell(computation.result, f"Waiting for {others} to end or to pause.")
                time.sleep(2 * _TOUCH)
            result = next(results, None)
            if result is None:
                return
            canvas.draw_in_time(result)
            if time.monotonic() - told > _TOUCH:
                self._tell(result, "Computing.")
                told = time.monotonic()

    def _tell(self, result: Result | None, words: str) -> None:
        # Every word to the browser is also where Streamlit ends a script that has to end.
        done = getattr(result, "done", None)
        self._bar.progress(done or 0.0, words if done is None else f"{words} {done:.0%}")
