"""The work of a node, without a cluster: it does to a file what the machine of the run would do."""

import os
import tempfile
from email.message import EmailMessage
from pathlib import Path

import psutil
import pytest

from indexing import IndexingSettings, errors
from indexing.conversion import has_elements
from indexing.embed import MiniLM, visual_embedder
from indexing.store import embed_page
from indexing.workers import Job
from plugins.cluster.node import PREFIX, FileSender, NodeWork, clear_abandoned
from tests.support import documents

pytestmark = pytest.mark.cold_workers

SETTINGS = IndexingSettings(open_seconds=30)


@pytest.mark.slow
@pytest.mark.gate
def test_a_node_opens_parses_and_embeds_and_deletes_what_it_was_sent(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", "Minutes"
    mail.set_content("Hello,\n\nthe budget is 40 crowns.\n")
    mail.add_attachment(b"# Minutes\n", maintype="text", subtype="markdown", filename="minutes.md")
    (tmp_path / "mail.eml").write_bytes(bytes(mail))
    sender = FileSender(lambda content: content)
    node = NodeWork(1, SETTINGS, lambda content: content)
    try:
        job = Job(tmp_path / "mail.eml", None, SETTINGS)
        opened = node.open(job, sender.transfer(job)).write_files(tmp_path / "renditions")
        assert has_elements(opened.pages)
        assert [(name, path.read_bytes()) for name, path in opened.attachments] == [("minutes.md", b"# Minutes\n")]
        there = Job(job.path, None, SETTINGS, opened.pages)
        parsed = node.parse(there, sender.transfer(there), 1, "mail")
        assert "budget is 40 crowns" in " ".join(element.text for element in parsed.elements)
        text = MiniLM()
        assert node.embed(parsed) == embed_page(parsed, text, visual_embedder(SETTINGS, lambda: text))
        broken = Job(documents.truncated(tmp_path / "half.pdf", 0.1), None, SETTINGS)
        with pytest.raises(errors.DamagedFile, match=r"half\.pdf"):
            node.open(broken, sender.transfer(broken))
        assert list(Path(tempfile.gettempdir()).glob(f"{PREFIX}{os.getpid()}-*"))
    finally:
        node.close()
    assert list(Path(tempfile.gettempdir()).glob(f"{PREFIX}{os.getpid()}-*")) == []


def test_folders_of_nodes_that_were_killed_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = max(psutil.pids()) + 100_000
    for name in (f"{PREFIX}{dead}-x", f"{PREFIX}{os.getpid()}-x", f"{PREFIX}other", "else"):
        (tmp_path / name).mkdir()
    clear_abandoned()
    assert {path.name for path in tmp_path.iterdir()} == {f"{PREFIX}{os.getpid()}-x", f"{PREFIX}other", "else"}
