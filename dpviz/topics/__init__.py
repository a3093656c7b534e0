"""One folder a topic: its theory, its views, its figures and its words."""
