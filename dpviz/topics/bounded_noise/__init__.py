"""Bounded noise against Gaussian noise of the same privacy (Dagan & Kur)."""
