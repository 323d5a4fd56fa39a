"""Quotas: questions are counted by person and token for a minute, pages and bytes by what collections hold."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from plugins.team.access import TeamAccess
from plugins.team.audit_log import audit_entries
from plugins.team.people import People
from plugins.team.quotas import QuotaAccess, Quotas
from rag import Profile
from tests.support import documents
from tests.ui.real_collection import LINES, mill
from ui.access import Identity, acting
from ui.errors import OverQuota, OverSpace
from ui.settings import UiSettings, ui_settings
from ui.state import StateStore, open_state
from ui.web.open_collections import OpenCollections
from ui.web.uploads import Uploads
from ui.web.uploads.files import AcceptedFile

ADA, BOB = Identity("ada", 1, roles={"*": "owner"}), Identity("bob", 2)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateStore]:
    with open_state(tmp_path, str(tmp_path / "state.sqlite")) as store:
        for name in ("ada", "bob"):
            People(store).add(name)
        yield store


def ask(book: QuotaAccess, who: Identity) -> float:
    """The seconds to wait, 0 where the question may be asked."""
    try:
        with acting(who):
            book.count_question()
    except OverQuota as error:
        return error.seconds
    return 0


def test_questions_are_counted_by_person_and_by_token_for_a_minute(state: StateStore) -> None:
    now = [0.0]
    book = QuotaAccess(UiSettings(max_questions_minute=2), Quotas(state), lambda: now[0])
    token = Identity("ada", 1, token=3)
    assert [ask(book, ADA), ask(book, ADA)] == [0, 0]
    now[0] = 12.0
    assert [ask(book, ADA), ask(book, token), ask(book, BOB)] == [48, 0, 0]
    with acting(ADA), pytest.raises(OverQuota, match=r"2 questions per minute \(max_questions_minute\).* 48 seconds"):
        book.count_question()
    now[0] = 60.0
    assert ask(book, ADA) == 0


def test_a_question_over_the_quota_is_refused(tmp_path: Path, embedder: MiniLM, state: StateStore) -> None:
    mill(tmp_path, embedder)
    held = _open_collections(tmp_path, state, {"max_questions_minute": 1})
    with acting(ADA):
        with held.open_collection("made-up", "search"):
            pass
        with pytest.raises(OverQuota), held.open_collection("made-up", "ask", question="who?"):
            pass
        with held.open_collection("made-up"):  # looking is no question
            pass
        with pytest.raises(OverQuota):
            held.ask_of_none("audit")
    assert b'vouch_quota_refusals_total{limit="questions"} 2.0' in held.metrics.text()
    held.close()
    told = [(entry.deed, entry.outcome) for entry in audit_entries(state)]
    assert told == [("search", "done"), ("ask", "refused"), ("audit", "refused")]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [pytest.param("max_collection_pages", marks=pytest.mark.gate), "max_person_pages"])
def test_pages_are_used_up_and_removing_makes_room(tmp_path: Path, state: StateStore, limit: str) -> None:
    uploads = _uploads(tmp_path, state, {limit: 3})
    with acting(ADA):
        _bring(uploads, tmp_path, ("two.pdf", 2), ("other.pdf", 2), ("one.pdf", 1))
        notes = {item.name: (item.state, item.note) for item in list(uploads.follow("me"))[-1]}
        assert [notes[name][0] for name in ("two.pdf", "other.pdf", "one.pdf")] == ["done", "failed", "done"]
        assert f"3 pages ({limit})" in notes["other.pdf"][1]
        with pytest.raises(OverSpace, match=limit):
            _bring(uploads, tmp_path, ("more.pdf", 1))
        first = next(d for d in uploads.service.summary("papers").documents if d.name == "two.pdf")
        uploads.service.remove("papers", first.id)
        _bring(uploads, tmp_path, ("again.pdf", 2))
        assert list(uploads.follow("me"))[-1][-1].state == "done"
    uploads.close()
    added = [entry.outcome for entry in audit_entries(state, deed="add-document")]
    assert added == ["done", "refused", "done", "refused", "done"]


def test_an_upload_without_room_for_its_bytes_is_refused_whole_and_deleted(tmp_path: Path, state: StateStore) -> None:
    uploads = _uploads(tmp_path, state, {"max_person_mb": 1})
    Quotas(state).give("mb", "off", user="bob")

    def brought() -> tuple[AcceptedFile, ...]:
        files = [("a.txt", io.BytesIO(b"words " * 100_000)), ("b.txt", io.BytesIO(b"other " * 100_000))]
        return uploads.folder.keep(files, uploads._room("me"))

    with acting(ADA):
        taken = brought()
        with pytest.raises(OverSpace, match=r"1 MB \(max_person_mb\)") as raised:
            uploads._check_room("papers", taken, "ada")
        assert raised.value.limit == "mb"
        assert not [file for file in taken if file.path is not None and file.path.exists()]
        uploads._check_room("papers", brought(), "bob")
    uploads.close()


def _open_collections(tmp_path: Path, state: StateStore, limits: dict[str, int]) -> OpenCollections:
    profile = Profile(indexing={"workers": 1, "visual": "none"}, ui=limits)
    return OpenCollections(profile, tmp_path / "home", access=TeamAccess(state, ui_settings(profile)))


def _uploads(tmp_path: Path, state: StateStore, limits: dict[str, int]) -> Uploads:
    (tmp_path / "arrived").mkdir()
    return Uploads(_open_collections(tmp_path, state, limits), tmp_path / "arrived")


def _bring(uploads: Uploads, tmp_path: Path, *files: tuple[str, int]) -> None:
    """Have PDFs of so many pages read in the name of ada."""
    given = []
    for name, pages in files:
        folder = tmp_path / "arrived" / f"{name.encode().hex():0>64}"
        folder.mkdir()
        lines = [[f"{name}: page {number}", *LINES] for number in range(pages)]
        given.append({"path": str(documents.pdf(folder / name, *lines)), "orig_name": name})
    uploads.receive("me", "papers", given, account="ada")
