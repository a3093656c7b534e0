"""dpviz: the theory of differential privacy, made visible.

``dpviz.results``, ``dpviz.maths`` and the theory and views in ``dpviz.topics`` are the numerical
core: pure functions of parameters, importable without streamlit, plotly or altair. ``dpviz.plot``
draws results, ``dpviz.scene`` says what a page and a state of it are, ``dpviz.serve`` answers
requests for figures, and ``dpviz.ui`` is the only part, beside the pages, that knows Streamlit.
"""
