"""The samples, indexed as `make demo` does, for the tests that ask them, in a browser too, and for its benchmark.

They are kept in build/ for the next run of tests, by what they were made of and with: take a copy.
"""

import hashlib
import shutil
from pathlib import Path

from filelock import FileLock

from indexing import Collection, IndexingSettings, build_index
from samples import DOCUMENTS

ROOT = DOCUMENTS.parents[1]
KEPT = ROOT / "build" / "samples"


def indexed_samples() -> Path:
    """Return a home with the collection `samples`, indexed by the code as it is now; others wait until it is there."""
    home = KEPT / _made_of()
    KEPT.mkdir(parents=True, exist_ok=True)
    with FileLock(KEPT / "lock"):
        if not home.exists():
            for old in KEPT.glob("*/"):
                shutil.rmtree(old)
            _indexed(KEPT / "part").rename(home)
    return home


def _made_of() -> str:
    """Return what tells these samples from others: the documents, the code that reads them, the versions beneath it."""
    digest = hashlib.sha256()
    files = [path for name in ("indexing", "configs", "samples") for path in (ROOT / name).rglob("*") if path.is_file()]
    for path in sorted([*files, ROOT / "constraints.txt"]):
        if "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def _indexed(folder: Path) -> Path:
    """Make `folder` a home with the collection `samples`, and return it."""
    settings = IndexingSettings(page_seconds=300)  # a machine that runs the tests may be busy
    with Collection.create("samples", folder, settings) as made:
        report = build_index(made, [DOCUMENTS], workers=2, settings=settings)
    assert report.exit_code == 0, report.files
    return folder
