"""What can be wrong with a calibration; the command line shows each as its one sentence."""


class CalibrationError(Exception):
    """The calibration file is missing, broken, or does not fit; `str()` is one sentence that says what to do."""
