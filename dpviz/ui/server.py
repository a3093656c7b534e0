"""Settings of the whole server process: made when the first page is imported, and its guards."""

import os
import sys
from collections.abc import Sequence
from typing import Any

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from threadpoolctl import threadpool_limits

from dpviz.results.user_data import MOST_BYTES
from dpviz.serve.fonts import OurFonts
from dpviz.serve.guard import Guard, policy
from dpviz.serve.local_network import for_others
from dpviz.serve.not_found import Astray
from dpviz.serve.site import Above, Below
from dpviz.serve.uploads import Uploads
from dpviz.ui import fairness, inside, messages

_TURN = 0.001  # seconds a thread computes while another one wants to: answers go out sooner
_MOST_UNREAD = 5 * MOST_BYTES  # of all sessions' files together
_SMALL = 2**24  # bytes of the files that a session may send at once: those that a class handed in


def prepare() -> None:
    """Keep uploaded files in memory, never on disk, and BLAS to one thread.

    An upload of more than 1 MB would be written to a temporary file before the app sees it. The
    matrices here are small: threads that wait for each other made an error curve four times as
    slow, and thirty readers share the processors anyway. Scripts and downloads take fairness.
    """
    threadpool_limits(limits=1, user_api="blas")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # scipy loads one of its own, later
    sys.setswitchinterval(_TURN)
    fairness.prepare()
    MultiPartParser.spool_max_size = 2 * MOST_BYTES


def guards() -> list[Middleware]:
    """Return what is to stand before all routes.

    DPVIZ_FRAME_ANCESTORS says who may embed pages, in place of what is usual here. Streamlit's
    settings of origins hold.
    """
    # Hugging Face shows a Space within a page of its own.
    usual = "'self' https://huggingface.co" if "SPACE_ID" in os.environ else "'self'"
    embedders = os.environ.get("DPVIZ_FRAME_ANCESTORS") or usual
    content = policy(inside.index(), embedders)
    restricted = st.get_option("server.enableCORS")
    origins = tuple(st.get_option("server.corsAllowedOrigins")) if restricted else None
    return [
        Middleware(Guard, content=content, origins=origins, short=messages.short),
        Middleware(Uploads, has_room=_has_room),
        Middleware(OurFonts),
        Middleware(Astray),
    ]


def readers() -> int:
    """Return how many sessions are connected."""
    return inside.connected()


def below_a_path(guards: Sequence[Middleware], routes: Sequence[BaseRoute]) -> list[Middleware]:
    """Return what stands before all routes where these may be below Streamlit's baseUrlPath."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    base = f"/{path}" if path else ""
    return [Middleware(Below, base=base), *guards, Middleware(Above, base=base, routes=routes)]


def _has_room(session: str) -> bool:
    """Say whether there is room for a new file of a session.

    What it has sent before and not read is dropped, unless that is small.
    """
    manager = inside.files()
    own = dict(manager.file_storage.get(session, {}))
    if sum(len(file.data) for file in own.values()) > _SMALL:
        for file in own:
            manager.remove_file(session, file)
    sessions = tuple(manager.file_storage.values())
    unread = sum(len(file.data) for sent in sessions for file in tuple(sent.values()))
    return unread <= _MOST_UNREAD


def address_for_a_class(page: str = "") -> str:
    """Return the address of the open page, without its state, as the devices of a class know it.

    page: what stands for it where no browser says it.
    """
    url = (st.context.url or page).partition("?")[0]
    return for_others(url, int(st.get_option("server.port")))


def forget_upload(file: str) -> None:
    """Drop the bytes of an uploaded file of the running session: it has been read."""
    context = inside.running()
    if context is not None:
        manager: Any = context.uploaded_file_mgr
        manager.remove_file(context.session_id, file)
