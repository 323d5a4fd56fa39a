"""Indexing on two nodes: the same collection as of a local run, whoever dies on the way."""

import logging
import signal
import subprocess
import sys
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection, IndexingSettings, Progress, build_index, errors
from indexing.workers import Job
from plugins.cluster.executor import RayExecutor
from tests.plugins.cluster.nodes.conftest import HEAD, OTHER, ROOT, Cluster
from tests.support import documents
from tests.support.waiting import until

SAMPLES = ROOT / "samples" / "documents"
MANUAL = SAMPLES / "tg40-tide-gauge-manual.pdf"
BOOK = 36
"""The pages of the book: so many that it is not complete when a run is ended that has begun to read it."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A manual with tables and figures, a book of small pages, read while a run is ended, and a mail with a text."""
    folder = tmp_path_factory.mktemp("files")
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", "Minutes of May"
    mail.set_content("Hello,\n\nthe minutes are attached. The budget is 40 crowns.\n")
    minutes = b"# Minutes\n\nThe roof was mended in April.\n"
    mail.add_attachment(minutes, maintype="text", subtype="markdown", filename="minutes.md")
    (folder / "mail.eml").write_bytes(bytes(mail))
    documents.pdf(folder / "book.pdf", *([f"Page {n} tells of the river."] for n in range(1, BOOK + 1)))
    return [MANUAL, folder / "book.pdf", folder / "mail.eml"]


@pytest.fixture(scope="module")
def local(files: Sequence[Path]) -> dict[str, Any]:
    """All rows of a local run."""
    made = Collection.create("local")
    assert build_index(made, files, workers=1).exit_code == 0
    return rows_of(made)


def rows_of(collection: Collection) -> dict[str, Any]:
    """Return the documents of a collection, its elements, and the vectors of its pages, in the order of their keys."""
    snapshot = collection.snapshot()
    keys = snapshot.element_keys().to_pydict()
    elements = sorted(map(repr, snapshot.elements(keys["_rowid"])))
    found = [(d.id, d.name, d.title, d.n_pages, d.n_elements, d.metadata) for d in collection.documents()]
    pages = [(d.id, n) for d in collection.documents() for n in range(1, d.n_pages + 1)]
    vectors = [(key, [repr(snapshot.visual_vectors(*key))]) for key in sorted(pages)]
    return {"documents": sorted(found), "elements": elements, "vectors": vectors}


@pytest.mark.gate
def test_two_nodes_parse_within_the_limits_of_each(cluster: Cluster, tmp_path: Path) -> None:
    """A page that never ends is killed on its node, whose other processes go on; the error is that of a local run."""
    hasty = IndexingSettings(page_seconds=2, visual="none")
    with RayExecutor(cluster.on, hasty, tmp_path / "renditions") as executor:
        until(lambda: executor.count == 2)
        endless = Job(documents.endless(tmp_path / "endless.pdf"), None, hasty)
        manual = Job(MANUAL, None, hasty)
        stuck = [executor.parse(endless, 1, "endless") for _ in range(2)]
        opened = executor.wait_for_file(executor.open(manual), manual)
        pages = [
            executor.wait_for_page(executor.parse(manual, n, "manual"), manual, n) for n in range(1, opened.n_pages + 1)
        ]
        assert [page.page.number for page in pages] == [1, 2, 3, 4, 5, 6]
        for future in stuck:
            with pytest.raises(errors.PageTimeout, match=r"endless\.pdf: page 1 used more than 2 s of processor time"):
                executor.wait_for_page(future, endless, 1)
        damaged = Job(documents.truncated(tmp_path / "half.pdf", 0.1), None, hasty)
        opening = executor.open(damaged)
        with pytest.raises(errors.DamagedFile):
            executor.wait_for_file(opening, damaged)
        assert len(cluster.workers(HEAD)) > 1
    until(lambda: cluster.workers(HEAD) + cluster.workers(OTHER) == [])


def test_the_run_after_a_killed_driver_completes(
    cluster: Cluster, files: Sequence[Path], local: dict[str, Any]
) -> None:
    """Ctrl-C, then SIGTERM, then a kill, each while the second file is read; the fourth run completes what they kept.

    A shell may have started us deaf to Ctrl-C, which children inherit.
    """
    heard = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    heard += "from ui.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", heard, "index", *map(str, files), "--collection", "driven", "--on", cluster.on]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        driver = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert driver.stderr is not None
        told: list[str] = []
        while not (told and told[-1].startswith("book.pdf: file 2")):
            told.append(driver.stderr.readline())
            assert told[-1], told
        assert cluster.workers(HEAD)
        driver.send_signal(number)
        out, err = driver.communicate(timeout=60)
        until(lambda: cluster.workers(HEAD) + cluster.workers(OTHER) == [], 10)
        assert (driver.returncode, "Traceback" in err) == (-9 if number == signal.SIGKILL else 130, False), err
        assert ("Stopped early; complete documents are kept." in out) == (number != signal.SIGKILL)
        assert [d.name for d in Collection.open("driven").documents()] == [MANUAL.name]
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert rows_of(Collection.open("driven")) == local


def test_a_run_goes_on_without_a_node_that_dies(
    cluster: Cluster, files: Sequence[Path], local: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    made = Collection.create("halved")

    def kill(_: Progress) -> None:
        if OTHER in cluster.nodes and cluster.workers(OTHER):
            cluster.kill(OTHER)

    with caplog.at_level(logging.WARNING):
        report = build_index(made, files, on=cluster.on, on_progress=kill)
    assert OTHER not in cluster.nodes
    assert f"the node {OTHER} is lost" in caplog.text
    assert report.exit_code == 0, report
    assert rows_of(made) == local
