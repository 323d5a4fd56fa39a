"""The entry of `python -m plugins.research.baselines`: the systems a user would pick instead, beside Vouch."""

import sys

from plugins.research.baselines.compare import main

if __name__ == "__main__":
    sys.exit(main())
