"""Entry point of the command, before any slow import, so that an interrupt is always quiet."""

import io
import signal
import sys


def main() -> int:
    """Run `meshsim`."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that workers end and files are closed
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no failure
    try:
        from meshsim.experiments.cli import main as cli

        return cli.main()
    except KeyboardInterrupt as stopped:
        print(f"meshsim: interrupted{f'; {stopped}' if str(stopped) else ''}", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
