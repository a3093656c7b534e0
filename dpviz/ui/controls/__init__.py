"""The widgets of a page's parameters."""
