"""`python -m meshsim`."""

import sys

from meshsim.experiments.cli.entry import main

if __name__ == "__main__":  # worker processes import this file, too
    sys.exit(main())
