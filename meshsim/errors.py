"""One family of exceptions: whatever meshsim refuses, it refuses with a `MeshSimError`."""


class MeshSimError(Exception):
    """A mistake that the user can correct. The message says what is wrong, where, and what would be right."""


class MeshSimWarning(UserWarning):
    """Something of a user's file that was left out, or added. The command line prints it as one line."""
