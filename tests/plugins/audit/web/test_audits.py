"""Audits in the page: entries on their way to a verdict, papers that are their visitor's alone, words escaped."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from plugins.audit.auditing import Audit, Audited, AuditEvent, ReferenceAudited, ReferencesFound
from plugins.audit.errors import NoBibliography
from plugins.audit.progress import AuditMoment
from plugins.audit.web.page import follow_audit, run_html
from plugins.audit.web.runs import AuditRun, Audits
from tests.plugins.audit import audits
from tests.ui.asking_over import asking_over
from tests.ui.markup import read
from ui.web.uploads import Uploads


class Desk:
    """The audits of a page, whose auditing is `events`, and its uploads."""

    def __init__(self, home: Path, events: object) -> None:
        self.asking = asking_over(home / "home")
        self.uploads = Uploads(self.asking.open_collections, home / "arrived")
        self.audits = Audits(self.asking, self.uploads, events)  # type: ignore[arg-type]

    def start(self, visitor: str, paper: Path) -> AuditRun:
        """Audit a copy of a paper, as an upload."""
        return self.audits.start(visitor, *self.uploads.take_bytes(paper.name, paper.read_bytes()), None)

    def close(self) -> None:
        self.asking.open_collections.close()


def whole(_path: Path, name: str, _collection: str | None) -> Iterator[AuditEvent]:
    """The events of an audit to its end."""
    audit = replace(audits.audit(), paper=name)
    yield ReferencesFound(tuple(one.reference for one in audit.references))
    yield from map(ReferenceAudited, audit.references)
    yield Audited(audit)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, whole)
    yield made
    made.close()


def test_entries_get_verdicts_and_boxes_on_their_pages(desk: Desk, tmp_path: Path) -> None:
    run = desk.start("me", audits.paper_in(tmp_path))
    last = list(follow_audit(desk.audits, run))[-1]
    assert not last.busy
    shown = read(last.current)
    assert shown.values("data-kind") == ["is-errors", "is-real", "is-invented", "is-unknown"]
    assert "year: the paper has 2019, the record 2017" in shown.text
    assert "Cited, but not in the bibliography: [7]" in shown.text
    taken_away = {f"vouch/export/{run.id}/{form}" for form in ("html", "pdf", "bibtex", "json")}
    assert taken_away <= set(shown.values("href"))
    assert last.evidence is not None
    boxes = read(last.evidence)
    kinds = [part for value in boxes.values("class") for part in (value or "").split() if part.startswith("v-is-")]
    assert list(dict.fromkeys(kinds)) == ["v-is-errors", "v-is-real", "v-is-invented", "v-is-unknown"]
    assert f"vouch/paper/{run.id}/1.webp" in last.evidence


def test_nobody_without_a_name_is_shown_anothers_paper(desk: Desk, tmp_path: Path) -> None:
    list(desk.start("", audits.paper_in(tmp_path)).follow())
    assert desk.audits.last("") is None


def test_a_paper_and_its_exports_are_their_visitors_alone(desk: Desk, tmp_path: Path) -> None:
    run = desk.start("me", audits.paper_in(tmp_path))
    list(run.follow())
    downloads = desk.asking.downloads
    page = downloads.page("me", run.id, 1, 160)
    assert page is not None
    assert page[8:12] == b"WEBP"
    assert downloads.page("you", run.id, 1, 160) is None
    assert downloads.export("you", run.id, "html") is None
    assert downloads.export("me", "0" * 16, "html") is None
    for form, begins in (("pdf", b"%PDF"), ("html", b"<!DOCTYPE"), ("json", b"{"), ("bibtex", b"% Vouch")):
        made = downloads.export("me", run.id, form)
        assert made is not None
        assert made[1].startswith(begins)
    assert downloads.export("me", run.id, "exe") is None


def test_the_next_paper_takes_the_place_of_the_last_whose_file_goes(desk: Desk, tmp_path: Path) -> None:
    paper = audits.paper_in(tmp_path)
    first = desk.start("me", paper)
    list(first.follow())
    second = desk.start("me", paper)
    list(second.follow())
    assert not first.path.exists()
    assert second.path.exists()
    assert desk.audits.last("me") is second


def test_stopping_keeps_the_entries_that_are_done(tmp_path: Path) -> None:
    reached, on = threading.Event(), threading.Event()

    def slow(_path: Path, _name: str, _collection: str | None) -> Iterator[AuditEvent]:
        audit = audits.audit()
        yield ReferencesFound(tuple(one.reference for one in audit.references))
        yield ReferenceAudited(audit.references[0])
        reached.set()
        on.wait(30)
        yield from map(ReferenceAudited, audit.references[1:])

    desk = Desk(tmp_path, slow)
    run = desk.start("me", audits.paper_in(tmp_path))
    assert reached.wait(30)
    desk.audits.stop("me")
    on.set()
    assert run.now.state == "stopped"
    assert [one.reference.number for one in run.now.so_far("x").references] == [1]
    assert "Stopped." in read(run_html(run, run.now)).text
    made = desk.audits.export("me", run.id, "html")
    assert made is not None
    assert b"Stopped after 1 of 4 entries" in made[1]
    desk.close()


def test_a_paper_without_a_bibliography_says_so(tmp_path: Path) -> None:
    def none(_path: Path, name: str, _collection: str | None) -> Iterator[AuditEvent]:
        raise NoBibliography(f"{name}: no bibliography was found")
        yield

    desk = Desk(tmp_path, none)
    run = desk.start("me", audits.paper_in(tmp_path))
    list(run.follow())
    assert run.now.state == "failed"
    assert "no bibliography was found" in read(run_html(run, run.now)).text
    desk.close()


def test_what_a_paper_says_is_shown_as_words(tmp_path: Path) -> None:
    one = audits.audited(1, "invented", reason=audits.HOSTILE)
    one = replace(one, reference=replace(one.reference, text=audits.HOSTILE))
    moment = AuditMoment("done", (one.reference,), {1: one}, Audit(audits.HOSTILE, (one,), (audits.HOSTILE,)))
    html = run_html(AuditRun(audits.HOSTILE, tmp_path, audits.HOSTILE), moment)
    assert "script" not in read(html).tags
    assert "{{" not in html
    assert "\x1b" not in html
