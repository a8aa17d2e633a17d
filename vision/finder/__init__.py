"""Finding a board of 8 × 8 squares in a picture: any rotation, tilts to about 55°, no markers needed.

Saddle points where four squares meet (saddles.py) are joined to regular lattices (lattice.py); of each lattice the
8 × 8 window is taken inside which the corners alternate, on whose rim the board's squares end, and around which
nothing alternates (window.py), so that a frame or rim cannot shift the board by a square. Where that does not tell,
markers around the board do (vision.markers); where no board is found, refusal.py says why. The idea of growing a
checkerboard from saddle points is that of Geiger et al., "Automatic camera and range sensor calibration using a
single shot", ICRA 2012.
"""

from vision.finder.board import FoundBoard, board_of_camera
from vision.finder.by_hand import board_from_corners
from vision.finder.find import find_board

__all__ = ["FoundBoard", "board_from_corners", "board_of_camera", "find_board"]
