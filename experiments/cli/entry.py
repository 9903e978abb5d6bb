"""Entry point of the command, before any slow import, so that an interrupt is always quiet."""

import gc
import io
import signal
import sys

YOUNG = 100_000
"""So many new objects are looked through for cycles at a time: what is imported has few, and a look takes long."""


def main() -> int:
    """Run `meshsim`."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that workers end and files are closed
    gc.set_threshold(YOUNG)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no failure
    try:
        from meshsim.experiments.cli import main as cli

        return cli.main()
    except KeyboardInterrupt as stopped:
        print(f"meshsim: interrupted{f'; {stopped}' if str(stopped) else ''}", file=sys.stderr)
        return 130
    finally:
        gc.freeze()  # so that Python, as it ends, does not look through all there is for cycles


if __name__ == "__main__":
    sys.exit(main())
