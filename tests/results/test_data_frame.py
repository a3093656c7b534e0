"""Tables as data frames, and pandas, which several readers may be the first to need at once."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOWLY = """
import sys, threading
from importlib.abc import Loader, MetaPathFinder
from importlib.util import spec_from_loader

from dpviz.results.data_frame import await_pandas, data_frame

begun, go_on, waited = (threading.Event() for _ in range(3))


class Slow(MetaPathFinder, Loader):
    def find_spec(self, name, path=None, target=None):
        return spec_from_loader(name, self) if name == "pandas" else None

    def exec_module(self, module):
        begun.set()
        go_on.wait()
        module.DataFrame = dict


def explore():
    await_pandas()
    found.append(hasattr(sys.modules["pandas"], "DataFrame"))
    waited.set()


found = []
sys.meta_path.insert(0, Slow())
threads = [threading.Thread(target=one) for one in (lambda: data_frame({}), explore)]
threads[0].start()
begun.wait()
threads[1].start()
assert "pandas" in sys.modules and not waited.wait(0.2)
go_on.set()
for one in threads:
    one.join()
assert found == [True]
"""


def test_who_looks_at_what_is_loaded_waits_for_pandas_as_a_whole():
    subprocess.run([sys.executable, "-c", SLOWLY], cwd=ROOT, check=True, timeout=120)
