"""What the command `dpviz` says while it works, and of what it cannot read."""
