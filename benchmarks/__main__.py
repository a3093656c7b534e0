"""Print what the core costs: ``python -m benchmarks``. One thread; quote medians."""

import argparse

from benchmarks import accounting, adaptive, clipping, figures, views
from benchmarks.options import parsed
from dpviz.ui.server import prepare


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--runs", type=int, default=120, help="of one thing, at most")
    parser.add_argument(
        "--only", nargs="+", default=[""], help="views with such a part in page/view"
    )
    options = parsed(parser, runs=1, only=["shared_darts/board"])
    prepare()
    accounting.report(options.runs)
    adaptive.report(options.runs)
    clipping.report(options.runs)
    views.report(options.runs, options.only)
    figures.report(options.runs, options.only)


if __name__ == "__main__":
    main()
