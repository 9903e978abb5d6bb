"""Where the command begins: before anything that takes time to import, so that an interrupt is always quiet."""

import sys


def main() -> int:
    """Run `meshsim`."""
    try:
        from experiments import cli

        return cli.main()
    except KeyboardInterrupt:
        print("meshsim: interrupted", file=sys.stderr)
        return 130
