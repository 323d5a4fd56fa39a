"""The entry of `python -m plugins.research.fit WHAT`: fit learnt parameters; each WHAT has a --help of its own."""

import sys
from importlib import import_module

FITTED = ("citable", "confidence", "marks")

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in FITTED:
        sys.exit(f"usage: python -m plugins.research.fit {{{','.join(FITTED)}}} ...")
    import_module(f"plugins.research.fit.{sys.argv[1]}").main(sys.argv[2:])
