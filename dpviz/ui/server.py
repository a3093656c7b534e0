"""Settings of the whole server process: made when the first page is imported, and its guards."""

import os
from pathlib import Path

from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from streamlit import config
from streamlit.file_util import get_static_dir
from threadpoolctl import threadpool_limits

from dpviz.results.user_data import MOST_BYTES
from dpviz.serve.guard import Guard, policy


def prepare() -> None:
    """Keep BLAS to one thread, and uploaded files in memory.

    The matrices here are small: threads that wait for each other made an error curve four times
    as slow, and thirty readers share the processors anyway. An upload of more than 1 MB would be
    written to a temporary file before the app sees it.
    """
    threadpool_limits(limits=1, user_api="blas")
    MultiPartParser.spool_max_size = 2 * MOST_BYTES


def guards() -> list[Middleware]:
    """Return what is to stand before all routes.

    DPVIZ_FRAME_ANCESTORS says who may embed pages; Streamlit's settings of origins hold.
    """
    embedders = os.environ.get("DPVIZ_FRAME_ANCESTORS") or "'self'"
    content = policy(Path(get_static_dir()) / "index.html", embedders)
    restricted = config.get_option("server.enableCORS")
    origins = tuple(config.get_option("server.corsAllowedOrigins")) if restricted else None
    return [Middleware(Guard, content=content, origins=origins)]
