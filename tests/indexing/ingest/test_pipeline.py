"""build_index on a folder in which most things are wrong: nothing is silent, nothing is lost, and the run goes on."""

import os
import shutil
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from indexing import Collection, FileReport, IndexingSettings, IndexReport, Progress, build_index
from indexing.embed.minilm import MiniLM
from indexing.ingest.report import kept_as_read
from tests.support import documents, fakes

pytestmark = pytest.mark.cold_workers

SLOW = pytest.mark.slow
SETTINGS = IndexingSettings(workers=2, page_seconds=10, worker_memory_mb=900)
EMOJI = "\U0001f9c9 it's.pdf"


@dataclass
class Run:
    """A run over `folder`: its report by file name, and the progress it told."""

    folder: Path
    collection: Collection
    report: IndexReport
    told: list[Progress]

    @property
    def files(self) -> dict[str, FileReport]:
        return {f.name: f for f in self.report.files}


@dataclass(frozen=True)
class Workers:
    """The processes of a pool (not multiprocessing's resource tracker, nor what earlier tests left running)."""

    before: frozenset[psutil.Process]

    def alive(self) -> list[psutil.Process]:
        children = set(psutil.Process().children(recursive=True)) - self.before
        return [p for p in children if p.is_running() and "spawn_main" in " ".join(p.cmdline())]

    def left(self) -> list[psutil.Process]:
        """Those that have not ended ten seconds after they were killed."""
        return list(psutil.wait_procs(self.alive(), timeout=10)[1])


@pytest.fixture(scope="module")
def workers() -> Workers:
    return Workers(frozenset(psutil.Process().children(recursive=True)))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM, workers: Workers) -> Run:
    assert workers.alive() == []  # counted before there are any
    folder = tmp_path_factory.mktemp("mixed")
    mill = documents.pdf(
        folder / "mill.pdf", ["The mill by the river grinds rye."], ["It burned down in the year 1911."]
    )
    shutil.copy(mill, folder / "mill copy.pdf")
    documents.pdf(folder / EMOJI, ["Mate is drunk through a straw."])
    documents.truncated(folder / "half.pdf", 0.7)
    documents.encrypted(folder / "vault.pdf")
    documents.pixel_bomb(folder / "bomb.png")
    documents.endless(folder / "endless.pdf")
    documents.hungry(folder / "hungry.pdf")
    documents.pdf(folder / "giant.pdf", ["A giant page that has a line of text."], size=(14_400, 14_400))
    documents.picture(["Cider"], (300, 200)).save(folder / "stump.png")
    (folder / "stump.png").write_bytes((folder / "stump.png").read_bytes()[:900])
    (folder / "letter.pdf").write_text("Dear Sir or Madam")
    os.mkfifo(folder / "pipe.pdf")
    made = fakes.collection(folder / "home", embedder)
    told: list[Progress] = []
    report = build_index(made, [folder, folder / "nothing.pdf"], settings=SETTINGS, on_progress=told.append)
    return Run(folder, made, report, told)


@SLOW
@pytest.mark.gate
def test_good_files_are_indexed_and_found(mixed: Run) -> None:
    assert mixed.files[EMOJI].status == "indexed"
    assert (mixed.files["mill copy.pdf"].failures, mixed.files["mill copy.pdf"].pages) == ((), 2)
    hits = mixed.collection.search("When did the mill burn down?", limit=1).hits
    assert [h.element.text for h in hits] == ["It burned down in the year 1911."]
    assert hits[0].element.page == 2
    assert sorted(mixed.files[name].status for name in ("mill.pdf", "mill copy.pdf")) == ["indexed", "skipped"]
    assert len({d.id for d in mixed.collection.documents()}) == len(mixed.collection.documents()) == 3


BAD = {
    "vault.pdf": ("EncryptedFile", "--password"),
    "bomb.png": ("TooLarge", "max_pixels"),
    "stump.png": ("DamagedFile", "get it again"),
    "letter.pdf": ("DamagedFile", "get it again"),
    "pipe.pdf": ("NotReadable", "not a regular file"),
    "nothing.pdf": ("FileMissing", "check the spelling"),
    "endless.pdf": ("PageTimeout", "page 1 used more than 10 s of processor time and was stopped: raise page_seconds"),
    "hungry.pdf": ("PageCrash", "raise worker_memory_mb"),
    "giant.pdf": ("PageCrash", "raise worker_memory_mb"),
}


@SLOW
@pytest.mark.gate
def test_each_bad_file_is_one_named_failure(mixed: Run) -> None:
    for name, (error, advice) in BAD.items():
        report = mixed.files[name]
        assert (name, report.status, [f.error for f in report.failures]) == (name, "failed", [error])
        assert name in report.failures[0].message
        assert advice in report.failures[0].message


@SLOW
def test_progress_only_grows_and_ends_at_the_end(mixed: Run) -> None:
    for name in ("files_done", "pages_done", "pages_total", "seconds"):
        values = [getattr(p, name) for p in mixed.told]
        assert values == sorted(values), name
    assert all(p.pages_done <= p.pages_total and p.files_done <= p.files_total for p in mixed.told)
    last = mixed.told[-1]
    assert last.files_done == last.files_total == len(mixed.report.files)
    assert last.pages_done == last.pages_total
    assert last.pages_per_second > 0
    assert {p.report.name: p.report.status for p in mixed.told if p.report} == {
        f.name: f.status for f in mixed.report.files
    }
    (mill,) = (f for f in mixed.report.files if f.name.startswith("mill") and f.status == "indexed")
    assert [(p.page, p.pages) for p in mixed.told if p.path == mill.path and not p.report] == [(1, 2), (2, 2)]


@SLOW
@pytest.mark.gate
def test_no_worker_is_left(mixed: Run, workers: Workers) -> None:
    assert mixed.report.files
    assert workers.left() == []


@SLOW
def test_again_what_is_there_is_skipped_and_what_was_fixed_is_indexed(mixed: Run) -> None:
    documents.pdf(mixed.folder / "letter.pdf", ["Dear Sir or Madam, the bridge was closed in May."])
    documents.pdf(mixed.folder / EMOJI, ["Mate is drunk from a gourd."])
    paths = [mixed.folder / name for name in ("letter.pdf", EMOJI, "half.pdf", "mill.pdf")]
    before = mixed.collection.documents()
    report = build_index(
        mixed.collection, [*paths, mixed.folder / "vault.pdf"], settings=SETTINGS, password="open sesame"
    )
    assert {f.name: f.status for f in report.files} == {
        "letter.pdf": "indexed",
        EMOJI: "replaced",
        "half.pdf": "skipped",
        "mill.pdf": "skipped",
        "vault.pdf": "indexed",
    }
    assert report.exit_code == 0
    after = mixed.collection.documents()
    assert len(after) == len(before) + 2
    texts = [h.element.text for h in mixed.collection.search("How is mate drunk?", limit=30).hits]
    assert "Mate is drunk from a gourd." in texts
    assert "Mate is drunk through a straw." not in texts
    with mixed.collection as drawing:  # ends the process that draws
        drawn = drawing.draw_page(drawing.document("vault.pdf").id, 1, 300)
    assert drawn.size[0] == 300
    assert drawn.getextrema() != ((255, 255), (255, 255), (255, 255))


# ---- runs that end early or badly ----------------------------------------------------------------------------------


def book(path: Path, pages: int) -> Path:
    return documents.pdf(path, *[[f"Page {n} tells of the weather in week {n}."] for n in range(1, pages + 1)])


@SLOW
@pytest.mark.gate
def test_a_killed_worker_costs_at_most_its_page(tmp_path: Path, embedder: MiniLM, workers: Workers) -> None:
    made = fakes.collection(tmp_path / "home", embedder)
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.pages_done == 3 and not killed:
            victim = workers.alive()[0]
            victim.kill()
            killed.append(victim.pid)

    report = build_index(made, [book(tmp_path / "book.pdf", 20)], workers=2, on_progress=kill_one)
    (file,) = report.files
    assert len(killed) == 1
    assert file.status == "indexed"
    assert file.pages >= 19
    assert [f.error for f in file.failures] in ([], ["PageCrash"])
    (doc,) = made.documents()
    assert len(doc.failed_pages) == 20 - file.pages
    assert sum(bool(made.page_elements(doc.id, n)) for n in range(1, 21)) == file.pages


@SLOW
@pytest.mark.gate
def test_the_run_after_a_cancelled_one_completes_it(tmp_path: Path, embedder: MiniLM, workers: Workers) -> None:
    made = fakes.collection(tmp_path / "home", embedder)
    files = [book(tmp_path / "a.pdf", 2), book(tmp_path / "b.pdf", 12)]
    stop = threading.Event()
    report = build_index(
        made, files, workers=2, cancel=stop, on_progress=lambda p: stop.set() if p.pages_done == 4 else None
    )
    assert report.cancelled
    assert report.exit_code == 130
    assert [d.name for d in made.documents()] == ["a.pdf"]
    assert len(made._store.snapshot().page_keys()) == 2
    assert workers.left() == []
    again = build_index(made, files, workers=2)
    assert [f.status for f in again.files if f.name == "a.pdf"] == ["skipped"]
    assert again.exit_code == 0
    assert [d.n_pages for d in made.documents()] == [2, 12]


def test_a_run_that_cannot_do_anything_says_so_by_its_exit_code(collection: Collection, tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    report = build_index(collection, [book(tmp_path / "b.pdf", 1)], cancel=stop)
    assert (report.cancelled, report.exit_code, collection.documents()) == (True, 130, ())
    (tmp_path / "a.pdf").write_bytes(b"")
    report = build_index(collection, [tmp_path / "a.pdf", tmp_path / "gone.pdf"])
    assert [f.failures[0].error for f in report.files] == ["EmptyFile", "FileMissing"]
    assert report.exit_code == build_index(collection, []).exit_code == 2


def test_an_ocr_mode_that_comes_too_late_is_noted() -> None:
    there = FileReport("/a.pdf", "a.pdf", "skipped", doc_id="1")
    assert kept_as_read([there], None) == kept_as_read([there, replace(there, status="indexed")], "never") == ()
    assert "to read them with ocr always, remove them with vouch remove" in kept_as_read([there], "always")[0]
