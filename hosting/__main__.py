"""Serve the app from several processes on this machine: ``python -m hosting``.

Caddy listens on one port; the replicas listen on the ports that follow, on loopback. Whichever ends
or hangs is started again, and all end with this process. On the ports after theirs the replicas
tell how they fare, on loopback, too. The containers of compose.yaml have the same shape and the
same Caddyfile; in each, ``python -m hosting --alone`` keeps one replica.
"""

import argparse
import inspect
import os
import re
import secrets
import shutil
import signal
import sys
import time
import zlib
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import streamlit

from dpviz.serve import clients, fonts, scripts
from dpviz.serve.rooms import reaching
from hosting.checking import findings, problem
from hosting.keeping import Kept, Pulse, begin, end, occupied
from hosting.static import compress

_HERE = Path(__file__).parent
_ROOT = _HERE.parent
_PLAIN = re.compile(r"[A-Za-z0-9._~+/=-]{1,200}")  # what needs no quotes in a Caddyfile
_LOOK = 0.2  # seconds between two looks whether all processes live
_HOPELESS = 5  # failures of the proxy in a row


def main() -> None:
    """Start everything, keep the replicas alive, and end with the proxy or at a signal."""
    parser = argparse.ArgumentParser(prog="python -m hosting", description=__doc__)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--address", default="127.0.0.1", help="where the proxy listens")
    parser.add_argument("--port", type=int, default=8080, help="its port; replicas take the next")
    parser.add_argument("--alone", action="store_true", help="one replica there, and no proxy")
    parser.add_argument("--check", action="store_true", help="say what is missing; start nothing")
    options = parser.parse_args()
    if options.alone:
        options.replicas = 1
    programs = () if options.alone else ("caddy", "brotli")
    if options.check:
        found = list(findings(options.address, options.port, options.replicas, programs=programs))
        _say("\n".join(map(str, found)))
        sys.exit(any(finding.ok is False for finding in found))
    wrong = reaching.problem(os.environ.get("DPVIZ_ROOMS", ""))
    wrong = wrong or clients.problem(os.environ.get("DPVIZ_PROXIES", ""))
    if wrong := wrong or problem(options.address, options.port, options.replicas):
        sys.exit(wrong)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    if options.alone:
        _check_free(options.address, options.port, range(options.port + 1, options.port + 2))
        _keep([_replica(options.address, options.port, options.port + 1, {})])
        return
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        sys.exit(f"not found: {', '.join(missing)}; Debian packages them under these names")
    count = options.replicas
    ports = range(options.port + 1, options.port + 1 + count)
    _check_free(options.address, options.port, range(ports.start, ports.stop + count))
    surroundings = _surroundings(options.address, options.port, ports)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(_HERE / "Caddyfile")]
    proxy = Kept("proxy", lambda: begin(command, _ROOT, surroundings))
    told = _behind(surroundings)
    _keep([proxy, *(_replica("127.0.0.1", port, port + count, told) for port in ports)], proxy)


def _check_free(address: str, port: int, others: range) -> None:
    taken = occupied(address, [port]) + occupied("127.0.0.1", others)
    if taken:
        sys.exit(
            f"in use: {', '.join(f'port {port}' for port in taken)}; end what listens there, "
            "perhaps an earlier copy, or choose another --port"
        )


def _surroundings(address: str, port: int, replicas: range) -> dict[str, str]:
    """Return what the Caddyfile asks of its environment."""
    # Made again for another Streamlit, script or font, or when the code that compresses changes.
    made_by = zlib.crc32(Path(inspect.getfile(compress)).read_bytes())
    names = (*scripts.names(), *map(fonts.address, fonts.names()))
    made_by = zlib.crc32(" ".join(names).encode(), made_by)
    # systemd names a folder, where those of the code are for reading alone.
    folder = Path(os.environ.get("CACHE_DIRECTORY") or _ROOT / "build")
    static = folder / f"static-{streamlit.__version__}-{made_by:08x}"
    if not static.exists():
        _say("compressing Streamlit's files, this once")
        compress(static)
    return {
        "DPVIZ_SITE": f":{port}",
        "DPVIZ_BIND": address,
        "DPVIZ_STATIC": str(static),
        "DPVIZ_COOKIE_KEY": _key(os.environ.get("DPVIZ_COOKIE_KEY") or secrets.token_hex(16)),
        "DPVIZ_UPSTREAMS": " ".join(f"127.0.0.1:{replica}" for replica in replicas),
        "DPVIZ_PROXIES": os.environ.get("DPVIZ_PROXIES", "").replace(",", " "),
    }


def _key(secret: str) -> str:
    """Return a secret as Caddy can take it: any one else as its hash, which needs no quotes."""
    return secret if _PLAIN.fullmatch(secret) else sha256(os.fsencode(secret)).hexdigest()


def _behind(surroundings: dict[str, str]) -> dict[str, str]:
    """Return what replicas are told that stand behind the proxy with these surroundings."""
    return {
        "DPVIZ_COOKIE_KEY": surroundings["DPVIZ_COOKIE_KEY"],
        "DPVIZ_PROXIES": f"127.0.0.1 {surroundings['DPVIZ_PROXIES']}",
        "DPVIZ_REPLICAS": str(surroundings["DPVIZ_UPSTREAMS"].count(":")),
    }


def _keep(kept: Sequence[Kept], proxy: Kept | None = None) -> None:
    """Keep everything alive until a signal comes, or the proxy does not come up."""
    try:
        while proxy is None or proxy.failures < _HOPELESS:
            for one in kept:
                if one.look() and one.process is not None:
                    why = "; the one before did not answer, and was killed" if one.hung else ""
                    _say(f"{one.name} is process {one.process.pid}{why}")
            time.sleep(_LOOK)
        sys.exit("the proxy does not come up")
    except KeyboardInterrupt:
        pass
    finally:
        end(one.process for one in kept if one.process is not None)


def _replica(address: str, port: int, monitor: int, told: dict[str, str]) -> Kept:
    """Return a replica to be kept, which tells of itself on the port `monitor`.

    told: what it finds in its environment.
    """
    options = {
        "server.address": address,
        "server.port": port,
        "server.headless": "true",
        "browser.serverAddress": "localhost",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--{key}={value}" for key, value in options.items()]
    return Kept(
        f"replica on port {port} (of which http://127.0.0.1:{monitor} tells)",
        lambda: begin(command, _ROOT, told | {"DPVIZ_MONITOR": str(monitor)}),
        life=Pulse(port),
    )


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
