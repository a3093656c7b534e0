"""What a link gives: the scene it names, and the finest result there is after so many seconds."""

import logging
import time
from collections.abc import Callable

from starlette.datastructures import QueryParams

from dpviz.results.parameters import ParameterError
from dpviz.scene import carrying
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.serve.clients import CLIENT, Client
from dpviz.serve.computing import Computation, Progress
from dpviz.serve.faults import kinds
from dpviz.serve.jobs import BusyError
from dpviz.serve.scheduler import SCHEDULER

_log = logging.getLogger(__name__)


def fields(query: QueryParams) -> dict[str, list[str]]:
    """Return what an address says, by key, in time that grows with its length only."""
    found: dict[str, list[str]] = {}
    for key, value in query.multi_items():
        found.setdefault(key, []).append(value)
    return found


def scene_of(page: Page, query: dict[str, list[str]]) -> Scene:
    """Return the scene of a link; what cannot be read takes its default, as on the page."""
    return opened(page, query)[0]


def opened(page: Page, query: dict[str, list[str]]) -> tuple[Scene, tuple[str, ...]]:
    """Return the scene of a link, and what is to be said of what could not be read of it."""
    state = carrying.opened(page, query)
    scene = Scene.opened(page, state.values)
    return Scene.settled(page, state.values), (*state.notes, *scene.reset)


def finest(
    scene: Scene,
    seconds: float,
    client: Client | None = None,
    gone: Callable[[], bool] = lambda: False,
) -> Progress | None:
    """Return what is known of a scene after so many seconds, None where that is nothing.

    client: at whose account, `CLIENT` unless given. gone: whether nobody waits for it any more.
    """
    end, progress = time.monotonic() + seconds, None

    def alive() -> None:
        if time.monotonic() > end or gone():
            raise TimeoutError

    try:
        for progress in SCHEDULER.results(Computation(scene), alive, client or CLIENT.get()):  # noqa: B007
            alive()
    except (TimeoutError, ParameterError, BusyError):
        pass
    except Exception as fault:
        _log.error("%s failed: %s", scene.name, kinds(fault))
    return progress
