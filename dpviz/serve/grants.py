"""What a session lends to the figures it asks for: its own data, and permission to compute long.

Its own are a file's data, and what its reader has answered, round after round.

A grant lives as long as its session holds it, in the memory of one process. Its token is random;
a request without it gets what everybody gets.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from dpviz.scene.scene import Scene
from dpviz.serve.clients import Client
from dpviz.serve.computing import Computation, ComputationKey


@dataclass(eq=False)
class Grant:
    """One session, as figures know it.

    own: keywords with the reader's own data; refused: why there are none although a file was
    given. answers: a letter each, in the rounds of a scene, by what the scene is about.
    unlimited: the state that a click asked to compute to the end. computation: the last unfinished
    one, which continues when it is asked for again; shown: the last that was drawn in whole, which
    stands in while the next one comes, however much others compute meanwhile. network_id: of where
    its browser last asked.
    """

    own: Mapping[str, object] = field(default_factory=dict)
    refused: str = ""
    answers: dict[tuple[object, ...], str] = field(default_factory=dict)
    unlimited: ComputationKey | None = None
    computation: Computation | None = None
    shown: Computation | None = None
    network_id: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def client(self) -> Client:
        """Who its browser and its script are where turns are shared out."""
        return Client(self.network_id, self.token)

    def lent(self, scene: Scene) -> Mapping[str, object]:
        """Return the keywords that the figure of a scene gets beside its own."""
        lent = dict(self.own) if scene.upload is not None else {}
        if scene.view.rounds is not None and (given := self.answers.get(scene.about)):
            lent[scene.view.rounds.keyword] = given
        return lent

    def resumed(self, fresh: Computation) -> Computation:
        """Return what the session already has of this computation, or the fresh one."""
        if fresh.whole:
            return fresh
        computations = (one for one in (self.computation, self.shown) if one is not None)
        return next((one for one in computations if one.state == fresh.state), fresh)


_GRANTS: WeakValueDictionary[str, Grant] = WeakValueDictionary()


def welcome() -> Grant:
    """Return a new grant, to be kept in its session."""
    grant = Grant()
    _GRANTS[grant.token] = grant
    return grant


def recognised(token: str) -> Grant | None:
    """Return the grant with this token, if its session still lives here."""
    return _GRANTS.get(token)
