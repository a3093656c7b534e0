"""The options of a benchmark, all of which know ``--small``: as little as shows that it runs."""

import argparse
from typing import Any


def parsed(parser: argparse.ArgumentParser, **small: Any) -> argparse.Namespace:
    """Return what a command was given; small: what `--small` sets unless it is given, too."""
    parser.add_argument("--small", action="store_true", help="only try whether it runs")
    if parser.parse_known_args()[0].small:
        parser.set_defaults(**small)
    return parser.parse_args()
