"""What several topics rest on: exact and certified mathematics, without drawing."""
