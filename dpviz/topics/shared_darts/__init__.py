"""Correlated sampling of two bells, made visible."""
