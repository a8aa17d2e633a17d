"""The game: what is true on the board, and what to do next."""
