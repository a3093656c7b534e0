"""The frame on a sample page, run by Streamlit's own test driver."""

import dataclasses
import json
import logging
import re
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from dpviz.plot.text import plain
from dpviz.scene import catalogue
from dpviz.scene.codec import Flag
from dpviz.scene.view import Rounds
from dpviz.ui import evidence, frame, navigation
from dpviz.ui.session import session
from tests.support import sample
from tests.support.range_controls import controls, end, let_go, shown
from tests.ui.figures import figure, stage_data, takeaway
from tests.ui.opening import unfold

ENTRY = catalogue.Entry("sample", "Sample", "Does the frame work?", "Tests", "A sample.")


@pytest.fixture
def app(monkeypatch):
    """A sample page outside the registry, without links to pages that are not there."""
    sample.calls.clear()
    monkeypatch.setattr(frame, "entry", lambda _: ENTRY)
    monkeypatch.setattr(navigation, "header", lambda _, **__: None)
    monkeypatch.setattr(frame, "prose", lambda _: [("The theorem", "$1 < 2$")])
    return AppTest.from_file(
        str(Path(__file__).parents[1].joinpath("support", "sample_app.py").resolve()),
        default_timeout=900,
    )


def opened(app, **query):
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def trigger(app, name):
    """Press a button of the stage."""
    [stage] = [e for e in app.get("bidi_component") if e.proto.component_name == "dpviz.stage"]
    states = app._tree.get_widget_states()
    text = json.dumps([{"event": name, "value": 1}])
    states.widgets.add(id=_make_trigger_id(stage.proto.id, "events"), json_trigger_value=text)
    app._run(states)


def url(app):
    return {key: v if isinstance(v, str) else v[-1] for key, v in app.query_params.items()}


def test_a_page_opened_without_parameters_shows_and_writes_its_defaults(app):
    opened(app)
    assert app.title[0].value == ENTRY.question
    assert shown(app, "epsilon") == "0.1"
    assert takeaway(app) == "The last error is 316.228."
    assert url(app) == {
        "x": "queries",
        "epsilon": "0.1",
        "queries": "1000",
        "log": "1",
        "view": "curve",
    }


def test_a_link_is_taken_exactly(app):
    opened(app, epsilon="0.123456789", queries="12345", x="epsilon", log="0")
    assert shown(app, "epsilon") == "0.123456789"
    assert app.toggle("log").value is False
    assert figure(app).status == 200
    assert sample.calls[-1] == {
        "epsilon": 0.123456789,
        "queries": 12345,
        "log": False,
        "x": "epsilon",
    }
    assert url(app)["epsilon"] == "0.123456789"


def test_what_other_pages_carry_along_is_not_told(app):
    opened(app, examples_per_user="7", scene="x")
    assert not app.info


def test_a_garbled_link_gets_a_working_page_and_one_note(app):
    opened(app, epsilon="<b>x</b>", queries="1e99", nonsense="1")
    [note] = app.info
    assert "`<b>x</b>` is not a finite number; using 0.1." in note.value
    assert "`1e99` is not a whole number from 10 to 10⁶; using 10⁶." in note.value
    assert "Left out, as this page has no such parameter: `nonsense`." in note.value
    assert "nonsense" not in url(app)
    end(app, "epsilon", "0.2")
    assert not app.info


def test_a_slider_moves_the_field_and_the_url(app):
    end(opened(app), "epsilon", "0.5")
    assert shown(app, "epsilon") == "0.5"
    assert url(app)["epsilon"] == "0.5"
    assert takeaway(app) == "The last error is 63.2456."


def test_a_slider_runs_the_figure_alone_where_nothing_else_changes(app):
    let_go(opened(app), "queries", "2000")
    assert not app.title
    assert not controls(app)
    assert {**stage_data(app)["query"], "view": "curve"} == url(app)
    assert url(app)["queries"] == "2000"
    assert takeaway(app) == "The last error is 447.214."
    app.query_params["queries"] = "10"  # Back, after it
    assert shown(app.run(), "queries") == "10"


def test_links_to_other_pages_run_with_the_figure_where_they_carry_other_values(app, monkeypatch):
    def header(*_, **__):
        st.caption(str(session().carried_query))

    monkeypatch.setattr(navigation, "header", header)
    let_go(opened(app), "queries", "2000")
    assert not app.caption
    let_go(app.run(), "epsilon", "2")
    assert "'epsilon': '2'" in app.caption[0].value
    assert not app.title


def test_a_slider_begins_another_game_without_the_page(app, monkeypatch):
    [view, *others] = sample.PAGE.for_everyone
    rounds = Rounds("said", 3, {"y": "Yes"}, "seed", lambda _: "yyy", lambda _: "", lambda _: "")
    game = dataclasses.replace(view, rounds=rounds)
    page = dataclasses.replace(sample.PAGE, for_everyone=(game, *others))
    monkeypatch.setattr(sample, "PAGE", page)
    let_go(opened(app), "queries", "2000")
    [buttons] = [e for e in app.get("bidi_component") if e.proto.component_name == "dpviz.rounds"]
    assert json.loads(buttons.proto.json)["game"] == url(app)
    assert not app.title


def test_a_page_that_was_drawn_in_part_is_drawn_whole_with_the_next_change(app, monkeypatch):
    with monkeypatch.context() as haste:  # a widget that ends a run leaves what follows undrawn
        haste.setattr(frame, "why", lambda _: st.stop())
        opened(app)
    let_go(app, "queries", "2000")
    assert app.title
    assert controls(app)["queries"]["text"] == "2000"
    let_go(app, "queries", "3000")
    assert not app.title


_SAID = {
    "idle": lambda values: {"log"} if values["queries"] > 1000 else set(),
    "why_here": lambda values: f"k = {values['queries']}",
}


@pytest.mark.parametrize("key", _SAID)
def test_a_slider_runs_the_page_whose_words_or_controls_change(app, monkeypatch, key):
    [view, *others] = sample.PAGE.for_everyone
    views = (dataclasses.replace(view, **{key: _SAID[key]}), *others)
    monkeypatch.setattr(sample, "PAGE", dataclasses.replace(sample.PAGE, for_everyone=views))
    let_go(opened(app), "queries", "2000")
    assert controls(app)["queries"]["text"] == "2000"


@pytest.mark.parametrize(
    ("query", "tab", "text"),
    [({"nonsense": "1"}, "", "2000"), ({}, "", "2e99"), ({}, "Code", "2000")],
    ids=["a note that goes", "a note that comes", "a tab that says it"],
)
def test_a_slider_runs_the_page_that_says_more(app, query, tab, text):
    opened(app, **query)
    if tab:
        unfold(app, tab)
        app.run()
    let_go(app, "queries", text)
    assert controls(app)["queries"]["text"] == url(app)["queries"] != "1000"
    assert bool(controls(app)["queries"]["note"]) == (text == "2e99")
    assert not app.info
    assert not tab or "queries=2000" in app.code[0].value


def test_links_to_other_views_carry_what_was_moved(app):
    opened(app, queries="1000")
    let_go(app, "queries", "2000")
    links = re.findall(r'href="([^"]*)"', "".join(part.proto.body for part in app.get("html")))
    turned = [link for link in links if "view=refuses" in link]
    assert turned
    assert all("queries=2000" in link for link in turned)
    assert not any("queries=" in link for link in links if "view=refined" in link)


def test_typed_text_is_kept_exactly_or_refused_with_a_note(app):
    end(opened(app), "epsilon", "1.30e-2")
    assert shown(app, "epsilon") == "0.013"
    assert not controls(app)["epsilon"]["note"]
    end(app, "epsilon", "0,5")
    assert shown(app, "epsilon") == "0.013"
    assert "“0,5” is not a finite number, write a decimal" in controls(app)["epsilon"]["note"]
    assert not controls(app)["queries"]["note"]
    end(app, "epsilon", "99")
    assert shown(app, "epsilon") == "10"
    assert controls(app)["epsilon"]["note"].endswith("from 10⁻⁷ to 10; using 10.")
    app.toggle("log").set_value(False).run()
    assert not controls(app)["epsilon"]["note"]


def test_both_ends_of_a_slider_work(app):
    opened(app)
    for index in (0, -1):
        extreme = controls(app)["epsilon"]["grid"][index]
        end(app, "epsilon", extreme)
        assert not app.exception
        assert url(app)["epsilon"] == extreme


def test_a_value_that_arrives_twice_or_late_is_dropped(app):
    end(opened(app), "epsilon", "2", number=10**6)
    end(app, "epsilon", "4", number=10**6)
    assert shown(app, "epsilon") == "2"
    assert stage_data(app)["numbers"]["epsilon"] == 10**6


def test_a_preset_sets_the_whole_page(app):
    opened(app, seed="5", log="0")
    app.button("preset-0").click().run()
    assert url(app) | {"x": ""} == {
        "x": "",
        "epsilon": "1",
        "queries": "100",
        "log": "1",
        "view": "curve",
    }
    assert takeaway(app) == "The last error is 10."


def test_a_changed_url_wins_when_no_widget_changed(app):
    opened(app).query_params["epsilon"] = "1"
    app.run()
    assert shown(app, "epsilon") == "1"


def test_a_moved_widget_wins_over_a_url_that_lags_behind(app):
    opened(app, epsilon="1")
    app.query_params["epsilon"] = "1.5"
    end(app, "epsilon", "2")
    assert url(app)["epsilon"] == "2"


def test_a_page_that_gets_another_parameter_while_it_is_open_goes_on(app, monkeypatch):
    opened(app, epsilon="0.5")
    more = dataclasses.replace(
        sample.PAGE, parameters=(*sample.PAGE.parameters, Flag("new", "New"))
    )
    monkeypatch.setattr(sample, "PAGE", more)
    app.run()
    assert not app.exception
    assert url(app)["epsilon"] == "0.5"
    app.button("preset-0").click().run()
    assert not app.exception


def test_the_open_view_is_part_of_the_url(app):
    opened(app, view="random", seed="41")
    assert app.text_input("seed-exact").value == "41"
    assert "epsilon" in controls(app)
    assert "queries" not in controls(app)
    before = takeaway(app)
    app.button("seed-next").click().run()
    assert url(app)["seed"] == "42"
    assert takeaway(app) != before


def test_the_script_computes_nothing_but_what_is_unfolded(app):
    opened(app, view="refined", epsilon="0.5")
    assert not sample.calls
    unfold(app, "Numbers")
    app.run()
    assert len(sample.calls) == 5
    assert len(app.dataframe[0].value) == 9


def test_columns_are_called_what_the_labels_are_called(app):
    opened(app, view="refined", epsilon="0.5")
    unfold(app, "Numbers")
    app.run()
    [table] = app.dataframe
    said = json.loads(table.proto.columns)
    assert {key: said[key]["label"] for key in ("queries", "drawn")} == {
        "queries": "Queries, k",
        "drawn": "drawn curve",
    }
    assert said["drawn"]["help"].endswith(plain("In files: drawn"))


def test_numbers_of_a_table_are_written_as_on_the_page(app):
    opened(app, view="refined", epsilon="1e-4")
    unfold(app, "Numbers")
    app.run()
    [table] = app.dataframe
    written = convert_arrow_bytes_to_pandas_df(table.proto.arrow_data.styler.display_values)
    assert list(written["drawn"])[:2] == ["10,000", "17,782.8"]  # 10⁴ and 10^(17/4)
    assert written["drawn"].iloc[-1] == "10⁶"
    assert table.value["drawn"].iloc[-1] == pytest.approx(1e6)  # to sort, and to copy


def test_a_long_table_is_left_to_the_browser_to_write(app, monkeypatch):
    """Pandas refuses to style more than 262,144 cells, which a reader's settings can ask for."""
    monkeypatch.setattr(evidence, "_WRITTEN", 17)  # of two columns of nine
    opened(app, view="refined", epsilon="1e-4")
    unfold(app, "Numbers")
    app.run()
    [table] = app.dataframe
    assert not table.proto.arrow_data.HasField("styler")
    assert json.loads(table.proto.columns)["drawn"]["type_config"]["format"] == "%.6g"
    assert table.value["drawn"].iloc[-1] == pytest.approx(1e6)


def test_what_is_wrong_with_a_seed_stands_at_its_field(app):
    opened(app, view="random", seed="41")
    app.text_input("seed-exact").set_value("many").run()
    assert not app.info
    assert any("“many” is not a finite number" in text.value for text in app.markdown)
    assert app.text_input("seed-exact").value == "41"
    app.text_input("seed-exact").set_value("1,234").run()
    assert url(app)["seed"] == "1234"
    assert app.text_input("seed-exact").value == "1,234"
    assert not any("“many”" in text.value for text in app.markdown)


def test_what_takes_long_goes_on_only_on_a_click(app):
    opened(app, view="lengthy", epsilon="0.777")
    assert not stage_data(app)["unlimited"]
    assert figure(app).last["whole"] is False
    trigger(app, "compute")
    assert stage_data(app)["unlimited"]
    assert not stage_data(app)["whole"]
    assert figure(app).last["whole"] is True
    assert len(sample.calls) == 5
    trigger(app, "finished")
    assert stage_data(app)["whole"]
    trigger(app, "stop")
    assert not stage_data(app)["unlimited"]
    trigger(app, "compute")
    end(app, "epsilon", "0.5")
    assert not stage_data(app)["unlimited"]


def test_values_of_controls_out_of_sight_are_kept(app):
    opened(app, queries="777", view="refined")
    end(app, "epsilon", "1")
    assert url(app) == {"epsilon": "1", "view": "refined"}
    for key, text in {"epsilon": "2", "seed": "3", "view": "random"}.items():
        app.query_params[key] = text
    app.run()
    links = re.findall(r'href="([^"]*)"', "".join(part.proto.body for part in app.get("html")))
    [curve] = {link for link in links if "view=curve" in link}
    assert "queries=777" in curve
    assert "epsilon=2" in curve


def test_a_refused_parameter_is_a_note_in_a_working_page(app):
    opened(app, view="refuses")
    assert "epsilon must be a number from" in takeaway(app)
    assert shown(app, "queries") == "1000"


def test_a_figure_follows_out_of_a_refused_state_and_into_one(app):
    opened(app, view="refuses")
    end(app, "queries", "250")
    assert takeaway(app) == "The last error is 10."
    end(app, "queries", "600")
    assert "epsilon must be a number from" in takeaway(app)


def test_a_fault_is_calm_outside_and_named_in_the_log(app, caplog):
    opened(app, view="breaks")
    unfold(app, "Numbers")
    with caplog.at_level(logging.ERROR):
        app.run()
    assert not app.exception
    assert takeaway(app).startswith("This figure could not be computed.")
    assert "secret detail" not in str(app.main)
    assert "dpviz-sample-breaks failed: RuntimeError" in caplog.text
    assert "secret detail" not in caplog.text


def test_evidence_is_folded_at_the_figure_and_waits_until_its_tab_is_open(app):
    opened(app)
    assert "Source" not in [tab.label for tab in app.tabs]
    unfold(app, "Code")
    app.run()
    assert [tab.label for tab in app.tabs][-5:] == ["Source", "Numbers", "Explore", "Code", "Share"]
    assert not app.dataframe
    assert "from tests.support.sample import curve" in app.code[0].value
    unfold(app, "Source")
    app.run()
    assert not app.code
    [table] = [m.value for m in app.markdown if m.value.startswith("| curve |")]
    assert "exact" in table


@pytest.mark.parametrize(("tab", "code"), [("code", 1), ("numbers", 0), ("garbage", 0), ("", 0)])
def test_a_link_opens_a_tab_at_the_figure_and_its_address_keeps_it(app, tab, code):
    opened(app, epsilon="0.5", tab=tab)
    assert not app.exception
    assert not app.info
    assert len(app.code) == code
    assert bool(app.dataframe) == (tab == "numbers")
    assert url(app).get("tab", "") == tab
    del app.query_params["tab"]
    opened(app, epsilon="0.25")  # a link that names none
    assert not app.code
    assert not app.dataframe


def test_the_first_part_of_the_prose_is_open_below_the_figure(app):
    opened(app)
    assert "The theorem" in [header.value for header in app.header]
    assert [fold.label for fold in app.expander] == ["1 more: logarithmic", "Source & data"]
