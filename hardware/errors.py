"""What can go wrong with the machine; the command line shows each as its one sentence."""


class HardwareError(Exception):
    """A fault of camera, serial line, firmware or panel; `str()` is one sentence that says what to do."""


class CameraError(HardwareError):
    """The camera is missing, gave no frame, or its frame is too old."""


class SerialError(HardwareError, OSError):
    """The serial line cannot be opened, is gone, or does not answer."""


class PortInUseError(SerialError):
    """Another program has the serial port."""


class FirmwareError(HardwareError):
    """The motion firmware refused a line, raised an alarm, or is no firmware that we know."""


class PositionLostError(FirmwareError):
    """The machine no longer knows where it is and must be homed before it may move."""


class StoppedError(HardwareError):
    """Motion was stopped, by a person or by the program, and has not been allowed again."""


class OutOfReachError(HardwareError, ValueError):
    """A point lies outside the machine's travel; nothing was sent."""


class GripperError(HardwareError):
    """The gripper has not done what it should; the machine itself is well."""


class DiscNotHeldError(GripperError):
    """The gripper's sensor feels no disc where one should be held; the gripper has been switched off."""


class DiscStuckError(GripperError):
    """The gripper's sensor still feels a disc that should have been put down."""


class GripperHotError(GripperError):
    """The gripper has held for as long as it can stand, and has let go of whatever it held."""


class TableProgramError(HardwareError):
    """The simulated table as a program cannot be started, is gone, or cannot do what was asked."""
