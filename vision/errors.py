"""What vision cannot do; the command line shows each as its one sentence."""


class VisionError(Exception):
    """Base of vision's errors; `str()` is one sentence that says what is wrong and what to do."""


class NotAnImageError(VisionError):
    """The file is missing, empty or no picture."""


class BoardNotFoundError(VisionError):
    """No 8 × 8 board is visible in the picture."""


class CannotLearnError(VisionError):
    """The picture does not show what it was said to show, so no appearance was learnt from it."""
