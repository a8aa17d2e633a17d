"""Reading a board of which nothing is known but the picture.

Round shapes of one size show where discs lie (round_shapes.py, first_look.py); the colours of their faces fall into
two groups; how tall they stand is told by the side walls below the faces (side_walls.py).
"""

from vision.unprepared.board_reading import BoardReading, read_board

__all__ = ["BoardReading", "read_board"]
