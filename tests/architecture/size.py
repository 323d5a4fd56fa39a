"""Count the lines of Python of the core, of each plugin and of the tests: `make size` prints them."""

import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ("vouch", "indexing", "rag", "ui", "evaluation", "configs")


def lines_by_part() -> dict[str, Counter[str]]:
    """Return the lines and files of each part by "lines" and "files": packages, plugins/NAME, samples, tests."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Counter[str]] = {}
    for name in listed.stdout.split():
        if not (ROOT / name).is_file():
            continue  # deleted, and not committed yet
        first, second, *_ = (*name.split("/"), "")
        part = f"{first}/{second}" if first == "plugins" and not second.endswith(".py") else first
        found.setdefault(part, Counter()).update(lines=(ROOT / name).read_text(encoding="utf-8").count("\n"), files=1)
    return found


def total(parts: dict[str, Counter[str]], *prefixes: str, count: str = "lines") -> int:
    """Return the lines, or by `count` the files, of the parts whose names begin so."""
    return sum(counts[count] for name, counts in parts.items() if name.startswith(prefixes))


def main() -> None:
    """Print the table."""
    parts = lines_by_part()
    for name, count in sorted(parts.items(), key=lambda item: -item[1]["lines"]):
        print(f"{count['lines']:8,d} lines {count['files']:5d} files  {name}")
    print(f"{total(parts, *CORE):8,d} lines of the core")
    lines, files = (total(parts, *CORE, "plugins", count=count) for count in ("lines", "files"))
    print(f"{lines:8,d} lines with the plugins, in {files} files")


if __name__ == "__main__":
    main()
