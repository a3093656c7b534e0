"""Options of the command: every mistake is answered by what to type."""

import argparse
import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from dpviz.results.numbers import read_number

_NAMED = 4  # close names, at most
_LONGEST_ECHO = 40  # characters of what was typed, in the answer


def number(text: str) -> float:
    """Return the number that was typed. Raises what `argparse` reports."""
    value = read_number(text)
    if math.isnan(value):
        advice = ", write a decimal point, as in 0.1" if "," in text else ""
        raise argparse.ArgumentTypeError(f"{text[:_LONGEST_ECHO]!r} is no number{advice}")
    return value


class Parser(argparse.ArgumentParser):
    """The parser of the command, or of one of its commands.

    It knows a negative number from an option, and names what is near to a name that it lacks.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._flags: list[str] = []
        self._names: Mapping[str, Parser] = {}
        self.added: list[argparse.Action] = []
        super().__init__(*arguments, **options)

    def add_argument(self, *arguments: Any, **options: Any) -> argparse.Action:
        """Add an argument, as `argparse` has it."""
        added = super().add_argument(*arguments, **options)
        self._flags += added.option_strings
        self.added.append(added)
        return added

    def add_subparsers(self, **options: Any) -> Any:
        """Add commands, as `argparse` has it; each has a parser like this one."""
        commands = super().add_subparsers(parser_class=Parser, **options)
        self._names = commands.choices
        return commands

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        """Read the words; what is no option or no command here ends the process with 2."""
        words: list[str] = []
        for word in args or ():
            if self._names and not word.startswith("-"):  # the rest is for a command
                if word not in self._names:
                    self._refuse("command", word, list(self._names))
                return super().parse_known_args([*words, *(args or ())[len(words) :]], namespace)
            if words and words[-1].startswith("--") and "=" not in words[-1] and _is_negative(word):
                words[-1] += f"={word}"  # argparse takes -1e-3 for an option
                continue
            name = word.partition("=")[0]
            if name.startswith("--") and not any(flag.startswith(name) for flag in self._flags):
                self._refuse("option", name, self._flags)
            words.append(word)
        return super().parse_known_args(words, namespace)

    @property
    def commands(self) -> "Mapping[str, Parser]":
        """The parsers of its commands, by their names."""
        return self._names

    def refuse_option(self, word: str) -> NoReturn:
        """Say of an option that there is none of this name."""
        self._refuse("option", word, self._flags)

    def error(self, message: str) -> NoReturn:
        """End the process with 2, and say what was wrong and what to type."""
        text = message.removeprefix("argument ")
        if self.epilog:
            text += f"; {self.epilog}"
        self.exit(2, f"{self.prog}: {text}\n")

    def _refuse(self, kind: str, word: str, offered: Sequence[str]) -> NoReturn:
        offered = [name for name in offered if name not in ("-h", "--help")]
        near = difflib.get_close_matches(word[:_LONGEST_ECHO], offered, _NAMED)
        hint = f"perhaps {' or '.join(near)}" if near else f"there are {', '.join(offered)}"
        self.error(f"there is no {kind} {word[:_LONGEST_ECHO]}; {hint}")


def _is_negative(word: str) -> bool:
    return word.startswith("-") and not math.isnan(read_number(word))
