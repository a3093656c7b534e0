"""Write the digests of the images into the Dockerfile: ``python -m hosting.digests``.

A registry has to be at hand, and `docker buildx`. Run again, it takes the newest of each tag.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

_FILE = Path(__file__).parents[1] / "Dockerfile"
_FROM = re.compile(r"^FROM ([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})? AS", re.MULTILINE)


def asked(image: str) -> str:
    """Return the digest that the registry has for an image; raise `OSError` if it cannot be had."""
    command = [
        "docker",
        "buildx",
        "imagetools",
        "inspect",
        image,
        "--format",
        "{{.Manifest.Digest}}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    digest = done.stdout.strip()
    if done.returncode or not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise OSError(f"{image}: {(done.stderr or done.stdout).strip()[-300:]}")
    return digest


def written(text: str, digest: Callable[[str], str] = asked) -> str:
    """Return a Dockerfile whose images are named by tag and digest."""
    return _FROM.sub(lambda found: f"FROM {found[1]}@{digest(found[1])} AS", text)


def main() -> None:
    """Write them, or say why not."""
    try:
        text = written(_FILE.read_text())
    except OSError as fault:
        sys.exit(f"Nothing was written; this needs docker buildx and a registry at hand: {fault}")
    _FILE.write_text(text)


if __name__ == "__main__":
    main()
