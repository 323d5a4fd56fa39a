"""The command `python -m evaluation.benches.references`."""

from evaluation.benches.references.tally import main

if __name__ == "__main__":
    main()
