"""Serve the app from several processes on this machine: ``python -m hosting``.

Caddy listens on one port; the replicas listen on the ports that follow, on loopback, and one that
ends is started again. The containers of compose.yaml have the same shape and the same Caddyfile.
"""

import argparse
import inspect
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import streamlit

from dpviz.serve import scripts
from hosting.static import compress

_HERE = Path(__file__).parent
_ROOT = _HERE.parent
_LOOK = 0.2  # seconds between two looks whether all processes live
_GRACE = 10  # seconds to end in


def main() -> None:
    """Start everything, keep the replicas alive, and end with the proxy or at a signal."""
    parser = argparse.ArgumentParser(prog="python -m hosting", description=__doc__)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--address", default="127.0.0.1", help="where the proxy listens")
    parser.add_argument("--port", type=int, default=8080, help="its port; replicas take the next")
    options = parser.parse_args()
    missing = [program for program in ("caddy", "brotli") if not shutil.which(program)]
    if missing:
        sys.exit(f"not found: {', '.join(missing)}; Debian packages them under these names")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())

    # Made again for another version of Streamlit, of plotly.js, or of the code that compresses.
    made_by = zlib.crc32(Path(inspect.getfile(compress)).read_bytes())
    made_by = zlib.crc32(scripts.plotly().name.encode(), made_by)
    static = _ROOT / "build" / f"static-{streamlit.__version__}-{made_by:08x}"
    if not static.exists():
        _say("compressing Streamlit's files, this once")
        compress(static)
    ports = range(options.port + 1, options.port + 1 + options.replicas)
    surroundings = {
        "DPVIZ_SITE": f":{options.port}",
        "DPVIZ_BIND": options.address,
        "DPVIZ_STATIC": str(static),
        "DPVIZ_COOKIE_KEY": os.environ.get("DPVIZ_COOKIE_KEY") or secrets.token_hex(16),
        "DPVIZ_UPSTREAMS": " ".join(f"127.0.0.1:{port}" for port in ports),
    }
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(_HERE / "Caddyfile")]
    replicas: dict[int, subprocess.Popen[bytes]] = {}
    proxy = subprocess.Popen(command, env=dict(os.environ) | surroundings)
    try:
        while proxy.poll() is None:
            for port in ports:
                if port not in replicas or replicas[port].poll() is not None:
                    replicas[port] = _replica(port)
                    _say(f"replica on port {port} is process {replicas[port].pid}")
            time.sleep(_LOOK)
        sys.exit(f"the proxy ended with code {proxy.returncode}")
    except KeyboardInterrupt:
        pass
    finally:
        _end([proxy, *replicas.values()])


def _replica(port: int) -> subprocess.Popen[bytes]:
    options = {
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.headless": "true",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--{key}={value}" for key, value in options.items()]
    return subprocess.Popen(command, cwd=_ROOT)


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
