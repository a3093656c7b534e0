"""What a page declares, how a link spells it, and one state of it."""
