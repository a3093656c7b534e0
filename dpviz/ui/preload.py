"""All of dpviz, loaded by the first reader while others wait; a page imports it before all.

Two threads that import modules in different orders can wait for each other. Python notices and
raises an error, which the first readers of a fresh server would see if they arrived together.

One entry script with ``st.navigation(position="hidden")`` could import everything in one place, but
not beside a folder named pages/: on a fresh server Streamlit 1.67 answers a deep link with the file
of that page, never runs the entry script, and shows its own menu. So the pages stay files that
Streamlit finds by itself, and each imports this module where it is run. What only reads what a page
declares, as `dpviz figure` does, needs no Streamlit, and saves two thirds of its time.
"""

import importlib
import pkgutil

import dpviz

for _module in pkgutil.walk_packages(dpviz.__path__, "dpviz."):
    if _module.name != __name__:
        importlib.import_module(_module.name)
