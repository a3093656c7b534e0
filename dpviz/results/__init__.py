"""The vocabulary of every result: evidence, ranges, papers, and the order from coarse to fine."""
