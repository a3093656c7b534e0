"""Whether the colours of a page's drawings are said in its styles."""

import re


def unset(markup: str, *styles: str) -> set[str]:
    """Return the variables that a page's drawings are coloured by and no style of it sets."""
    said = {name for style in styles for name in re.findall(r"(--ink-[\w-]+):", style)}
    return set(re.findall(r"var\((--ink-[\w-]+)\)", markup)) - said
