"""What all views of shared darts have: the bells they start from, and what is compared."""

from dpviz.plot.text import hundredths

BELLS = ("gap", "width", "width_ratio", "outcomes")


def of_a_hundred(part: float, *, agree: bool = False) -> str:
    """Say in how many of a hundred games picks differ, or agree, to two digits: ``30`` of them.

    Equal bells always agree; bells that differ share some mass, were it less than any float.
    """
    if part == agree:
        return "all" if agree else "none"
    if part >= 0.995:
        return "nearly all"
    return "hardly any" if part < 0.005 else hundredths(part, digits=2)


def notes(_: object) -> list[str]:
    """Say what the strategies compared are."""
    return [
        "With shared darts, both see the same sequence of darts, uniform on outcomes × [0, 1], "
        "and each takes the first below their own curve.",
        "With one shared uniform number, each puts it into their own inverse distribution "
        "function. That gives the right laws too, but a small shift of mass moves all intervals "
        "behind it.",
        "The two need not talk, nor know each other's distribution. If they knew both, they "
        "could agree except with probability TV. As they don't, every strategy fails for some "
        "pair at this distance with probability about 2TV/(1 + TV) or more (Bavarian et al. "
        "2016). That is how often the darts differ; on some pairs the outcomes differ less "
        "often, as different darts may show the same outcome.",
        "Any number of darts can be made from one small seed, shared once.",
    ]
