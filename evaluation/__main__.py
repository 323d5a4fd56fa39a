"""`python -m evaluation`, which is also what `vouch eval` hands over to."""

import sys

from evaluation.command import main

if __name__ == "__main__":
    sys.exit(main())
