"""The entry of `python -m evaluation.baselines`: the systems a user would pick instead, beside Vouch."""

import sys

from evaluation.baselines.compare import main

if __name__ == "__main__":
    sys.exit(main())
