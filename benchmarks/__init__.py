"""What is measured, against whom: ``python -m benchmarks``."""
