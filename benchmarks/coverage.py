"""Which results of a paper the pages show, only state, or leave out, and why: a table.

    python -m benchmarks.coverage [ul] ...

prints it for the papers named, or for all, from their declarations (`dpviz.scene.coverage`), which
`tests/test_coverage.py` holds to the pages.
"""

import sys

from dpviz.scene.coverage import coverage, papers


def main() -> None:
    """Print the table of every paper named."""
    for name in sys.argv[1:] or papers():
        print(*coverage(name).rows(), "", sep="\n")


if __name__ == "__main__":
    main()
