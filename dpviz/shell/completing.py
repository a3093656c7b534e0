"""What lets a shell complete the words of the command: a script that shtab writes."""

from dpviz.shell.parser import Parser

SHELLS = ("bash", "zsh", "tcsh")


def script(parser: Parser, shell: str) -> str:
    """Return the script of one of `SHELLS` for a parser with its commands."""
    import shtab

    for command in parser.commands.values():
        for action in command.added:
            if isinstance(action.metavar, str) and action.metavar.startswith("{"):
                action.choices = action.metavar[1:-1].split(",")
            elif action.dest == "output":
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    text: str = shtab.complete(parser, shell)
    return text
