"""What every view shows where there are too few users to test."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dpviz.plot.chart import draw
from dpviz.plot.text import agreeing
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.delstab_shown import users_it_needs
from dpviz.topics.propose_test_release.users_needed import UsersNeeded


def or_users_needed(view: View) -> View:
    """Return the view that says how many users are needed where there are too few."""

    def unless_too_few(own: Callable[..., Any], needed: Callable[..., Any]) -> Callable[..., Any]:
        def either(result: Any, *more: Any) -> Any:
            return (needed if isinstance(result, UsersNeeded) else own)(result, *more)

        return either

    return replace(
        view,
        takeaway=unless_too_few(view.takeaway, takeaway),
        detail=unless_too_few(view.detail, detail),
        notes=unless_too_few(view.notes, lambda _: []),  # there is no test to explain
        figure=unless_too_few(view.figure, draw),
    )


def takeaway(result: UsersNeeded) -> str:
    """State how many users are needed, and how many there are."""
    return f"The test needs more than {4 * result.kappa:,} users, {_there(result)}."


def detail(result: UsersNeeded) -> str:
    """State κ, and how many users that asks for."""
    return f"{users_it_needs(result.kappa)}, {_there(result)}, so there is nothing to test."


def _there(result: UsersNeeded) -> str:
    are = agreeing(result.users, "is", "are")
    return f"but there {are} only {result.users:,}: nobody would be left to answer"
