"""What the views of the page compute."""
