"""Which version of dpviz this is: files, citations, the shell and the wheel read it here."""

VERSION = "0.1.0"

REPOSITORY = ""
"""Where it is developed; a release fills it in."""
