"""The entry point of `python -m evaluation` and of `vouch eval`."""

import sys

from evaluation.cli import main

if __name__ == "__main__":
    sys.exit(main())
