"""What a class may guess where a view finds the fewest users that are enough."""

from dpviz.plot.text import counted
from dpviz.results.parameters import Limit

GUESS = Limit("guess", "users", "with whom it can be told", 1, 1e5, 20, integer=True, fine=True)


def answer(users: float) -> str:
    """Say how many users it takes."""
    return counted(users, "user")
