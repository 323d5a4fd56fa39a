"""Runs that are stopped from outside: Ctrl-C, kill -9 at any moment, a full disk. Always readable, never half."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from indexing import Collection, build_index, errors
from indexing.embed.minilm import MiniLM
from tests.support import documents, fakes

pytestmark = pytest.mark.cold_workers
ROOT = Path(__file__).resolve().parents[3]

INDEX = """
import sys
from pathlib import Path
from indexing import Collection, build_index
from indexing.store import writer

if __name__ == "__main__":
    writer.FLUSH_PAGES = 3
    home, *paths = map(Path, sys.argv[1:])
    made = Collection.create("made-up", home)
    build_index(made, paths, workers=2, on_progress=lambda p: print(p.pages_done, flush=True))
"""


def start(tmp_path: Path, code: str, *arguments: Path) -> subprocess.Popen[str]:
    """Run `code` in a process group of its own, its output line by line."""
    script = tmp_path / "script.py"
    script.write_text(code)
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "home"), *map(str, arguments)],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def lines(process: subprocess.Popen[str], count: int) -> list[str]:
    """The next `count` lines that the process prints."""
    assert process.stdout is not None
    found = [process.stdout.readline() for _ in range(count)]
    assert all(found), process.stderr.read() if process.stderr else ""
    return found


def assert_whole(made: Collection) -> None:
    """Every visible document has all its pages, one version each, and what search finds is in a visible document."""
    docs = made.documents()
    assert len({d.path for d in docs}) == len(docs)
    for doc in docs:
        pages = [made.page_elements(doc.id, n) for n in range(1, doc.n_pages + 1)]
        assert [len({e.id for e in page}) for page in pages] == [len(page) for page in pages]
        assert [n for n, page in enumerate(pages, 1) if not page] == list(doc.failed_pages)
    hits = made.search("Which page of which book tells of the weather?", limit=100).hits
    assert {h.element.doc_id for h in hits} <= {d.id for d in docs}


def books(folder: Path, middle: int = 10) -> list[Path]:
    """Three files of two, `middle` and two pages."""
    return [
        documents.pdf(folder / f"{name}.pdf", *[[f"Page {n} of {name} tells of the weather."] for n in range(pages)])
        for name, pages in (("a", 2), ("b", middle), ("c", 2))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "pages", [pytest.param(3, marks=pytest.mark.gate), pytest.param(9, marks=pytest.mark.thorough)]
)
def test_a_kill_leaves_no_process_and_the_next_run_completes(tmp_path: Path, embedder: MiniLM, pages: int) -> None:
    files = books(tmp_path)
    process = start(tmp_path, INDEX, *files)
    with process:
        while int(lines(process, 1)[0]) < pages:
            pass
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []
    made = fakes.collection(tmp_path / "home", embedder)
    assert_whole(made)
    assert "c.pdf" not in [d.name for d in made.documents()]
    report = build_index(made, files, workers=2)
    assert report.exit_code == 0
    assert sorted((d.name, d.n_pages) for d in made.documents()) == [("a.pdf", 2), ("b.pdf", 10), ("c.pdf", 2)]
    assert_whole(made)
    assert len(made._store.snapshot().page_keys()) == 14


@pytest.mark.slow
@pytest.mark.gate
def test_a_kill_loses_no_document_that_was_finished_a_while_ago(tmp_path: Path, embedder: MiniLM) -> None:
    process = start(tmp_path, INDEX.replace("FLUSH_PAGES = 3", "PUBLISH_SECONDS = 0"), *books(tmp_path, 40))
    with process:
        while int(lines(process, 1)[0]) < 9:
            pass
        process.kill()
    made = fakes.collection(tmp_path / "home", embedder)
    assert_whole(made)
    assert [d.name for d in made.documents()] == ["a.pdf"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.gate)])
def test_a_signal_leaves_whole_documents(tmp_path: Path, embedder: MiniLM, number: signal.Signals) -> None:
    files = [str(path) for path in books(tmp_path, 200)]
    heard = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell may ignore it
    heard += "from ui.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", heard, "index", *files, "-c", "made-up", "--workers", "1"]
    own = {"PYTHONPATH": str(ROOT), "VOUCH_HOME": str(tmp_path / "home")}
    with subprocess.Popen(
        command, env=os.environ | own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith("b.pdf: file 2"):
            assert process.poll() is None
        os.killpg(process.pid, number)  # as a terminal does: to the workers too
        out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode == 130
    assert "Stopped early; complete documents are kept." in out
    made = fakes.collection(tmp_path / "home", embedder)
    assert_whole(made)
    assert [d.name for d in made.documents()] == ["a.pdf"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], check=False, capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"a small disk needs the right to mount one: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.gate
def test_a_full_disk_is_told_and_costs_only_what_did_not_fit(small_disk: Path, embedder: MiniLM) -> None:
    made = fakes.collection(small_disk, embedder)
    pages = [[f"Paragraph {n} of the page. " * 20 for n in range(10)]]
    kept: list[str] = []

    def fill() -> None:
        for number in range(400):
            kept.extend(d.name for d in fakes.index(made, {f"{number}.pdf": pages}))

    with pytest.raises(errors.DiskFull, match="the disk is full: free some space and run the same command again"):
        fill()
    reader = fakes.collection(small_disk, embedder)
    assert {d.name for d in reader.documents()} >= set(kept) != set()
    assert_whole(reader)
    assert reader.search("What does paragraph 7 say?").hits


def test_a_disk_that_fills_up_with_the_source_copy(small_disk: Path, tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(small_disk, embedder)
    fakes.index(made, {"small.pdf": [["A small file."]]})
    large = tmp_path / "large.pdf"
    large.write_bytes(bytes(6 << 20))
    with pytest.raises(errors.DiskFull, match="the disk is full"):
        fakes.index(made, {"large.pdf": [["A large file."]]}, large)
    assert [d.name for d in made.documents()] == ["small.pdf"]
    fakes.index(made, {"other.pdf": [["Another small file."]]})
    assert {d.name for d in made.documents()} == {"small.pdf", "other.pdf"}
    assert list((made.path / "sources").iterdir()) == []
    assert_whole(made)
