"""A class in a room: students' phones follow the lecturer, predict, answer and attack."""
