"""Finding a board of 8 × 8 squares in a picture: no markers, any rotation, tilts to about 55°.

Saddle points where four squares meet (saddles.py) are joined to regular lattices (lattice.py); of each lattice the
8 × 8 window is taken inside which the corners alternate and around which they do not (window.py), so that a frame
or rim cannot shift the board by a square. The idea of growing a checkerboard from saddle points is that of Geiger et
al., "Automatic camera and range sensor calibration using a single shot", ICRA 2012.
"""

from vision.finder.find import FoundBoard, board_of_camera, find_board

__all__ = ["FoundBoard", "board_of_camera", "find_board"]
