"""Opens pages in Streamlit's test driver, as a link does."""

from streamlit.testing.v1 import AppTest

from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import entry


def opened(slug, **query):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=900)
    if slug:
        app.switch_page(entry(slug).path)
    for key, text in query.items():
        app.query_params[key] = text
    app.run()
    assert not app.exception
    return app


def url(app):
    return {key: v if isinstance(v, str) else v[-1] for key, v in app.query_params.items()}


def unfold(app, tab):
    """Open a tab of what is folded below the figure, as a click on both does."""
    app.session_state["fold-evidence"] = True
    app.session_state["evidence"] = tab
