"""What can go wrong in the controller; the command line shows each as its one sentence."""


class ControllerError(Exception):
    """Base of the controller's errors; `str()` is one sentence that says what is wrong and what to do."""


class SettingsError(ControllerError):
    """The settings file is missing or unreadable, or something in it cannot be."""


class JournalError(ControllerError):
    """The journal cannot be opened or written, or is no journal of this program."""


class JournalDamagedError(JournalError):
    """What should be the journal is no database, or a damaged one."""


class JournalFormatError(JournalError):
    """The journal was written by a newer version of this program, or by another program: it is left alone."""


class ServiceError(ControllerError):
    """The service cannot be started or reached, or cannot do what was asked of it."""
