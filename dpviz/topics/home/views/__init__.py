"""What each view of the home page computes, and how it is shown."""
