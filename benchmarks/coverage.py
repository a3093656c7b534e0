"""Which results of a paper the pages show, only state, or leave out, and why: a table.

    python -m benchmarks.coverage [ul] ...

prints it for the papers named, or for all, from their declarations (`dpviz.scene.coverage`), which
`tests/test_coverage.py` holds to the pages.
"""

import argparse

from benchmarks.options import parsed
from dpviz.scene.coverage import coverage, papers


def main() -> None:
    """Print the table of every paper named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("papers", nargs="*", default=papers(), help="all, unless some are named")
    for name in parsed(parser).papers:
        print(*coverage(name).rows(), "", sep="\n")


if __name__ == "__main__":
    main()
