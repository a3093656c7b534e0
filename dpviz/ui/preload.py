"""All of dpviz, loaded by the first reader while others wait; every page imports this first.

Two threads that load modules in different orders can wait for each other. Python notices and
raises an error, which the first readers of a fresh server would see if they came together.
"""

import importlib
import pkgutil

import dpviz

for _module in pkgutil.walk_packages(dpviz.__path__, "dpviz."):
    if _module.name != __name__:
        importlib.import_module(_module.name)
