"""Who may ask for how much: the numbers by which a request waits for its turn, or is refused.

Whose a request is says `dpviz.serve.clients`; who had least lately, and so is next, `usage`. How
long a text may be is asked where it is read.
"""

from typing import NamedTuple


class Capacity(NamedTuple):
    """How many are inside at once, and with those who wait; each: of one network inside at once.

    When there is one more, one of the network with most of them is refused.
    """

    inside: int
    most: int
    each: int | None = None


class Rate(NamedTuple):
    """How many at once, and then how many a second."""

    burst: float
    rate: float


# ---- figures: how many compute at once, `dpviz.serve.scheduler` says itself ----------------------

COMPUTATIONS, COMPUTATION_WAIT = 200, 10.0
"""Computations that have not begun, and the seconds in which one has to begin."""
PICTURES_DRAWN = Capacity(2, 8, 1)
"""Pictures for pages of others."""
STANDING_FIGURES = Capacity(1, 8)
"""Figures of pages before any script runs."""

# ---- threads, each kind its own: `dpviz.serve.workers` says what for -----------------------------

SCRIPTS_RUN, SCRIPTS_EACH = 2, 1
"""Scripts of pages that run at once, and of one network: they leave a place to others."""
STARTS = Capacity(6, 300)
LINKS = Capacity(2, 300, 1)
ROOM_ACTS = Capacity(8, 80, 4)
COPIES = Capacity(2, 10_000)
FILES = Capacity(2, 40, 1)
DRAWINGS = Capacity(1, 1000)
SLOW_DRAWINGS = Capacity(2, 1000)
PLAYS = Capacity(1, 40, 1)
ASIDES = Capacity(1, 40)

# ---- what browsers send --------------------------------------------------------------------------

UPLOADS = Capacity(3, 100, 2)
"""Files that are received: who sends files that never end leaves a place to others."""
MESSAGES = Rate(40, 20)
"""Messages over one WebSocket."""

# ---- rooms ---------------------------------------------------------------------------------------

PHONES = 500
"""At most in a room."""
ROOMS = 100
"""At most at a time."""
ROOMS_EACH = 10
"""At most at a time that one network address has opened: a school may have one for all."""
QUESTIONS = 100
"""At most in a room."""
CLASS, AFTER_IT = 60, 5.0
"""Phones of one address that join a room at once, and how many a second then."""
GUESSES, GUESSING = 60, 0.2
"""Wrong codes that one address may send at once, and how many a second then."""
ALL_GUESSES, ALL_GUESSING, DEARER = 600, 5.0, 20
"""The same of all addresses together; beyond it, a wrong code counts as so many of its address."""
OPENINGS = Rate(20, 0.2)
"""Rooms that one address opens."""
LEADING = Rate(60, 10)
"""What the lecturer of a room does."""
ANSWERING = Rate(10, 1)
"""What a phone of a room does."""
ROOM_COMPUTATIONS = Rate(60, 4)
"""What rooms have computed for one address."""
