"""Timers of a page, for tests of what comes by itself and not because a patience has ended."""


def endless(milliseconds: int) -> str:
    """Return a script for a page with which no timer of so many milliseconds ever ends."""
    return f"""{{
        const {{ setTimeout: wait }} = window;
        window.setTimeout = (what, ms, ...more) =>
            ms === {milliseconds} ? 0 : wait(what, ms, ...more);
    }}"""
