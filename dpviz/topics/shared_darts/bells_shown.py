"""What all views of shared darts have: the bells they start from, and what is compared."""

BELLS = ("gap", "width", "width_ratio", "outcomes")


def notes(_: object) -> list[str]:
    """Say what the strategies compared are."""
    return [
        "Shared darts: all throw the same sequence of darts, uniform on outcomes × [0, 1], and "
        "each takes the first below their own curve.",
        "One shared uniform number: each puts it into their own inverse distribution function. It "
        "gives the right laws too, but a small shift of mass moves all intervals behind it.",
        "The two need not talk, nor know each other's distribution. If they "
        "knew both, they could agree except with probability TV; as they don't, no strategy does "
        "essentially better than 2TV/(1 + TV) on all pairs at this distance (Bavarian et al. "
        "2016), which is how often the darts differ. On some pairs one does: different darts may "
        "show the same outcome.",
        "The darts may be long: one small seed, shared once, makes as many as are needed.",
    ]
