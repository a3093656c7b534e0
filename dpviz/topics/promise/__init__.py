"""What ε and δ promise to one person: every attacker, odds, many answers, many rows."""
