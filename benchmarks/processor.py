"""What processes have taken of the processor so far, by what the system says of them."""

import os
from pathlib import Path

_CLOCK = os.sysconf("SC_CLK_TCK")
_PARENT, _OWN, _ENDED = 1, slice(11, 13), slice(13, 15)  # fields of /proc/PID/stat after the name


def seconds(process: int) -> float:
    """Return the processor seconds of a process so far."""
    return sum(map(int, _fields(process)[_OWN])) / _CLOCK


def seconds_of_all(process: int) -> float:
    """Return those of a process and of all that it started, also of what has ended."""
    fields = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields[int(folder.name)] = _fields(int(folder.name))
        except OSError:
            continue
    total, family = 0, [process]
    for one in family:
        total += sum(map(int, fields[one][_OWN] + fields[one][_ENDED]))
        family += [child for child, those in fields.items() if int(those[_PARENT]) == one]
    return total / _CLOCK


def listening(option: str, port: int) -> int:
    """Return the first process whose command has an option with this port."""
    wanted = [f"{option}{between}{port}\0".encode() for between in ("=", "\0")]
    for name in sorted(int(folder.name) for folder in Path("/proc").glob("[0-9]*")):
        try:
            command = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if any(part in command for part in wanted):
            return name
    raise LookupError(f"nothing listens on port {port}")


def _fields(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
