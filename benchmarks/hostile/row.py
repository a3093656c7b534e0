"""A line of the table: what was tried, and what came of it."""

from dataclasses import dataclass

HEAD = "| attack | tried | result |\n|---|---|---|"


@dataclass(frozen=True)
class Row:
    """An attack, how often or how it was tried, and the result, in a few words each."""

    attack: str
    tried: str
    result: str

    def __str__(self) -> str:
        return f"| {self.attack} | {self.tried} | {self.result} |"
