"""Mail: head, body and attachments of both formats; bombs, odd names and damage are met by name."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from indexing.conversion import Rendition, convert
from indexing.errors import DamagedFile, FileError, NoPages, UnsupportedFile
from indexing.settings import IndexingSettings
from tests.plugins.formats.compound_file import compound_file
from tests.plugins.formats.laid_out import elements

SUBJECT = "Überlauf am Wehr 水車"


def read(folder: Path, content: bytes, name: str = "a.eml") -> Rendition:
    path = folder / name
    path.write_bytes(content)
    return convert(path, IndexingSettings())


def described(rendition: Rendition) -> list[tuple[str, str]]:
    return [(e.place, e.text) for e in elements(rendition)]


def message(body: str = "Dear Bob,\n\nthe weir is full.\n") -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = SUBJECT, "Ada <ada@example.org>", "bob@example.org"
    mail["Date"] = "Fri, 17 May 2024 23:30:00 +0200"
    mail.set_content(body)
    return mail


def test_a_mail_has_its_head_its_text_and_what_is_attached(tmp_path: Path) -> None:
    mail = message()
    mail.add_alternative("<p>other</p>", subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="../../etc/plan.pdf")
    mail.add_attachment(b"%PDF-2", maintype="application", subtype="pdf", filename="..\\plan.pdf")
    mail.add_attachment(b"x", maintype="image", subtype="png", filename="logo.png", cid="<a@b>")
    made = read(tmp_path, mail.as_bytes())
    assert described(made) == [
        ("subject", SUBJECT),
        ("head", "From: Ada <ada@example.org> To: bob@example.org Date: Fri, 17 May 2024 23:30:00 +0200"),
        ("message, line 1", "Dear Bob,"),
        ("message, line 3", "the weir is full."),
        ("attachments", "Attached: plan.pdf Attached: plan (2).pdf"),
    ]
    assert [(a.name, a.content) for a in made.attachments] == [("plan.pdf", b"%PDF"), ("plan (2).pdf", b"%PDF-2")]
    assert (made.title, made.metadata.date, made.metadata.author) == (SUBJECT, "2024-05-17", "Ada <ada@example.org>")


def test_names_of_attachments_are_harmless(tmp_path: Path) -> None:
    mail = message()
    for name in ("a\u202egpj.exe", "/abs/x.txt", "C:\\w\\y.txt", "..", "", "n" * 300 + ".txt", "<b>.txt"):
        mail.add_attachment(b"data", maintype="application", subtype="pdf", filename=name)
    names = [a.name for a in read(tmp_path, mail.as_bytes()).attachments]
    assert names[:5] == ["a_gpj.exe", "x.txt", "y.txt", "attachment 4.pdf", "attachment 5.pdf"]
    assert len(names[5]) <= 100
    assert names[6] == "_b_.txt"
    assert all("/" not in name and "\\" not in name for name in names)


def test_a_message_in_a_message_is_attached(tmp_path: Path) -> None:
    mail = message()
    inner = message("inner text\n")
    mail.add_attachment(inner)
    (attached,) = read(tmp_path, mail.as_bytes()).attachments
    assert attached.name == f"{SUBJECT}.eml"
    assert ("message, line 1", "inner text") in described(read(tmp_path, attached.content, "b.eml"))


def nested(depth: int, kind: str) -> bytes:
    head = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n)
        if kind == "multipart"
        else b"Subject: level %d\r\nContent-Type: message/rfc822\r\n\r\n" % n
        for n in range(depth)
    )
    return b"From: a@example.org\r\n" + head + b"Subject: core\r\n\r\ncore text\r\n"


@pytest.mark.parametrize("depth", [10, 100, 1000])
@pytest.mark.parametrize("kind", ["multipart", "message"])
def test_parts_in_parts_end(tmp_path: Path, kind: str, depth: int) -> None:
    try:
        made = read(tmp_path, nested(depth, kind))
    except (DamagedFile, NoPages) as error:
        assert str(error).startswith("a.eml: ")  # noqa: PT017
    else:
        assert made.attachments == ()
        assert kind == "multipart" or "exceed the limits" in made.notes[0]


def test_a_mail_of_many_parts_is_bounded(tmp_path: Path) -> None:
    mail = message()
    for n in range(300):
        mail.add_attachment(b"x", maintype="application", subtype="pdf", filename=f"{n}.pdf")
    made = read(tmp_path, mail.as_bytes())
    assert len(made.attachments) == 200
    assert made.notes == ("100 parts of the message exceed the limits and are left out.",)


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (b"just some text\n", UnsupportedFile, "not a mail message"),
        (b"a: b\n" + b"x boundary=q\n" * 400, DamagedFile, "nested parts"),
    ],
)
def test_what_is_no_mail_is_refused(tmp_path: Path, content: bytes, error: type[FileError], said: str) -> None:
    with pytest.raises(error, match=said):
        read(tmp_path, content)


@pytest.mark.parametrize(
    "head",
    [
        b"Subject: =?utf-8?b?!!!?= =?nothing?q?=FF?=",
        b"Subject: \xff\xfe raw",
        b"Date: 99 Foo 99999 99:99:99 +9999\nSubject: x",
        b"From: " + b"(" * 5000 + b"\nSubject: x",
        b"Subject: x\nContent-Type: text/plain; charset=nothing\nContent-Transfer-Encoding: base64",
        b'Subject: x\nContent-Type: multipart/mixed; boundary=""',
    ],
)
def test_odd_heads_are_read_as_far_as_they_go(tmp_path: Path, head: bytes) -> None:
    made = read(tmp_path, head + b"\n\nbody text here\n")
    assert elements(made)


def outlook(subject: str = SUBJECT) -> dict[str, bytes]:
    ticks = 133_604_550_000_000_000  # 2024-05-17 21:30 UTC
    fixed = bytes(32) + (0x0040).to_bytes(2, "little") + (0x0039).to_bytes(2, "little") + bytes(4)
    attached = "__attach_version1.0_#00000000/"
    return {
        "__properties_version1.0": fixed + ticks.to_bytes(8, "little"),
        "__substg1.0_0037001F": subject.encode("utf-16-le"),
        "__substg1.0_0C1A001F": "Ada".encode("utf-16-le"),
        "__substg1.0_5D01001F": "ada@example.org".encode("utf-16-le"),
        "__substg1.0_0E04001F": "Bob".encode("utf-16-le"),
        "__substg1.0_1000001F": "Dear Bob,\r\n\r\nthe weir is full.".encode("utf-16-le"),
        attached + "__properties_version1.0": bytes(8),
        attached + "__substg1.0_3707001F": "..\\plan.pdf".encode("utf-16-le"),
        attached + "__substg1.0_37010102": b"%PDF" + b"x" * 6000,
    }


def test_a_message_in_a_message_of_outlook_becomes_a_mail(tmp_path: Path) -> None:
    inner = {f"__attach_version1.0_#00000001/__substg1.0_3701000D/{k}": v for k, v in outlook("Inner").items()}
    fixed = "__attach_version1.0_#00000001/__substg1.0_3701000D/__properties_version1.0"
    inner[fixed] = inner[fixed][8:]  # eight bytes fewer stand before the properties of an inner message
    made = read(tmp_path, compound_file(outlook() | inner), "a.msg")
    names = [a.name for a in made.attachments]
    assert names == ["plan.pdf", "Inner.eml"]
    again = read(tmp_path, made.attachments[1].content, "inner.eml")
    assert described(again)[0] == ("subject", "Inner")
    assert [a.name for a in again.attachments] == ["plan.pdf"]
    assert again.metadata == made.metadata


@pytest.mark.parametrize("cut", [600, 2000, 5000])
def test_a_damaged_message_of_outlook_is_named(tmp_path: Path, cut: int) -> None:
    content = compound_file(outlook())[:cut]
    with pytest.raises((DamagedFile, UnsupportedFile), match=r"a\.msg"):
        read(tmp_path, content, "a.msg")
