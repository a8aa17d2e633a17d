"""Reading a board of which nothing is known but the picture.

The square network says where discs are and how large (vision.square_network), the disc network how high what stands
there is and whether its face bears a mark (vision.disc_network). What only the board as a whole can tell is worked
out here: which of two colours each disc has (colour_groups.py), how high one disc is (disc_heights.py), how high the
walls below the faces are against each other (side_walls.py, faces.py, round_shapes.py), and on which squares none
lies (board_reading.py).
"""

from vision.unprepared.board_reading import BoardReading, read_board

__all__ = ["BoardReading", "read_board"]
