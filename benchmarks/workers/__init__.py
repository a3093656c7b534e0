"""Computations in worker processes, the plain way, beside the desk: what each costs."""
