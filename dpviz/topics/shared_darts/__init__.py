"""Shared darts: two people with different distributions choose alike (correlated sampling)."""
