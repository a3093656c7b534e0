"""Print what the core costs: ``python -m benchmarks``. One thread; quote medians."""

from benchmarks import accounting, adaptive, clipping, figures, views
from dpviz.ui.server import prepare

if __name__ == "__main__":
    prepare()
    accounting.report()
    adaptive.report()
    clipping.report()
    views.report()
    figures.report()
