"""dpviz: the theory of differential privacy, made visible.

The modules directly below this package are the numerical core: pure functions of parameters,
importable without streamlit, plotly or altair. ``dpviz.plot`` draws results and
``dpviz.ui`` is the only part, beside the pages, that knows Streamlit.
"""
