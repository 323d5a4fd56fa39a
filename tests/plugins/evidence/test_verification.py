"""What `vouch verify` finds of an honest pack, and of packs that somebody changed and made to fit again."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from plugins.evidence.container import INDEX, SUMS, read_pack, written_pack
from plugins.evidence.verification import Report, verify_pack
from tests.plugins.evidence.conftest import LINES, WORKING, Edit, Made, forged
from ui.cli import main

Values = dict[str, Any]
Files = dict[str, bytes]


def states(report: Report) -> dict[str, set[str]]:
    """The outcomes of each check."""
    found: dict[str, set[str]] = {}
    for finding in report.findings:
        found.setdefault(finding.check, set()).add(finding.state)
    return found


def test_an_honest_pack_holds_with_its_documents_under_any_name(made: Made) -> None:
    found = states(verify_pack(made.path, made.folder))
    assert found.pop("signature") == {"open"}
    assert found == {check: {"holds"} for check in ("files", "page", "text", "sum", "crop", "document", "quote")}


@pytest.mark.gate
@pytest.mark.slow
def test_without_documents_the_words_are_read_off_the_pictures_and_nothing_is_proven(
    made: Made, tmp_path: Path
) -> None:
    for folder in (None, tmp_path):
        report = verify_pack(made.path, folder)
        assert states(report)["document"] == {"open"}
        assert states(report)["quote"] == {"holds"}
        assert report.state(1) == "open"
    assert all("read by OCR" in each.text for each in report.findings if each.check == "quote")


def one_letter(values: Values, _: Files) -> None:
    values["answer"]["citations"][0]["quote"] = values["answer"]["sentences"][0]["text"] = LINES[0].replace("7", "8")


def a_word_of_the_sentence(values: Values, _: Files) -> None:
    values["answer"]["sentences"][0]["text"] = LINES[0].replace("Anna", "Emma")


def moved_box(values: Values, _: Files) -> None:
    for name in ("bbox", "boxes"):
        values["answer"]["citations"][0][name] = values["answer"]["citations"][1][name]


def box_on_blank_paper(values: Values, _: Files) -> None:
    citation = values["answer"]["citations"][0]
    citation["bbox"], citation["boxes"] = [0.1, 0.7, 0.5, 0.8], [[0.1, 0.7, 0.5, 0.8]]


def another_document(values: Values, made: Made) -> None:
    data = (made.folder / "other.pdf").read_bytes()
    values["documents"][0] |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}


def swapped_crop(_: Values, members: Files) -> None:
    members["crops/1.png"] = members["crops/2.png"]


def painted_page(_: Values, members: Files) -> None:
    page, buffer = Image.open(io.BytesIO(members["pages/1.png"])), io.BytesIO()
    page.paste((0, 0, 0), (700, 700, 710, 710))
    page.save(buffer, "PNG")
    members["pages/1.png"] = buffer.getvalue()


def wrong_sum(values: Values, _: Files) -> None:
    values["answer"]["sentences"][2]["text"] = WORKING.replace("5.34", "5.43")


def wrong_figure(values: Values, _: Files) -> None:
    values["answer"]["sentences"][2]["text"] = "5.84% (margin, 2024: Surplus 1,182 / Revenue 20,250)."


def another_page_for_people(_: Values, members: Files) -> None:
    members[INDEX] = members[INDEX].replace(b"1887", b"1888")


@pytest.mark.parametrize(
    ("edit", "check"),
    [
        (one_letter, "quote"),
        (a_word_of_the_sentence, "text"),
        (moved_box, "quote"),
        (box_on_blank_paper, "quote"),
        (another_document, "quote"),
        (swapped_crop, "crop"),
        (painted_page, "document"),
        (wrong_sum, "sum"),
        (wrong_figure, "sum"),
        (another_page_for_people, "page"),
    ],
)
def test_a_change_is_found_though_all_else_was_made_to_fit(made: Made, tmp_path: Path, edit: Edit, check: str) -> None:
    change = (lambda values, _: another_document(values, made)) if edit is another_document else edit
    report = verify_pack(forged(made, tmp_path / "forged.vouch", change), made.folder)
    assert "fails" in states(report)[check]
    assert report.state() == "fails"
    assert states(report)["files"] == {"holds"}


def test_a_file_that_differs_from_its_hash_or_is_not_listed_is_named(made: Made, tmp_path: Path) -> None:
    members = read_pack("answer.vouch", made.path.read_bytes())
    for name, data in (("crops/1.png", members["crops/2.png"]), ("pages/9.png", members["pages/1.png"])):
        path = tmp_path / "changed.vouch"
        path.write_bytes(written_pack({**members, name: data}))
        (files, *_) = verify_pack(path, made.folder).findings
        assert (files.check, files.state) == ("files", "fails")
        assert name in files.text
    assert SUMS not in members[SUMS].decode()


def test_another_version_of_vouch_may_draw_otherwise_and_read_no_other_words(made: Made, tmp_path: Path) -> None:
    def older(values: Values, members: Files) -> None:
        values["made_by"]["pymupdf"] = "1.0"
        painted_page(values, members)

    report = verify_pack(forged(made, tmp_path / "older.vouch", older), made.folder)
    assert states(report)["document"] == {"open"}
    assert states(report)["quote"] == {"holds"}


def test_the_command_prints_each_sentence_and_exits_with_the_outcome(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(made.path), "--documents", str(made.folder)]) == 0
    printed = capsys.readouterr().out
    assert "3 sentences: 3 verified. Nothing was found wrong." in printed
    assert all(line in printed for line in LINES)
    bad = forged(made, tmp_path / "bad.vouch", one_letter)
    assert main(["verify", str(bad), "--documents", str(made.folder), "--format", "json"]) == 1
    values = json.loads(capsys.readouterr().out)
    assert (values["state"], values["sentence_states"]) == ("fails", ["fails", "holds", "holds"])
    assert main(["verify", str(made.folder / "other.pdf")]) == 2
    assert main(["verify", str(made.path), "--documents", str(tmp_path / "none")]) == 2
    assert "get it again" in capsys.readouterr().err


def test_html_of_strangers_is_text_in_the_page_and_in_the_table(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def hostile(values: Values, _: Files) -> None:
        values["documents"][0]["name"] = "<script>alert(1)</script>\x1b[31m.pdf"
        values["answer"]["citations"][0]["document"] = "<img src=x onerror=alert(1)>\x1b]0;title\x07"

    path = forged(made, tmp_path / "hostile.vouch", hostile)
    page = read_pack("hostile", path.read_bytes())[INDEX].decode()
    assert "<script" not in page
    assert "onerror=alert" in page
    assert "<img src=x" not in page
    assert main(["verify", str(path), "--documents", str(made.folder)]) == 0
    assert "\x1b" not in capsys.readouterr().out
