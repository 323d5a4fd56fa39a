"""The entry of `python -m evaluation.finetune`, which teaches a vision model to point."""

import sys

from evaluation.finetune.cli import main

if __name__ == "__main__":
    sys.exit(main())
