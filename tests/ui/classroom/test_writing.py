"""The words of a lecturer that stand at a field are text, whatever they are."""

from streamlit.testing.v1 import AppTest


def asked():
    from dpviz.scene.poll import Poll
    from dpviz.ui.classroom import writing

    writing._ask(1, Poll("number", unit="[users](https://elsewhere.example) **all**"))


def test_the_unit_of_a_number_leads_nowhere():
    app = AppTest.from_function(asked, default_timeout=60).run()
    assert not app.exception
    label = app.text_input[0].label
    assert r"\[users\]\(https" in label
    assert "**all**" in label
