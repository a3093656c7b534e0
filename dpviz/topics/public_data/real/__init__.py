"""Real data: sets with labels, how they are split, and what learns from them."""
