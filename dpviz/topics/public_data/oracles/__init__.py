"""Optimisers: empirical risk minimisation over a class, exact, and counted; a module a class."""
