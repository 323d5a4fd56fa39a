"""Sidecars: which file they speak of, what they may say, and that none of them does harm."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from indexing.ingest.sidecars import MOST_BYTES, records_of
from indexing.metadata import Metadata


def told(tmp_path: Path, text: str) -> Metadata:
    (tmp_path / "a.pdf.yaml").write_text(text, encoding="utf-8")
    found = records_of([tmp_path / "a.pdf"], [tmp_path])
    assert found.problems == ()
    record = found.records[tmp_path / "a.pdf"]
    assert (record.folder, record.sidecar_tags) == (".", record.tags)
    return replace(record, folder="", sidecar_tags=())


def refused(tmp_path: Path, text: str | bytes) -> str:
    (tmp_path / "a.pdf.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    found = records_of([tmp_path / "a.pdf"], [tmp_path])
    assert found.records[tmp_path / "a.pdf"] == Metadata(folder=".")
    (problem,) = found.problems
    assert str(problem).startswith(f"{tmp_path}/a.pdf.yaml: ")
    return str(problem)


def test_a_sidecar_says_date_author_tags_and_language(tmp_path: Path) -> None:
    assert told(tmp_path, "date: 2024-05-17\nauthor: [Ada, Bo]\ntags: [minutes, 2024, yes]\nlanguage: de-AT\n") == (
        Metadata("2024-05-17", "Ada; Bo", "de", tags=("minutes", "2024", "yes"))
    )
    assert told(tmp_path, "tags: a,  b   c, a\ndate: 2024\n") == Metadata("2024", tags=("a", "b c"))
    assert told(tmp_path, "tags: !!python/object/apply:os.system [id]") == Metadata(tags=("id",))  # nothing is made
    assert told(tmp_path, "") == told(tmp_path, "# nothing\n") == told(tmp_path, "tags:\n") == Metadata()


def test_folders_speak_of_all_below_and_the_nearest_has_the_last_word(tmp_path: Path) -> None:
    deep = tmp_path / "board" / "2024"
    deep.mkdir(parents=True)
    (tmp_path / ".vouch.yaml").write_text("tags: [ours]\nlanguage: en\nauthor: Us\n")
    (tmp_path / "board" / ".vouch.yaml").write_text("tags: [minutes]\nlanguage: de\n")
    (deep / "may.pdf.yaml").write_text("tags: [may]\nauthor: Ada\n")
    records = records_of([deep / "may.pdf", tmp_path / "top.pdf"], [tmp_path]).records
    tags = ("ours", "minutes", "may")
    assert records[deep / "may.pdf"] == Metadata("", "Ada", "de", "board/2024", tags, sidecar_tags=tags)
    assert records[tmp_path / "top.pdf"] == Metadata("", "Us", "en", ".", ("ours",), sidecar_tags=("ours",))
    alone = records_of([deep / "may.pdf"], [deep / "may.pdf"]).records  # named alone: nothing above it was named
    assert alone[deep / "may.pdf"] == Metadata(author="Ada", tags=("may",), sidecar_tags=("may",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tgas: [a]", "did you mean tags?"),
        ("date: May", "2024-05-17"),
        ("date: [2024]", "not a single value"),
        ("language: deutsch lang", "its code"),
        ("tags: {a: b}", "not a list of words"),
        ("tags: [[a]]", "not a list of words"),
        ("- a", "has no fields"),
        ("tags: [a\n", "line 2, column 1"),
        ("tags: [" + "a" * 61 + "]", "61 characters"),
        ("tags: [" + ",".join(f"t{n}" for n in range(101)) + "]", "101 tags"),
        ("author: " + "a" * 301, "301 characters"),
        ("a: &a [x]\ntags: *a", "aliases are not allowed"),
        ("[" * 30_000, "are nested too deeply"),
        (b"tags: [\xff]", "not UTF-8"),
        ("tags: \x00", "#x0000"),
        ("#" * (MOST_BYTES + 1), "more than 65,536 bytes"),
    ],
)
def test_what_cannot_be_taken_is_told_and_says_nothing(tmp_path: Path, text: str | bytes, says: str) -> None:
    assert says in refused(tmp_path, text)


def test_links_pipes_and_folders_are_no_sidecars(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("tags: [stolen]")
    side = tmp_path / "a.pdf.yaml"
    for make, says in (
        (lambda: side.symlink_to(secret), "a link, and links are not followed"),
        (lambda: os.mkfifo(side), "is not a file"),
    ):
        make()
        found = records_of([tmp_path / "a.pdf"], [tmp_path])
        assert says in str(found.problems[0])
        assert found.records[tmp_path / "a.pdf"] == Metadata(folder=".")
        side.unlink()
    side.mkdir()
    assert "is not a file" in str(records_of([tmp_path / "a.pdf"], [tmp_path]).problems[0])


def test_control_characters_do_not_reach_a_terminal(tmp_path: Path) -> None:
    assert told(tmp_path, 'author: "A\\e[2Jda\\u202e"') == Metadata(author="A [2Jda")
