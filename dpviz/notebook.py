"""Figures in a notebook: what a link or a view shows, live, with its table and its sources."""

from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from dpviz.plot.captioned import Caption, captioned
from dpviz.plot.printed import LEAST_INCHES, MOST_INCHES, ONE_COLUMN, Sheet
from dpviz.plot.spec import Figure
from dpviz.plot.standalone import figure_html
from dpviz.plot.theme import LIGHT
from dpviz.results.data_frame import data_frame
from dpviz.results.evidence import Result
from dpviz.results.parameters import ParameterError
from dpviz.results.version import VERSION
from dpviz.scene.catalogue import entry
from dpviz.scene.scene import Scene
from dpviz.serve import files
from dpviz.serve.alone import lively
from dpviz.serve.computing import Progress
from dpviz.serve.link_results import LinkError, computed, opened


def figure(link: str, **parameters: Any) -> "NotebookFigure":
    """Return what a link or a view shows, to be shown in a notebook.

    link: of any copy of the app, or the part after the site's name. Parameters stand in the link or
    beside it, as in `figure("bounded_noise", view="noise", epsilon=0.5)`. Raises `ValueError` for
    what cannot be read, where a page would go on with defaults.
    """
    scene, notes = opened(link, **parameters)
    if notes:
        raise LinkError(" ".join(notes))
    return NotebookFigure(scene, computed(scene))


class NotebookFigure:
    """A figure of dpviz: shown live where Jupyter shows a cell's last value.

    result: what the view computed. sentence: what the figure says.
    """

    def __init__(self, scene: Scene, progress: Progress) -> None:
        self._scene, self._progress = scene, progress

    @property
    def result(self) -> Result:
        """What the view computed."""
        return self._progress.result

    @cached_property
    def sentence(self) -> str:
        """What the figure says, in a sentence."""
        return self._scene.view.headline(self.result)

    @property
    def link(self) -> str:
        """The link of the figure, without the name of a site: it works in any copy of the app."""
        return f"{self._scene.page.slug}?{urlencode(self._scene.query)}"

    def table(self) -> Any:
        """Return the numbers as a data frame of pandas."""
        return data_frame(self.result.columns())

    def bibtex(self) -> str:
        """Return BibTeX of the sources, and of dpviz."""
        return files.contents("bib", self._scene, self._progress, self.link).decode()

    def save(self, file: str | Path, *, width: float | None = None, font: str = "") -> None:
        """Write it to a file: .svg, .png, .pdf, .html, .json, .csv, .py or .bib.

        width, font: for a paper, of a .pdf or .svg: inches, from 1.5 to 20, and a font of this
        machine. Raises `ValueError`.
        """
        kind = next((suffix for suffix in files.KINDS if str(file).endswith(f".{suffix}")), None)
        if kind is None:
            raise ValueError(f"the file must end in one of {', '.join(files.KINDS)}; got {file}")
        sheet = None
        if width is not None or font:
            if kind not in ("svg", "pdf"):
                raise ValueError(f"width and font are for .svg and .pdf; got {file}")
            inches = ONE_COLUMN if width is None else float(width)
            if not LEAST_INCHES <= inches <= MOST_INCHES:
                raise ParameterError(
                    "width", f"from {LEAST_INCHES:g} to {MOST_INCHES:g} inches", width
                )
            sheet = Sheet(inches, font=font)
        content = files.contents(kind, self._scene, self._progress, self.link, sheet=sheet)
        Path(file).write_bytes(content)

    def live(self) -> Any:
        """Return it as a figure of plotly, to work on."""
        import plotly.graph_objects as go  # takes a while

        return go.Figure(self._drawn)

    @cached_property
    def _words(self) -> Caption:
        question = entry(self._scene.page.slug).question
        return files.words(question, self._scene, self._progress, self.link)

    @property
    def _figure(self) -> Figure:
        return self._scene.view.figure(self.result, LIGHT).with_exponents()

    @property
    def _drawn(self) -> dict[str, Any]:
        """The figure as plotly has it, with its words."""
        return captioned(self._figure, self._words, still=False).plain()

    def __repr__(self) -> str:
        origins = "; ".join(
            f"{origin.evidence.value}: {origin.source}" for origin in self.result.origins
        )
        return f"{self.sentence}\n({origins}; dpviz {VERSION}: {self.link})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the figure for the notebook's own plotly, and what does not need that.

        As HTML, SVG and text it needs no network, then or when the notebook is exported.
        """
        picture = files.contents("svg", self._scene, self._progress, self.link).decode()
        still = {"image/svg+xml": picture, "text/plain": repr(self)}
        html = figure_html(self._figure, self._words, lively())
        return {"application/vnd.plotly.v1+json": self._drawn, "text/html": html, **still}
