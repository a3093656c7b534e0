"""Figures in a notebook: what a link or a view shows, live, with its table and its sources."""

from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from dpviz.plot.framed import framed
from dpviz.plot.theme import LIGHT
from dpviz.results.data_frame import data_frame
from dpviz.results.evidence import Result
from dpviz.results.version import VERSION
from dpviz.scene.catalogue import entry
from dpviz.scene.scene import Scene
from dpviz.serve import files
from dpviz.serve.computing import Progress
from dpviz.serve.opening import LinkError, computed, opened


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

    def save(self, file: str | Path) -> None:
        """Write it to a file: .svg, .png, .html, .json, .csv, .py or .bib."""
        kind = next((known for known in files.KINDS if str(file).endswith(f".{known}")), None)
        if kind is None:
            raise ValueError(f"the file must end in one of {', '.join(files.KINDS)}; got {file}")
        content = files.contents(kind, self._scene, self._progress, self.link)
        Path(file).write_bytes(content)

    def __repr__(self) -> str:
        origins = "; ".join(
            f"{origin.evidence.value}: {origin.source}" for origin in self.result.origins
        )
        return f"{self.sentence}\n({origins}; dpviz {VERSION}: {self.link})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the figure for Plotly, as HTML, and in words; what is brushed as a picture."""
        view, words = self._scene.view, {"text/plain": repr(self)}
        if view.linked is not None and view.linked(self.result, LIGHT) is not None:
            picture = files.contents("svg", self._scene, self._progress, self.link)
            return {"image/svg+xml": picture.decode(), **words}
        from plotly.io import to_html

        said = files.words(
            entry(self._scene.page.slug).question, self._scene, self._progress, self.link
        )
        drawn = framed(view.figure(self.result, LIGHT), said, still=False).plain()
        html = to_html(drawn, include_plotlyjs="cdn", full_html=False, validate=False)
        return {"application/vnd.plotly.v1+json": drawn, "text/html": html, **words}
