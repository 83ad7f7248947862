"""What goes wrong."""

__all__ = ["Error", "HubError", "ProgramError"]


class Error(Exception):
    """A request that cannot be carried out: an unknown task, a problem that cannot be read."""


class ProgramError(Error):
    """The program cannot be found or started, or ended without an answer."""


class HubError(Error):
    """A hub refused a request, or could not be reached. ``status`` is that of HTTP; 0: there was no reply."""

    def __init__(self, message: str, status: int = 0):
        super().__init__(message)
        self.status = status
