"""Moves discs and feels buttons; knows nothing of the game."""
