"""The home page's own figure."""
