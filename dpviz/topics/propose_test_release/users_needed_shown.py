"""What every view shows where there are too few users to test."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar

from dpviz.plot.chart import draw
from dpviz.plot.linked import Linked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.delstab_shown import users_it_needs
from dpviz.topics.propose_test_release.users_needed import UsersNeeded

Shown = TypeVar("Shown")


def or_users_needed(view: View) -> View:
    """Return the view that says how many users are needed where there are too few."""

    def figure(result: Any, theme: Theme) -> Figure:
        return (
            draw(result, theme) if isinstance(result, UsersNeeded) else view.figure(result, theme)
        )

    def linked(result: Any, theme: Theme) -> Linked | None:
        if view.linked is None or isinstance(result, UsersNeeded):
            return None
        return view.linked(result, theme)

    return replace(
        view,
        takeaway=_unless_too_few(view.takeaway, takeaway),
        detail=_unless_too_few(view.detail, detail),
        notes=_unless_too_few(view.notes, notes),
        figure=figure,
        linked=linked if view.linked is not None else None,
    )


def takeaway(result: UsersNeeded) -> str:
    """State how many users are needed, and how many there are."""
    return f"The test needs more than {4 * result.kappa:,} users, {_there(result)}."


def detail(result: UsersNeeded) -> str:
    """State κ, and how many users that asks for."""
    return f"{users_it_needs(result.kappa)}, {_there(result)}, so there is nothing to test."


def notes(_: UsersNeeded) -> Collection[str]:
    """Return nothing: there is no test to explain."""
    return []


def _there(result: UsersNeeded) -> str:
    are = "is" if result.users == 1 else "are"
    return f"but there {are} only {result.users:,}: nobody would be left to answer"


def _unless_too_few(
    say: Callable[[Any], Shown], needed: Callable[[UsersNeeded], Shown]
) -> Callable[[Any], Shown]:
    return lambda result: needed(result) if isinstance(result, UsersNeeded) else say(result)
