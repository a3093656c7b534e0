"""What a machine lacks before a class: ``python -m hosting --check``. It starts nothing."""

import errno
import ipaddress
import os
import resource
import shutil
import socket
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from dpviz.serve import clients
from dpviz.serve.rooms import reaching
from hosting.keeping import occupied

_REPLICA, _PROXY = 500, 100  # MB under load, as docs/hosting.md has them measured
_DESCRIPTORS = 4096
_PATIENCE = 3.0  # seconds
_LAST_PORT = 65535
_MOST_REPLICAS = 100


@dataclass(frozen=True)
class Finding:
    """What was looked at, and in words what was found. ok: None where it is as one likes."""

    ok: bool | None
    what: str
    words: str

    def __str__(self) -> str:
        sign = {True: "ok     ", False: "MISSING", None: "note   "}[self.ok]
        return f"{sign}  {self.what}: {self.words}"


def findings(
    address: str,
    port: int,
    replicas: int,
    surroundings: Mapping[str, str] = os.environ,
    programs: Iterable[str] = ("caddy", "brotli"),
) -> Iterator[Finding]:
    """Yield what a start with these options would find.

    programs: those that it needs.
    """
    for program in programs:
        place = shutil.which(program)
        yield Finding(bool(place), program, place or f"not found; sudo apt-get install {program}")
    if wrong := problem(address, port, replicas):
        yield Finding(False, "options", wrong)
    else:
        yield _ports(address, port, replicas)
        yield _reach(address, port)
    yield _rooms(surroundings.get("DPVIZ_ROOMS", ""), replicas)
    yield _proxies(surroundings.get("DPVIZ_PROXIES", ""))
    yield _key(surroundings)
    yield _memory(max(replicas, 1))
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield Finding(
        most >= _DESCRIPTORS,
        "descriptors",
        f"{most} for each process"
        + ("" if most >= _DESCRIPTORS else f"; ulimit -n {_DESCRIPTORS}"),
    )
    yield Finding(None, "Chromium", "not needed: pictures are drawn without a browser")


def problem(address: str, port: int, replicas: int) -> str:
    """Return why nothing can be started with these options, "" where something can."""
    if not 1 <= replicas <= _MOST_REPLICAS:
        return f"--replicas must be from 1 to {_MOST_REPLICAS}; got {replicas}"
    most = _LAST_PORT - 2 * replicas
    if not 1 <= port <= most:
        return f"--port must be from 1 to {most}, as replicas take the next ones; got {port}"
    where = f"--address must be one of this machine, or 0.0.0.0; got {address!r}"
    try:
        found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
        with socket.socket(found[0][0], socket.SOCK_STREAM) as probe:
            if ipaddress.ip_address(found[0][4][0]).is_multicast:
                return where
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except PermissionError:
        return f"--port must be one that this user may listen on, above 1023 as a rule; got {port}"
    except (OSError, UnicodeError) as fault:
        # One that is taken is told of with the others.
        return "" if isinstance(fault, OSError) and fault.errno == errno.EADDRINUSE else where
    return ""


def _ports(address: str, port: int, replicas: int) -> Finding:
    others = range(port + 1, port + 1 + 2 * replicas)
    taken = occupied(address, [port]) + occupied("127.0.0.1", others)
    if not taken:
        return Finding(True, "ports", f"{port} to {others.stop - 1} are free")
    listed = ", ".join(map(str, taken))
    try:
        with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=_PATIENCE) as answer:
            if answer.status == 200:
                return Finding(True, "ports", f"{listed} in use: a copy runs already, and answers")
    except (URLError, OSError, ValueError):
        pass
    return Finding(False, "ports", f"{listed} in use; end what listens there, or choose --port")


def _reach(address: str, port: int) -> Finding:
    """Tell by which address phones come."""
    try:
        local = ipaddress.ip_address(address).is_loopback
    except ValueError:
        return Finding(None, "address", f"phones come to http://{address}:{port}")
    if local:
        words = "this machine alone; phones need a proxy of yours, or --address 0.0.0.0"
        return Finding(None, "address", words)
    own = address if int(ipaddress.ip_address(address)) else _own_address()
    if not own:
        return Finding(False, "address", "this machine is in no network")
    return Finding(True, "address", f"phones come to http://{own}:{port}")


def _own_address() -> str:
    """Return the address of this machine in its network, "" if it is in none; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def _rooms(url: str, replicas: int) -> Finding:
    if not url:
        words = "in the memory of each process: one that dies takes its rooms with it (DPVIZ_ROOMS)"
        return Finding(None, "rooms", words if replicas > 1 else words.replace("each", "the"))
    if wrong := reaching.problem(url):
        return Finding(False, "rooms", wrong)
    fault = _asked(url)
    return Finding(not fault, "rooms", fault or "their server answers")


def _asked(url: str) -> str:
    """Return why the server of rooms does not answer, "" if it does."""
    from redis import Redis
    from redis.exceptions import RedisError

    server = Redis.from_url(url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE)
    try:
        server.ping()
    except (RedisError, OSError) as fault:
        return f"their server (DPVIZ_ROOMS) does not answer: {type(fault).__name__}"
    finally:
        server.close()
    return ""


def _proxies(said: str) -> Finding:
    if wrong := clients.problem(said):
        return Finding(False, "proxies", wrong)
    words = "no other one is trusted; behind a balancer all are one address (DPVIZ_PROXIES)"
    return Finding(None, "proxies", f"trusted: {said}" if said else words)


def _key(surroundings: Mapping[str, str]) -> Finding:
    if surroundings.get("DPVIZ_COOKIE_KEY"):
        return Finding(True, "secret", "DPVIZ_COOKIE_KEY is set")
    words = (
        "a new one at each start; with DPVIZ_COOKIE_KEY a restart keeps readers on their process"
    )
    return Finding(None, "secret", words)


def _memory(replicas: int) -> Finding:
    need, free = replicas * _REPLICA + _PROXY, _free()
    if not free:
        return Finding(
            None, "memory", f"{need} MB are needed; this system does not tell what is free"
        )
    return Finding(
        free >= need, "memory", f"{free} MB free, {need} MB needed for {replicas} replicas"
    )


def _free() -> int:
    """Return how many MB are free here, within the limit of a container; 0 if nobody tells."""
    sizes = []
    known = Path("/proc/meminfo")
    if known.exists():
        lines = dict(line.split(":", 1) for line in known.read_text().splitlines())
        sizes.append(int(lines["MemAvailable"].split()[0]) // 1000)
    most, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if most.exists() and used.exists() and (said := most.read_text().strip()).isdecimal():
        sizes.append((int(said) - int(used.read_text())) // 10**6)
    return min(sizes, default=0)
