"""What a server keeps: its database, conversations, judgements, and the work of programs."""

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from indexing import BBox
from plugins.team import tables as team_tables
from rag import Answer, Question, Sentence
from tests.ui.stand_ins import HOSTILE, answer, citation
from ui.errors import KeptUnreadable, StateUnreadable
from ui.state import (
    AnswerForm,
    Bounds,
    ConversationStore,
    Feedback,
    FeedbackStore,
    GivenAnswerStore,
    JobStore,
    MovedBox,
    StateStore,
    StoredJobFile,
    open_state,
    programs,
    read_form,
)
from ui.state.database import METADATA

ME, YOU = "account ada", "b" * 32


class Hours:
    """A clock that an hour passes on at every look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> str:
        self.now += timedelta(hours=1)
        return self.now.isoformat(timespec="microseconds")


def form(question: str, said: str = "It fell.") -> AnswerForm:
    return AnswerForm("samples", Question(question), answer(Sentence(said, (citation(),), "quoted")), ("",))


def names(store: ConversationStore, visitor: str, words: str = "") -> list[str]:
    return [one.name for one in store.conversations(visitor, words)]


@pytest.mark.gate
def test_what_was_kept_is_there_after_a_restart(address: str, tmp_path: Path) -> None:
    with open_state(tmp_path, address) as first:
        store = ConversationStore(first)
        store.keep(ME, "c1", "a1", form("Why did margins fall?"))
        store.keep(ME, "c1", "a2", form("And in May?"))
    with open_state(tmp_path, address) as second:
        store = ConversationStore(second)
        assert store.latest(ME) == "c1"
        assert [one.id for one in store.answers(ME, "c1")] == ["a1", "a2"]
        assert [one.id for one in store.answers(ME, "c1", most=1)] == ["a2"]
        (only,) = store.conversations(ME)
        assert (only.name, only.answers) == ("Why did margins fall?", 2)


def test_the_latest_questions_are_those_that_can_be_read(state: StateStore) -> None:
    store = ConversationStore(state)
    for number, question in enumerate(("Why?", "When?", "Why?", "Who?", "Where?")):
        store.keep(ME if number % 2 else YOU, f"c{number % 2}", f"a{number}", form(question))
    with state.transaction() as connection:
        connection.exec_driver_sql("UPDATE answers SET form = '{}' WHERE id = 'a3'")
    assert store.latest_questions("samples", 2) == ("Where?", "Why?")
    assert store.latest_questions("papers", 2) == ()


def test_nobody_gets_anothers(state: StateStore) -> None:
    store, feedback = ConversationStore(state), FeedbackStore(state)
    store.keep(ME, "c1", "a1", form("Mine?"))
    store.keep(YOU, "c1", "a2", form("Into another's conversation?"))
    token = store.share(ME, "a1")
    assert [one.id for one in store.answers(ME, "c1")] == ["a1"]
    assert (store.conversations(YOU), store.answers(YOU, "c1"), store.answer(YOU, "a1")) == ((), (), None)
    assert store.conversation(YOU, "c1") is None
    assert (store.rename(YOU, "c1", "x"), store.delete(YOU, "c1")) == (False, False)
    assert (store.share(YOU, "a1"), store.unshare(YOU, "a1")) == ("", False)
    assert not feedback.judge(YOU, "a1", 1, Feedback("wrong"))
    assert names(store, YOU, "Mine") == []
    assert (names(store, ME), store.share(ME, "a1")) == (["Mine?"], token)


def test_a_link_leads_anybody_to_one_answer_until_it_is_taken_back(state: StateStore) -> None:
    store = ConversationStore(state)
    store.keep(ME, "c1", "a1", form("Why?"))
    token = store.share(ME, "a1")
    assert len(token) == 32
    found = store.shared_answer(token)
    assert found is not None
    assert (found.id, found.link) == ("a1", token)
    assert store.unshare(ME, "a1")
    assert (store.shared_answer(token), store.shared_answer(""), store.shared_answer(HOSTILE)) == (None, None, None)
    assert store.share(ME, "a1") != token


def test_hostile_text_stays_text(state: StateStore) -> None:
    store, feedback = ConversationStore(state), FeedbackStore(state)
    for n, text in enumerate((HOSTILE, "'; DROP TABLE answers; --", "a\0b", "\ud800", "x" * 100_000), 1):
        store.keep(ME, f"c{n}", f"a{n}", form(text, text))
        assert feedback.judge(ME, f"a{n}", 1, Feedback("wrong", text))
    assert len(store.conversations(ME)) == 5
    assert all(len(name) <= 120 and name.isprintable() for name in names(store, ME))
    assert max(len(one.feedback[1].note) for one in feedback.all_judged()) == 2000


def test_what_is_too_much_or_too_old_goes(state: StateStore) -> None:
    clock = Hours()
    store = ConversationStore(state, Bounds(conversations=2, all_conversations=3, answers=2, days=1), clock)
    for n in range(3):
        store.keep(ME, f"m{n}", f"m{n}", form(f"mine {n}?"))
    assert names(store, ME) == ["mine 2?", "mine 1?"]
    for n in range(3):
        store.keep(ME, "m2", f"again{n}", form("again?"))
    assert [one.id for one in store.answers(ME, "m2")] == ["again1", "again2"]
    store.keep(YOU, "y0", "y0", form("yours?"))
    store.keep("c" * 32, "t0", "t0", form("theirs?"))
    assert (names(store, ME), names(store, YOU)) == (["mine 2?"], ["yours?"])
    clock.now += timedelta(days=2)
    ConversationStore(state, Bounds(days=1), clock)
    assert names(store, YOU) == []


def test_a_judgement_takes_the_place_of_the_one_before_and_can_be_taken_back(state: StateStore) -> None:
    store, feedback = ConversationStore(state), FeedbackStore(state)
    store.keep(ME, "c1", "a1", form("Why?"))
    assert feedback.judge(ME, "a1", 1, Feedback("wrong", "no"))
    assert feedback.judge(ME, "a1", 1, Feedback("wrong place"))
    assert feedback.judgements(ME, "a1") == {1: Feedback("wrong place", "")}
    assert feedback.judgements(YOU, "a1") == {}
    assert not feedback.judge(ME, "a1", 0, Feedback("right"))
    assert not feedback.judge(ME, "a1", 1, Feedback("odd"))  # type: ignore[arg-type]
    moved = Feedback("wrong place", "", MovedBox("feed", 2, BBox(0.1, 0.2, 0.5, 0.3)))
    assert feedback.judge(ME, "a1", 1, moved)
    assert feedback.judgements(ME, "a1") == {1: moved}
    assert [one.feedback for one in feedback.all_judged()] == [{1: moved}]
    assert feedback.judge(ME, "a1", 1, Feedback("right"))
    assert feedback.judgements(ME, "a1") == {1: Feedback("right")}
    assert feedback.judge(ME, "a1", 1, None)
    assert feedback.all_judged() == ()


BAD_BOXES = [
    "", "feed:1:0.1,0.2,0.5", "feed:0:0.1,0.2,0.5,0.6", "feed:1:0.5,0.2,0.1,0.6", "feed:1:0.1,0.2,0.5,1.6",
    "feed:1:nan,0.2,0.5,0.6", "../x:1:0.1,0.2,0.5,0.6", f"feed:1:{'9' * 400},0.2,0.5,0.6",
]  # fmt: skip


def test_only_a_box_on_a_page_is_taken_from_a_browser() -> None:
    box = MovedBox("0feed", 12, BBox(0.1, 0.2, 0.5, 0.3))
    assert MovedBox.parse(str(box)) == box
    assert [MovedBox.parse(text) for text in BAD_BOXES] == [None] * len(BAD_BOXES)


NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
OLD = NOW - timedelta(days=31)
MILL = StoredJobFile("mill.pdf", 4, "waiting", document="abc")
RYE = Answer("What grows?", "text", (), (), 0.5, {}, "abc", ("What grows?",))
FORM = AnswerForm("mills", Question(RYE.question), RYE, ())


def test_a_job_comes_back_as_it_was_last_kept_to_its_owner(state: StateStore) -> None:
    store = JobStore(state)
    number = store.keep("one", "account ada", "mills", NOW, [MILL, StoredJobFile("a.zip", 9, "done", "unpacked")])
    (job,) = store.of("account ada")
    assert (job.number, job.id, job.collection) == (number, "one", "mills")
    assert (job.created, [file.state for file in job.files]) == ("2026-11-26T12:00:00+00:00", ["waiting", "done"])
    read = StoredJobFile("mill.pdf", 4, "failed", "locked “x”", 1, 7, "abc")
    store.save("account ada", "one", [read])
    store.save("account bob", "one", [])
    assert (store.of("account ada")[0].files, store.of("account bob")) == ((read,), ())


def test_an_answer_comes_back_as_it_was_kept_to_its_owner(state: StateStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store = GivenAnswerStore(state)
    store.keep("account ada", "one", '{"id": "one"}', FORM, NOW)
    answer = store.one("account ada", "one")
    assert answer is not None
    assert (answer.collection, answer.record, read_form(answer.form).answer) == ("mills", '{"id": "one"}', RYE)
    monkeypatch.setattr("ui.state.answer_form._MOST_JSON", 10)
    with pytest.raises(KeptUnreadable, match="too large"):
        store.keep("account ada", "two", "{}", FORM, NOW)
    assert (store.one("account bob", "one"), store.one("account ada", "two")) == (None, None)


def test_the_latest_are_kept_for_a_month(state: StateStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("MOST_JOBS", 2), ("MOST_ANSWERS", 2), ("MOST_ALL_ANSWERS", 3)):
        monkeypatch.setattr(programs, name, most)
    jobs, answers = JobStore(state), GivenAnswerStore(state)
    rows = [("bob", "old", OLD), *(("ada", name, NOW) for name in ("one", "two", "three"))]
    for owner, name, time in rows:
        jobs.keep(name, owner, "mills", time, [])
        answers.keep(owner, name, "{}", FORM, time)
    assert ([job.id for job in jobs.of("ada")], jobs.of("bob")) == (["two", "three"], ())
    assert [name for owner, name, _ in rows if answers.one(owner, name)] == ["two", "three"]
    for name in ("four", "five"):
        answers.keep("bob", name, "{}", FORM, NOW)
    assert [answers.one("ada", name) is not None for name in ("two", "three")] == [False, True]


def test_it_is_made_for_its_owner_alone_and_opens_again(tmp_path: Path) -> None:
    for _ in range(2):
        with open_state(tmp_path) as state, state.transaction() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("SELECT version FROM state_version").scalars().all() == [1]
            connection.exec_driver_sql("DROP TABLE jobs")  # as in a state that an earlier Vouch made
    assert stat.S_IMODE((tmp_path / "state.sqlite").stat().st_mode) == 0o600


@pytest.mark.gate
def test_both_databases_get_all_tables(state: StateStore) -> None:
    assert set(inspect(state.engine).get_table_names()) == {*METADATA.tables, *team_tables.METADATA.tables}


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("nosuch://x", "cannot be used"), ("://", "neither a path nor an address"),
        ("mysql://a:secret@127.0.0.1/x", "cannot be used"), ("postgresql://a:secret@127.0.0.1:1/x", "no connection"),
        ("text.sqlite", "DatabaseError"), ("newer.sqlite", "newer version"),
    ],
)  # fmt: skip
def test_a_password_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, reason: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.sqlite").write_text("words, and many of them, in a place for tables")
    with open_state(tmp_path, "newer.sqlite") as state, state.transaction() as connection:
        connection.exec_driver_sql("UPDATE state_version SET version = 9999")
        connection.exec_driver_sql("DROP TABLE jobs")  # a newer version may have no such table: it gets none
    with pytest.raises(StateUnreadable, match=reason) as raised:
        open_state(tmp_path, address)
    assert "secret" not in str(raised.value)
    assert not inspect(create_engine("sqlite:///newer.sqlite")).has_table("jobs")
