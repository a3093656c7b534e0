"""The views of this topic: what each of them computes."""
