"""What was promised where differential privacy is in use: ε, δ, of whom, and for how long."""

from dataclasses import dataclass

from dpviz.results.evidence import Source


@dataclass(frozen=True)
class Deployment:
    """A published promise. unit: whose data it hides; period: how much of them, or how long."""

    name: str
    epsilon: float
    delta: float
    unit: str
    period: str
    source: Source


DEPLOYMENTS = (
    Deployment(
        "Meta, shared links",
        0.45,
        1e-5,
        "a user's actions of one kind, for 99 users in 100",
        "the whole release",
        Source("Messing et al. 2020"),
    ),
    Deployment(
        "Google, mobility", 2.64, 0.0, "a user's visits", "a day", Source("Aktay et al. 2020")
    ),
    Deployment(
        "Apple, emoji", 4.0, 0.0, "what a device sends", "a day", Source("Apple 2017", "local")
    ),
    Deployment(
        "Apple, new words", 16.0, 0.0, "what a device sends", "a day", Source("Apple 2017", "local")
    ),
    Deployment(
        "US Census 2020, persons",
        17.14,
        1e-10,
        "a person's record",
        "redistricting data",
        Source("Abowd et al. 2022"),
    ),
    Deployment(
        "LinkedIn, audiences", 34.9, 7e-9, "a member", "a month", Source("Rogers et al. 2020")
    ),
)
"""By ε. Each as its own document has it, and OpenDP's registry of deployments after it (in 2026);
Apple's two as Desfontaines' list of real-world uses has them."""
