"""Makes pixels, squares and millimetres agree."""
