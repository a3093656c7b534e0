"""What an address of a figure asks for, and who asks: the scene, its looks, how far to compute."""

from dataclasses import dataclass

from starlette.datastructures import QueryParams
from starlette.requests import Request

from dpviz.plot.partial_chart import drawn_by_now
from dpviz.results.evidence import Chart
from dpviz.scene.codec import decode_link
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.serve.clients import TOKEN, Client, is_vouched, network_id
from dpviz.serve.computing import Computation
from dpviz.serve.grants import Grant, recognised
from dpviz.serve.jobs import Wish
from dpviz.serve.lines import LOOKS, Look, charts_before
from dpviz.serve.links import fields

_FORMERLY = "since"  # what `previous` was called
ASIDE = ("moving", "whole", "idle", "v", "n", "previous", _FORMERLY)
"""What an address says beside parameters and looks."""


@dataclass(frozen=True)
class FigureRequest:
    """What an address asks for, and who asks.

    previous: the scene whose figure the reader has seen last, if this one follows it. answers: in
    its rounds, a letter each, where no session keeps them.
    """

    scene: Scene
    notes: tuple[str, ...]
    look: Look
    moving: bool
    idle: bool
    grant: Grant | None
    client: Client
    previous: Scene | None = None
    answers: str = ""

    @classmethod
    def read(cls, http: Request, page: Page, key: str) -> "FigureRequest":
        """Read an address as the page reads its own; key: that of the view, or a former one."""
        query = http.query_params
        aside = (*LOOKS, *ASIDE, "view", "said")
        given = {name: texts for name, texts in fields(query).items() if name not in aside}
        if len(page.views) > 1:
            given["view"] = [key]
        values, notes = decode_link(given, page.url_parameters)
        view = page.open_view(values)
        look = Look.read(query)
        grant, network = recognised(http.headers.get(TOKEN, "")), network_id(http)
        if grant is not None:
            grant.network_id = network
        token = http.headers.get(TOKEN, "")
        client = Client(network, token if is_vouched(token, network) else "")
        if grant is not None:
            client = grant.client
        moving, idle = (query.get(word) == "1" for word in ("moving", "idle"))
        previous = None
        if (changed := query.get("previous", query.get(_FORMERLY))) is not None:
            before = given | fields(QueryParams(changed))
            previous = Scene(page, view, decode_link(before, page.url_parameters)[0])
        answers = view.rounds.read(query.get("said", "")) if view.rounds and grant is None else ""
        scene = Scene(page, view, values)
        return cls(scene, notes, look, moving, idle, grant, client, previous, answers)

    @property
    def wish(self) -> Wish:
        """How far the computation is to go, if nobody asked for all of it."""
        return Wish.SOON if self.moving else Wish.IDLE if self.idle else Wish.LINK

    @property
    def address(self) -> tuple[object, ...]:
        """All that the answer depends on, for everybody."""
        scene = self.scene
        return (scene.page.slug, scene.view.key, *scene.query.items(), self.notes, self.look)

    @property
    def is_usual(self) -> bool:
        """Whether the figure is one that everybody gets of a link, at rest."""
        return not self.moving and not self.look.guess and self.scene.is_common

    def computation(self) -> Computation:
        """Return the computation that answers, as far as the session has it."""
        return self._of(self.scene)

    def previous_charts(self) -> tuple[Chart, ...]:
        """Return the charts that the reader has seen last, if they are still known here.

        Of charts in part, the curves that are told by then.
        """
        if self.previous is None:
            return ()
        computation = self._of(self.previous)
        whole = computation.whole  # asked first: what is finer may come in between
        charts = charts_before(computation.result, self.look)
        return charts if whole else tuple(map(drawn_by_now, charts))

    def _of(self, scene: Scene) -> Computation:
        if self.grant is None:
            rounds = scene.view.rounds
            return Computation(
                scene, {rounds.keyword: self.answers} if rounds and self.answers else {}
            )
        return self.grant.resumed(Computation(scene, self.grant.lent(scene)))

    @property
    def refused(self) -> str:
        """Why the reader's own data, which the figure would show, cannot be used, or ""."""
        return "" if self.grant is None or self.scene.upload is None else self.grant.refused
