"""The page says what of a link it cannot use, and its controls end where their use ends."""

from tests.support.range_controls import controls, end
from tests.ui.figures import figure
from tests.ui.opening import opened, url


def test_a_link_with_more_than_the_data_have_is_reset_and_says_so():
    app = opened("clipping", view="real", data="union", threshold="20", examples_per_user="100")
    [note] = [box.value for box in app.info]
    assert "**threshold**: 20 is more than can be used here; using 8, the most." in note
    assert "**examples_per_user**: 100 is more" in note
    used = controls(app)
    for key in ("threshold", "examples_per_user"):
        assert used[key]["text"] == used[key]["grid"][-1] == "8"
        assert url(app)[key] == "8"
    assert "problem" not in figure(app).last
    end(app, "threshold", "20")
    assert controls(app)["threshold"]["note"] == "“20” is not a number from 0.1 to 8; using 8."
    end(app, "examples_per_user", "5")
    assert controls(app)["threshold"]["text"] == "5"


def test_what_a_view_opens_with_is_carried_to_no_other_page():
    app = opened("clipping", view="real")
    assert url(app)["examples_per_user"] == "8"
    carried = app.session_state["dpviz"].carried
    assert "examples_per_user" not in carried
    assert "epsilon" not in carried  # nobody has changed it
    end(app, "examples_per_user", "5")
    assert app.session_state["dpviz"].carried["examples_per_user"] == "5"


def test_what_would_end_in_nothing_is_a_click_away():
    app = opened("clipping", examples_per_user="10", epsilon="1")
    assert url(app)["examples_per_user"] == "100"
    [button] = [one for one in app.button if one.label == "with your m = 10, ε = 1"]
    assert app.session_state["dpviz"].carried == {"examples_per_user": "10", "epsilon": "1"}
    button.click().run()
    assert (url(app)["examples_per_user"], url(app)["epsilon"]) == ("10", "1")
    assert not [one for one in app.button if one.label.startswith("with your")]


def test_a_file_with_fewer_rows_shortens_the_controls_as_it_is_read():
    app = opened("clipping", view="real", data="own", examples_per_user="100")
    assert controls(app)["examples_per_user"]["text"] == "100"
    rows = "".join(f"p{i % 40},{i % 3 > 0}\n" for i in range(200))
    app.file_uploader[0].upload("mine.csv", f"person,answer\n{rows}".encode())
    app.run()
    assert not app.exception
    assert controls(app)["examples_per_user"]["text"] == "5"
    assert "problem" not in figure(app).last
    assert "**examples_per_user**: 100 is more" in app.info[0].value


def test_outliers_end_at_half_of_the_users():
    app = opened("propose_test_release", view="outliers", users="1001", outliers="600")
    assert "**outliers**: 600 is more than can be used here; using 500, the most." in _notes(app)
    assert controls(app)["outliers"]["text"] == controls(app)["outliers"]["grid"][-1] == "500"
    assert "problem" not in figure(app).last
    end(app, "users", "400")
    assert "**outliers**: 500 is more than can be used here; using 200, the most." in _notes(app)
    assert controls(app)["outliers"]["text"] == url(app)["outliers"] == "200"
    assert "problem" not in figure(app).last


def test_where_outliers_move_on_the_wage_panel_its_own_people_count():
    app = opened("propose_test_release", view="outliers", data="wages", outliers="300")
    assert "**outliers**: 300 is more than can be used here; using 272, the most." in _notes(app)
    assert "problem" not in figure(app).last


def _notes(app):
    return [line for box in app.info for line in box.value.split("  \n")]
