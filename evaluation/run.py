r"""An alias of `vouch eval`, `python -m evaluation.run TASK`, with names of its own for some options.

    python -m evaluation.run mmdocir --gold dev.jsonl --pdfs pdfs/ --mode multi --scope document --out multi.jsonl
    python -m evaluation.run mmdocir --gold dev.jsonl --pdfs pdfs/ --mode text image multi --scope collection \
        --by modality --out runs/today/

Every question becomes one line of --out: qid, ranked_pages, ranked_boxes, citations, answer, abstained, latency_ms.
Beside it lies a .summary.json with the settings and the figures. With several modes --out is a folder of such files.
`vouch eval mmdocir --help` explains the options; --gold is its --data, --pdfs its --documents, --limit-questions its
--limit, --scope and --by are its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from evaluation import cli

NAMES = {"--gold": "--data", "--pdfs": "--documents", "--limit-questions": "--limit"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 when every question was asked, 130 when stopped by Ctrl-C, 2 when nothing could be run."""
    given = sys.argv[1:] if argv is None else argv
    if not given or given[0] in ("-h", "--help"):
        sys.stdout.write(f"{__doc__}\n")
        return 0
    words = [NAMES.get(word, word) for word in given]
    defaults = [] if "--collection" in words else ["--collection", "eval"]
    return cli.main([*words, *defaults, "--flat"])


if __name__ == "__main__":
    sys.exit(main())
