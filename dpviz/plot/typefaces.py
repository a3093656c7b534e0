"""Which fonts this machine has, by the names that stand in their files.

What draws pictures takes another font without a word where it lacks one. Two tables of a file are
all that matters here; fontTools is 30 MB, and says the same of 150 fonts.
"""

import os
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

_ENDS = {".ttf", ".otf", ".ttc", ".otc"}
_FAMILIES = (1, 16)  # names in a font's table: of the family, and of the family of many weights
_UNICODE = {(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (3, 0), (3, 1), (3, 10)}
_MOST_BYTES = 2**22  # of a table


class FontError(ValueError):
    """A font that was asked for is not on this machine."""


def folders() -> list[Path]:
    """Return where fonts are looked for, those of TeX included."""
    home = Path.home()
    usual = {
        "darwin": [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"],
        "win32": [
            Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts",
            Path(os.environ.get("LOCALAPPDATA", home)) / "Microsoft/Windows/Fonts",
        ],
    }.get(sys.platform, [Path("/usr/share/fonts"), Path("/usr/local/share/fonts")])
    tex = [Path("/usr/share/texmf/fonts"), Path("/usr/share/texlive/texmf-dist/fonts")]
    return [*usual, home / ".fonts", home / ".local/share/fonts", *tex]


def folders_of(font: str) -> tuple[Path, ...]:
    """Return the folders that hold the files of a family. Raises `FontError`."""
    return tuple(dict.fromkeys(file.parent for file in _files(font)))


def _files(font: str) -> tuple[Path, ...]:
    families = installed(tuple(folders()))
    found = {name.casefold(): files for name, files in families.items()}.get(font.casefold())
    if found is None:
        parts = font.casefold().split()
        near = sorted(name for name in families if all(part in name.casefold() for part in parts))
        hint = f"there is {', '.join(near[:5])}" if near else "install it, or take another"
        raise FontError(f"this machine has no font {font!r}; {hint}")
    return found


@lru_cache(maxsize=1)
def installed(places: tuple[Path, ...]) -> Mapping[str, tuple[Path, ...]]:
    """Return the files of each family in some folders and those below them."""
    by_name: dict[str, list[Path]] = {}
    for place in places:
        for file in sorted(place.rglob("*")) if place.is_dir() else ():
            if file.suffix.lower() in _ENDS:
                for name in families(file):
                    by_name.setdefault(name, []).append(file)
    return MappingProxyType({name: tuple(files) for name, files in by_name.items()})


def families(file: Path) -> set[str]:
    """Return the names of the families in a file; none if it is no font that can be read."""
    try:
        return {name for table in _tables(file, b"name") for name in _names(table)}
    except (OSError, struct.error, UnicodeDecodeError):
        return set()


def lacking(font: str, characters: Iterable[str]) -> frozenset[str]:
    """Return those characters that a file of a family lacks. Raises `FontError`."""
    wanted = set(characters)
    return frozenset(c for file in _files(font) for c in wanted - _covered(file, wanted))


def _covered(file: Path, wanted: Iterable[str]) -> set[str]:
    try:
        maps = [part for table in _tables(file, b"cmap") for part in _maps(table)]
        return {c for c in wanted if any(_glyph(part, ord(c)) for part in maps)}
    except (OSError, struct.error):
        return set(wanted)  # nobody knows: it stays as it is asked for


def _tables(file: Path, wanted: bytes) -> Iterator[bytes]:
    """Yield this table of each font in a file."""
    with file.open("rb") as font:
        start = font.read(12)
        offsets = [0]
        if start[:4] == b"ttcf":
            [count] = struct.unpack(">I", start[8:12])
            offsets = list(struct.unpack(f">{min(count, 64)}I", font.read(4 * min(count, 64))))
        for offset in offsets:
            font.seek(offset)
            [tables] = struct.unpack(">4xH6x", font.read(12))
            for _ in range(tables):
                tag, place, size = struct.unpack(">4s4xII", font.read(16))
                if tag == wanted:
                    font.seek(place)
                    yield font.read(min(size, _MOST_BYTES))
                    break


def _maps(table: bytes) -> Iterator[bytes]:
    """Yield the parts of a table "cmap" that map Unicode."""
    [count] = struct.unpack(">2xH", table[:4])
    for number in range(count):
        kind, encoding, place = struct.unpack_from(">HHI", table, 4 + 8 * number)
        if (kind, encoding) in _UNICODE:
            yield table[place:]


def _glyph(part: bytes, code: int) -> int:
    """Return the glyph of a character, 0 for none; of the two usual formats."""
    [kind] = struct.unpack_from(">H", part)
    if kind == 12:
        [count] = struct.unpack_from(">I", part, 12)
        groups = struct.iter_unpack(">III", part[16 : 16 + 12 * count])
        return next((g + code - low for low, high, g in groups if low <= code <= high), 0)
    if kind != 4:
        return 0
    [double] = struct.unpack_from(">H", part, 6)
    rows = [
        struct.unpack_from(f">{double // 2}H", part, at)
        for at in (14, 16 + double, 16 + 2 * double, 16 + 3 * double)
    ]
    for number, (end, start, shift, far) in enumerate(zip(*rows, strict=True)):
        if start <= code <= end:
            if not far:
                return int(code + shift) % 2**16
            at = 16 + 3 * double + 2 * number + far + 2 * (code - start)
            glyph = int(struct.unpack_from(">H", part, at)[0])
            return (glyph + shift) % 2**16 if glyph else 0
    return 0


def _names(table: bytes) -> Iterator[str]:
    _, count, texts = struct.unpack(">HHH", table[:6])
    for number in range(count):
        at = 6 + 12 * number
        platform, encoding, _, kind, size, start = struct.unpack(">6H", table[at : at + 12])
        if kind in _FAMILIES and (platform, encoding) in _UNICODE:
            yield table[texts + start : texts + start + size].decode("utf-16-be")
