"""Exact privacy accounting of bounded noise; `calibration` is what callers use."""
