"""What the figures of a class show."""
