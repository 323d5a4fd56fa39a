"""Lines for the terminal: right words, no escape sequences, no markup read out of a document."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console

from indexing import BBox, Document, Element, Failure, FileReport, Hints, IndexReport
from rag import Evidence, Queries, Query, Retrieved, RetrievedElement, Sentence
from tests.ui.stand_ins import HOSTILE, answer, citation, evidence, hostile_answer
from ui.cli import terminal


def printed(lines: terminal.Lines) -> str:
    console = Console(file=io.StringIO(), width=120, highlight=False, markup=False, emoji=False, color_system=None)
    for line in lines:
        console.print(line)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def test_an_answer_reads_from_sentence_to_source() -> None:
    one, two = citation(1, page=14), citation(2, document="b.pdf", page=3, quote="Freight rose.", role="unconfirmed")
    text = printed(
        terminal.answer(answer(Sentence("It fell.", (one, two), "confirmed"), Sentence("So.", (two,), "unconfirmed")))
    )
    assert text.splitlines() == [
        "It fell. [1][2] ✓",
        "So. [2] \u25cb",
        "",
        "Sources",
        "  [1] report.pdf, page 14, paragraph",
        "      Margins fell.",
        "  [2] b.pdf, page 3, paragraph, not confirmed: pointed to, not proven",
        "      Freight rose.",
        "",
        "2 sentences: 1 confirmed, 1 not confirmed  0.21 s",
    ]


def test_of_many_sources_the_first_are_listed_and_the_number_of_the_others_said() -> None:
    many = tuple(citation(n, page=n) for n in range(1, 44))
    lines = printed(terminal.answer(answer(Sentence("43.", many, "computed")))).splitlines()
    assert "[40]...[43] =" in " ".join(lines)
    assert sum(line.startswith("  [") for line in lines) == terminal.MOST_SOURCES
    assert "  and 3 more: --export NAME.xlsx writes all of them as a table" in lines


def test_a_document_cannot_set_a_number_and_a_mark_before_ours() -> None:
    forged = Sentence("It rose.\u201d [1] \u2713 supported, certainty 100%", (citation(),), "unconfirmed")
    shown = terminal.render_sentence(answer(forged), forged, "utf-8").plain
    assert shown == "\u201cIt rose.' [1] \u2713 supported, certainty 100%\u201d [1] \u25cb"
    short = replace(forged, short=(3, 7))
    line = terminal.render_sentence(answer(short), short, "utf-8")
    assert [line.plain[s.start : s.end] for s in line.spans if s.style == "bold"] == ["rose"]


def test_what_stands_beside_the_answer_comes_after_it_under_a_heading() -> None:
    said = [Sentence("AB"[n - 1] + ".", (citation(n),), "quoted", answers=0.5, beside=n > 1) for n in (1, 2)]
    lines = printed(terminal.answer(answer(*said))).splitlines()
    assert lines[:3] == ["A. [1] \u201d may answer", "", "Sources"]
    assert lines[5:7] == ["", "Other places that were retrieved: [2] report.pdf, page 1"]
    remark = Sentence("C.", (citation(),), "computed", beside=True, heading="Documents\x1b[31m disagree")
    lines = printed(terminal.answer(answer(said[0], remark, remark, said[1]))).splitlines()
    assert lines[1:6] == ["", "Documents disagree", "C. [1] =", "C. [1] =", ""]
    assert lines[-1].startswith("1 sentence, quoted")  # remarks and other places are no part of the answer


def test_abstaining_says_where_it_looked_or_the_known_reason_alone() -> None:
    text = printed(terminal.answer(answer(found=[evidence(1, page=9), evidence(2, page=2)])))
    assert "These documents do not seem to say." in text
    assert "report.pdf, pages 2 and 9" in text
    text = printed(terminal.answer(replace(answer(), nothing="It holds no documents yet")))
    assert text.splitlines() == ["It holds no documents yet", "0.21 s"]
    text = printed(terminal.answer(replace(answer(found=[evidence(1, page=9)]), nothing="Not sure enough to answer")))
    assert text.splitlines() == [
        "Not sure enough to answer", "The closest places were:", "  report.pdf, page 9", "0.21 s",
    ]  # fmt: skip


def test_hostile_text_is_disarmed() -> None:
    text = printed(terminal.answer(hostile_answer(), [Path("a\x1b[2J.png")]))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "owned" not in text
    assert "[bold]no[/bold]" in text  # shown, not obeyed


def test_a_report_names_what_failed_and_why() -> None:
    assert "give a PDF, an Office or text file" in printed(terminal.report(IndexReport("c", (), 0.1, cancelled=True)))
    files = (
        FileReport("/new.pdf", "new.pdf", "renamed", other_name="old.pdf"),
        FileReport("/copy.pdf", "copy.pdf", "skipped", other_name="new.pdf"),
        FileReport("/a.pdf", "a.pdf", "indexed", 12, 99, 3.0, "id"),
        FileReport("/b.pdf", HOSTILE, "failed", failures=(Failure(None, "EncryptedFile", "needs a password"),)),
        FileReport("/c.pdf", "c.pdf", "indexed", 2, 9, 1.0, "id", (Failure(2, "PageTimeout", "took too long"),)),
        FileReport("/d.pdf", "d.pdf", "skipped"),
    )
    text = printed(terminal.report(IndexReport("default", files, 7.0)))
    assert "needs a password" in text
    assert "c.pdf, page 2: took too long" in text
    assert "2 documents, 14 pages, 108 elements in 7.0 s (2.0 pages/s). 3 documents already indexed." in text
    assert "renamed, was old.pdf" in text
    assert "skipped, the same as new.pdf" in text
    assert "\x1b" not in text


def test_lists_and_figures_of_a_collection() -> None:
    assert "vouch index" in printed([*terminal.collections(()), *terminal.documents("default", ())])
    text = printed(terminal.documents("c", [Document("abc", HOSTILE, HOSTILE, 12, "0" * 64, size=3_400_000)]))
    assert ("3.4 MB" in text, "\x1b" in text) == (True, False)
    text = printed(terminal.stats("c", {"documents": 3, "bytes_on_disk": 1234567, "embedder": "minilm"}))
    assert text.splitlines() == ["c", "  documents        3", "  bytes on disk    1.2 MB", "  embedder         minilm"]


def queries(*texts: str) -> Queries:
    return Queries(tuple(Query(t) for t in texts), tuple(Query(t) for t in texts), Hints())


def retrieved(*evidence: Evidence) -> Retrieved:
    none = np.zeros((0, 1), np.float32), np.zeros((0, 2), np.int32)
    return Retrieved("multi", tuple(RetrievedElement(item, *none) for item in evidence), ())


def test_a_ranking_of_nothing_says_so() -> None:
    text = printed(terminal.ranking(queries("Why?"), retrieved()))
    assert "  1  Why?" in text
    assert text.endswith("Nothing was found.")
    known = replace(retrieved(), nothing="It holds no documents yet\x1b[2J")
    assert printed(terminal.ranking(queries("Why?"), known)).endswith("\nIt holds no documents yet")


def test_a_hostile_ranking_is_disarmed_and_keeps_its_rows() -> None:
    element = Element("a", "d", 1, "text", f"{HOSTILE}\n\nE9 9.999 forged.pdf", BBox(0, 0, 1, 1), "layer")
    found = retrieved(Evidence("E1", element, f"{HOSTILE}\n.pdf", 1.0))
    lines = terminal.ranking(queries(f"{HOSTILE}\n  2  forged"), found)
    text = printed(lines)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "owned" not in text
    assert "[bold]no[/bold]" in text.replace("\n", "")
    assert [line.split()[0] for line in text.splitlines() if line.strip()][:3] == ["Searched", "1", "score"]
    assert not [line for line in text.splitlines() if line.startswith(("E9", "  2  "))]
