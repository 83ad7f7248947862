"""The errors of the package."""

__all__ = ["Error", "HubError", "ProgramError", "SessionError"]


class Error(Exception):
    """A request that fails: an unknown task, an unreadable problem."""


class ProgramError(Error):
    """The program cannot be found or started, or ended without an answer."""


class HubError(Error):
    """A hub refused a request, or is out of reach. ``status`` is the HTTP status; 0: no reply."""

    def __init__(self, message: str, status: int = 0):
        super().__init__(message)
        self.status = status


class SessionError(Error):
    """A gateway refused a request, or is out of reach. ``status`` is the HTTP status; 0: no reply."""

    def __init__(self, message: str, status: int = 0):
        super().__init__(message)
        self.status = status
