"""The entry of `python -m evaluation.benches.tables`, which measures calculations over one table."""

from evaluation.benches.tables.calculations import main

if __name__ == "__main__":
    main()
