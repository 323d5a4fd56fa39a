"""The entry of `python -m evaluation`, to which `vouch eval` hands over, too."""

import sys

from evaluation.cli import main

if __name__ == "__main__":
    sys.exit(main())
