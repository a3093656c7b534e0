"""Start the app with its computations at the desk, or in worker processes.

python -m benchmarks.workers.serve desk|pool OPTIONS OF STREAMLIT RUN
python -m benchmarks.workers.serve desk|pool hosted OPTIONS OF HOSTING
"""

import os
import sys
from typing import Any

from dpviz.results.folders import ROOT
from hosting.keeping import Process, begin


def _app(way: str) -> None:
    from streamlit.web import cli

    from dpviz.serve import desk

    if way == "pool":
        from benchmarks.workers.pool import Pool

        desk.DESK = Pool(places=2 * max(2, os.cpu_count() or 1))
    sys.argv = ["streamlit", "run", str(ROOT / "app.py"), *sys.argv[2:]]
    cli.main()


def _hosted(way: str) -> None:
    from hosting import __main__ as hosting

    def begun(command: list[str], *more: Any) -> Process:
        if "streamlit" in command:
            options = command[command.index("app.py") + 1 :]
            command = [sys.executable, "-m", "benchmarks.workers.serve", way, *options]
        return begin(command, *more)

    sys.argv = ["hosting", *sys.argv[3:]]
    vars(hosting).update(begin=begun)
    hosting.main()


if __name__ == "__main__":
    (_hosted if sys.argv[2:3] == ["hosted"] else _app)(sys.argv[1])
