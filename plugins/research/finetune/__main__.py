"""The entry of `python -m plugins.research.finetune`, which teaches a vision model to point."""

import sys

from plugins.research.finetune.cli import main

if __name__ == "__main__":
    sys.exit(main())
