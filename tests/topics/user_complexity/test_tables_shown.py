"""All bounds of a paper's table, beside each other."""

import tomllib

import pytest

from dpviz.results.folders import ASSETS
from dpviz.results.papers import UL
from dpviz.topics.user_complexity.rows import ROWS
from dpviz.topics.user_complexity.views.bounds_on_users_shown import VIEW
from tests.support.declarations import last, page

PAGE = page("user_complexity")


def shown(privacy="pure", model="central", **changed):
    chart = last(PAGE, "users", privacy=privacy, model=model, **changed)
    return VIEW.sources(chart)


def rows(table):
    """Return the cells of all rows, the problem in each."""
    found = []
    for line in table.replace("\\", "").splitlines():
        if line.startswith("| ") and not line.startswith("| problem"):
            problem, *cells = (cell.strip() for cell in line[2:-2].split(" | "))
            found.append([problem or found[-1][0], *cells])
    return found


def test_every_bound_of_table_1_of_2023_is_in_one_table():
    """The paper's own list of problems is in assets/papers; its bounds are written there again."""
    known = tomllib.loads((ASSETS / "papers" / "ul.toml").read_text(encoding="utf-8"))
    problems = [name for name in known["items"] if name.startswith("Table 1, ")]
    table = rows(shown())
    users = {
        problem: bound
        for problem, counted, bound, *_, source in table
        if counted == "users" and bound[0] != "Ω" and "2021" not in source
    }
    assert len(users) == len(problems) + 1  # hypothesis selection, Theorem 41, is in no table
    assert users == {
        "PAC learning": "Θ̃(d/ε + d/(εαm))",
        "Agnostic PAC learning": "Õ(d/ε + d/(εα√m) + d/(α²m))",
        "Discrete distributions": "Θ̃(k/ε + k/(εα√m) + k/(α²m))",
        "Product distributions": "Θ̃(kd/ε + kd/(εα√m) + kd/(α²m))",
        "Gaussians with known covariance": "Θ̃(d/ε + d/(εα√m) + d/(α²m))",
        "Gaussians with bounded covariance": "Θ̃(d²/ε + d²/(εα√m) + d²/(α²m))",
        "Hypothesis selection": "Õ(ln(|F|/β)/ε + ln(|F|/β)/(εα√m) + ln(|F|/β)/(α²m))",
    }


@pytest.mark.parametrize(("privacy", "model"), sorted({(row.privacy, row.model) for row in ROWS}))
def test_each_bound_stands_once_in_the_table_of_its_privacy_and_model(privacy, model):
    of_both = [row for row in ROWS if (row.privacy, row.model) == (privacy, model)]
    table = shown(privacy, model, problem=of_both[0].problem)
    assert len(rows(table)) == len(of_both)
    assert all(row.table in table.replace("\\", "") for row in of_both)


def test_the_sizes_are_those_of_the_setting():
    setting = {"domain_size": 100, "epsilon": 0.5, "alpha": 0.1, "examples_per_user": 400}
    table = shown(**setting).replace("\\", "")
    # 100/0.5 + 100/(0.5 · 0.1 · 20) + 100/(0.01 · 400)
    assert ["325", "", "Theorem 43"] in [row[3:] for row in rows(table)]
    assert "m = 400" in table
    assert f"{UL}, Table 1" in table


def test_what_does_not_hold_says_so():
    unmet = [row for row in rows(shown(examples_per_user=1)) if "not met here" in row[4]]
    assert {row[0] for row in unmet} == {"PAC learning"}
    many = shown(examples_per_user=10**9, dimension=1, epsilon=0.9, alpha=0.09)
    assert "not met here" not in many
