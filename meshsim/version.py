"""The version, said once: the package's metadata and `meshsim --version` take it from here."""

__version__ = "0.1.0"
