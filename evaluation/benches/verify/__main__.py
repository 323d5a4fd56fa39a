"""The entry of `python -m evaluation.benches.verify`, which measures how right the verifier is."""

from evaluation.benches.verify.bench import main

if __name__ == "__main__":
    main()
