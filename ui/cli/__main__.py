"""`python -m ui.cli`, the same as `vouch`."""

import sys

from ui.cli import main

if __name__ == "__main__":
    sys.exit(main())
