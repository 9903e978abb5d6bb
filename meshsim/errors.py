"""One family of exceptions: whatever meshsim refuses, it refuses with a `MeshSimError`."""


class MeshSimError(Exception):
    """Something a user can put right. The message says what is wrong, where, and what would be right."""
