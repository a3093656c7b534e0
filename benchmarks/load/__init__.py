"""How many readers a small server carries: ``python -m benchmarks.load``."""
