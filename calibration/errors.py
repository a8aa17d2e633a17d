"""What can be wrong with a calibration; the command line shows each as its one sentence."""


class CalibrationError(Exception):
    """The calibration file is missing, broken, or does not fit; `str()` is one sentence that says what to do."""


class CalibrationRefusedError(CalibrationError):
    """What was measured is not fit to be used; the sentence says why, and what mends it."""
