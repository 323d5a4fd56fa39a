"""The entry of `python -m evaluation.fit references`: fit the weights that read the fields of bibliography entries."""

import sys

from evaluation.fit.references import main

if __name__ == "__main__":
    if sys.argv[1:2] != ["references"]:
        sys.exit("usage: python -m evaluation.fit references ...")
    main(sys.argv[2:])
