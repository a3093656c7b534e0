"""Which version of dpviz this is: files, citations, the shell and the wheel read it here."""

VERSION = "0.1.0"
