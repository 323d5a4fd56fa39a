"""Checks in the page, and copies of a checked text with marks."""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docx
import pymupdf
import pytest
from docx.oxml.ns import qn

from indexing import BBox, IndexingSettings
from indexing.embed.minilm import MiniLM
from plugins.audit.check.checks import BroughtText, CheckRun, Checks, read_brought
from plugins.audit.check.copies import Checkup, annotated_copy, copy_form
from plugins.audit.check.page import PENDING, follow_check, objection, run_html
from plugins.audit.manuscripts import read_manuscript
from rag import Answer, Citation, Sentence
from rag.events import Checked, Drafted
from tests.support import documents, fakes
from tests.support.word_files import word_report
from tests.ui.asking_over import asking_over
from tests.ui.markup import read
from ui.errors import ExportError, UploadError
from ui.show import Moment
from ui.web.uploads import Uploads

LIT = "The lighthouse of Holm was first lit in 1887 by its keeper."
TEXT = f"# Lights\n\n{LIT}\n\n- Penguins <script>alert(1)</script> won the olympiad of Holm.\n"


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Checks:
    home = tmp_path_factory.mktemp("home")
    fakes.index(fakes.collection(home, embedder, "lights"), {"light.pdf": [[LIT, "Its keeper was Ada Holm."]]})
    return Checks(asking_over(home))


def ended(checks: Checks, visitor: str = "me") -> CheckRun:
    """A check of TEXT to its end."""
    run = checks.start(visitor, "lights", BroughtText.from_pasted(TEXT), "", ())
    list(run.turn.follow())
    return run


def test_statements_get_their_verdicts_and_the_places_that_prove_them(checks: Checks) -> None:
    run = checks.start("me", "lights", BroughtText.from_pasted(TEXT), "", ())
    last = list(follow_check(checks, run))[-1]
    assert not last.busy
    shown = read(last.current)
    assert shown.values("data-kind") == ["remark", "confirmed", "unconfirmed"]
    assert "script" not in shown.tags
    assert {"", "confirmed", "unconfirmed", "remark"} == set(shown.values("data-only"))
    assert last.evidence is not None
    assert "light.pdf" in read(last.evidence).text


def test_statements_are_drafts_before_they_are_checked(checks: Checks) -> None:
    run = ended(checks)
    checked = run.turn.now.checked[1]
    moment = Moment().after(Drafted(0, "One.", ())).after(Drafted(1, LIT, ())).after(Checked(1, checked))
    shown = read(run_html(run, moment))
    assert shown.values("data-kind") == [PENDING, "confirmed"]
    assert "1 of 2" in shown.text


def test_stop_keeps_what_is_done_and_says_how_far_it_came(checks: Checks) -> None:
    run = ended(checks)
    moment = Moment(state="stopped", drafted={0: "a", 1: LIT, 2: "c"}, checked={1: run.turn.now.checked[1]})
    assert "Stopped after 1 of 3 statements." in read(run_html(run, moment)).text
    answer = run.answer(moment)
    assert [sentence.text for sentence in answer.sentences] == [LIT]
    assert answer.notes == ("Stopped after 1 of 3 statements.",)


def test_a_check_is_its_visitors_alone(checks: Checks) -> None:
    run = ended(checks)
    made = checks.asking.downloads.export("me", run.id, "html")
    assert made is not None
    assert b"lighthouse of Holm" in made[1]
    assert checks.asking.downloads.export("you", run.id, "html") is None
    assert checks.asking.downloads.export("me", run.id, "docx") is None


def test_a_check_of_nothing_is_not_begun(checks: Checks) -> None:
    assert objection("lights", BroughtText.from_pasted("  ")) is not None
    assert objection("lights", None) is not None
    assert objection(None, BroughtText.from_pasted(TEXT)) is not None
    assert objection("lights", BroughtText.from_pasted(TEXT)) is None
    assert checks.last("nobody") is None


@pytest.fixture
def uploads(checks: Checks, tmp_path: Path) -> Iterator[Uploads]:
    made = Uploads(checks.asking.open_collections, tmp_path / "arrived")
    yield made
    made.close()


def arrive(tmp_path: Path, name: str, content: bytes) -> dict[str, str]:
    """An upload as the server puts it."""
    folder = tmp_path / "arrived" / ("a" * 64)
    folder.mkdir(parents=True)
    (folder / name).write_bytes(content)
    return {"path": str(folder / name), "orig_name": name}


def test_a_file_is_read_and_gone(checks: Checks, uploads: Uploads, tmp_path: Path) -> None:
    sent = arrive(tmp_path, "report.md", TEXT.encode())
    brought = read_brought(checks.asking.open_collections, uploads, sent)
    assert brought.name == "report.md"
    assert brought.words > 10
    assert not Path(sent["path"]).exists()
    run = checks.start("me", "lights", brought, "", ())
    list(run.turn.follow())
    assert [s.verdict for s in run.turn.now.sentences] == ["remark", "confirmed", "unconfirmed"]


def test_no_other_file_of_the_server_is_read(checks: Checks, uploads: Uploads, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The password is swordfish.")
    with pytest.raises(UploadError, match="not a file that was just uploaded"):
        read_brought(checks.asking.open_collections, uploads, {"path": str(secret), "orig_name": "secret.txt"})
    with pytest.raises(UploadError, match="one file"):
        read_brought(checks.asking.open_collections, uploads, [])
    assert secret.is_file()


LAMP, SEATS = "The lamp of Holm was lit in the year 1887.", "The ship has 120 seats in all, they say."
HOSTILE = "<script>alert(1)</script> & \u202egnp"
SETTINGS = IndexingSettings(workers=1)
CITED = Citation("E1", "d-1-1", "d", f"log {HOSTILE}.pdf", 7, "text", BBox(0.1, 0.1, 0.5, 0.2), (), "lit in 1887")


def outcome(statement_text: str, *, heading: bool) -> Sentence:
    if heading:
        return Sentence(statement_text, (), "remark", "it names what follows")
    if "lamp" in statement_text:
        return Sentence(statement_text, (CITED,), "confirmed", "verbatim in the text")
    return Sentence(statement_text, (replace(CITED, role="unconfirmed"),), "unconfirmed", "the text says 90, not 120")


def checkup(path: Path) -> Checkup:
    manuscript = read_manuscript(path, settings=SETTINGS)
    sentences = tuple(outcome(s.text, heading=s.heading or bool(s.remark)) for s in manuscript.statements)
    answer = Answer(f"Check of {path.name}", "text", sentences, (), 0.0, {}, "h", method="vanilla")
    return Checkup(path, manuscript, answer, SETTINGS)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = documents.pdf(tmp_path / "paper.pdf", [LAMP, SEATS])
    with pymupdf.open(path) as document:
        document[0].add_text_annot((300, 300), "An old remark")
        document.saveIncr()
    return path


def test_a_pdf_is_highlighted_where_its_statements_stand(paper: Path, tmp_path: Path) -> None:
    before = paper.read_bytes()
    assert annotated_copy(checkup(paper), tmp_path / "checked.pdf") == []
    assert paper.read_bytes() == before
    with pymupdf.open(tmp_path / "checked.pdf") as document:
        page = document[0]
        notes = list(page.annots())
        assert [note.type[1] for note in notes] == ["Text", "Highlight", "Highlight"]
        assert notes[0].info["content"] == "An old remark"
        by_words = {page.get_textbox(note.rect).strip(): note for note in notes[1:]}
        lit, seats = by_words[LAMP], by_words[SEATS]
        assert lit.info["subject"] == "confirmed"
        assert "verbatim in the text" in lit.info["content"]
        assert "page 7\n\u201clit in 1887\u201d" in lit.info["content"]
        assert "\u202e" not in lit.info["content"]
        assert "the text says 90, not 120" in seats.info["content"]
        assert "page 7, not confirmed: pointed to, not proven" in seats.info["content"]
        assert lit.colors["stroke"] != seats.colors["stroke"]


def commented_texts(path: Path) -> dict[str, str]:
    """The words that each of our comments stands on, and its text."""
    document = docx.Document(str(path))
    body = list(document.element.body.iter())
    found = {}
    for comment in document.comments:
        key = str(comment.comment_id)
        (start,) = [n for n, e in enumerate(body) if e.tag == qn("w:commentRangeStart") and e.get(qn("w:id")) == key]
        (end,) = [n for n, e in enumerate(body) if e.tag == qn("w:commentRangeEnd") and e.get(qn("w:id")) == key]
        assert len([e for e in body if e.tag == qn("w:commentReference") and e.get(qn("w:id")) == key]) == 1
        if comment.author == "Vouch":
            found["".join(e.text or "" for e in body[start:end] if e.tag == qn("w:t"))] = comment.text
    return found


def test_a_word_file_has_comments_on_its_statements_and_is_otherwise_as_it_was(tmp_path: Path) -> None:
    path, target = word_report(tmp_path / "report.docx"), tmp_path / "checked.docx"
    before = path.read_bytes()
    annotated_copy(checkup(path), target)
    found = commented_texts(target)
    assert set(found) == {
        "The lamp was lit in 1887.",
        "Its keeper was Ada Holm.",
        "the Alma",
        "Alma120",
        "The tower is white.",
        "It has 40 steps.",
        "Ships pass it by night.",
        "See its page.",
        "",
        2 * "The light is seen for 12 miles.",
    }  # fmt: skip  the box stands there twice: its fallback says the same
    assert found["The lamp was lit in 1887."].startswith("Confirmed")
    assert "the text says 90" in found["Its keeper was Ada Holm."]
    assert any("In a footnote: \u201cThe keeper wrote 9 books.\u201d" in text for text in found.values())
    assert any("In a text box: \u201cThe light is seen" in text for text in found.values())

    assert path.read_bytes() == before
    old, new = docx.Document(str(path)), docx.Document(str(target))
    assert [(p.text, p.style.name if p.style else "") for p in new.paragraphs] == [
        (p.text, p.style.name if p.style else "") for p in old.paragraphs
    ]
    assert [run.text for run in new.paragraphs[1].runs if run.bold] == ["was Ada Holm."]
    with zipfile.ZipFile(path) as one, zipfile.ZipFile(target) as other:
        assert set(one.namelist()) == set(other.namelist())
        changed = {name for name in one.namelist() if one.read(name) != other.read(name)}
        assert not {name for name in changed if "media" in name or "styles" in name or "footnotes" in name}
        markup = other.read("word/document.xml").decode()
    assert (markup.count("<w:del "), markup.count("<w:ins "), markup.count("It was red.")) == (1, 1, 1)
    assert [c.text for c in new.comments if c.author == "Bea"] == ["Is that so?"]
    assert [s.text for s in read_manuscript(target).statements] == [s.text for s in read_manuscript(path).statements]


@pytest.mark.parametrize("make", [lambda path: path, lambda path: path.parent / "." / path.name])
def test_the_text_itself_is_never_written_to(paper: Path, make: Callable[[Path], Path]) -> None:
    with pytest.raises(ExportError, match="never changed"):
        copy_form(make(paper), "pages", paper)
