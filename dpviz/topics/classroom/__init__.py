"""What a class finds out about itself: its answers as data, its guesses as an attack."""
