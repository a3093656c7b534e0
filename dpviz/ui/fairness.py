"""Scripts of pages, and files that a page offers, each in their turn.

Streamlit runs every script at once, and makes files in threads that all of the server shares. Both
are put in order here, at the account of the network whose WebSocket asks.
"""

import logging
from typing import Any

from dpviz.serve.clients import CLIENT, Client
from dpviz.serve.jobs import BusyError
from dpviz.serve.script_queue import SCRIPTS
from dpviz.serve.workers import FILES
from dpviz.ui import inside
from dpviz.ui.inside import (
    BackendOperationRequest,
    BackendOperationResponse,
    DeferredFileHandler,
    DeferredFileResponsePayload,
    ScriptRunner,
)

BUSY = "Many files are being made just now; try again in a moment."
_FAILED = "The file could not be made."

_log = logging.getLogger(__name__)


class Downloads(DeferredFileHandler):
    """Makes the file behind a download button when it is the turn of who asks."""

    async def handle(
        self,
        request: BackendOperationRequest,
        session_id: str,  # noqa: ARG002
    ) -> BackendOperationResponse:
        """Return where the file is, or in words why there is none."""
        make = self._get_media_file_mgr().execute_deferred
        try:
            url = await FILES.do(make, request.deferred_file.file_id)
        except BusyError:
            return BackendOperationResponse(request_id=request.request_id, error_msg=BUSY)
        except Exception:
            _log.exception("a file could not be made")
            return BackendOperationResponse(request_id=request.request_id, error_msg=_FAILED)
        made = DeferredFileResponsePayload(url=url)
        return BackendOperationResponse(request_id=request.request_id, deferred_file=made)


class FairRunner(ScriptRunner):
    """Runs the script of a page when it is the turn of who asked first in this thread."""

    def start(self) -> None:
        """Begin the thread; called where the message of the WebSocket is heard."""
        self._asker = Client(CLIENT.get().network_id, self._session_id)
        super().start()

    def _run_script(self, rerun_data: Any) -> None:
        with SCRIPTS.taken(self._asker):
            super()._run_script(rerun_data)


def prepare() -> None:
    """Have the sessions of this process take turns."""
    inside.run_with(Downloads, FairRunner)
