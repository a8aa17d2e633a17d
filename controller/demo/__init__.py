"""A whole game by itself on the simulated table: a simulated human against the robot."""
