"""How the simulated camera's picture is drawn: a projection of our own with OpenCV and numpy."""
