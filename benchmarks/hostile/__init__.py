"""Attacks on the app, and how it stands them."""
