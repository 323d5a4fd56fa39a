"""The entry of `python -m plugins.audit.evaluation.fit`."""

from plugins.audit.evaluation.fit import main

if __name__ == "__main__":
    main()
