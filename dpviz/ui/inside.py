"""What the app takes from inside Streamlit, beyond what it promises to keep: all in one place.

A new version of Streamlit may move or change any of it. `.ci/streamlit` runs the app's tests with
the oldest version that may be installed and with the newest there is; docs/architecture.md lists
what else, outside Python, knows how Streamlit is made.
"""

from pathlib import Path
from typing import Any

# streamlit.starlette.App is public: app.py imports it, by which `streamlit run` knows an app.
from streamlit.file_util import get_static_dir
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, BackMsg
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse, DeferredFileResponsePayload
from streamlit.runtime import app_session, get_instance
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.scriptrunner import ScriptRunner, get_script_run_ctx

__all__ = [
    "BackMsg",
    "BackendOperationRequest",
    "BackendOperationResponse",
    "DeferredFileHandler",
    "DeferredFileResponsePayload",
    "ScriptRunner",
    "connected",
    "files",
    "index",
    "run_with",
    "running",
]


def running() -> Any:
    """Return what Streamlit knows of the script that runs in this thread, None where none does.

    Of it are used: session_id, page_script_hash, uploaded_file_mgr, is_history_navigation.
    """
    return get_script_run_ctx(suppress_warning=True)


def connected() -> int:
    """Return how many sessions are connected."""
    manager: Any = get_instance()._session_mgr
    return int(manager.num_active_sessions())


def files() -> Any:
    """Return what keeps uploaded files: file_storage, a dict for each session, and remove_file."""
    return get_instance().uploaded_file_mgr


def index() -> Path:
    """Return the HTML that every page of the app begins with."""
    return Path(get_static_dir()) / "index.html"


def run_with(downloads: type[DeferredFileHandler], runner: type[ScriptRunner]) -> None:
    """Have sessions make files and run scripts with classes of ours."""
    sessions: Any = app_session
    sessions.DeferredFileHandler, sessions.ScriptRunner = downloads, runner
