"""LibreOffice itself: what it makes, what it is kept from, and how it is ended."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import psutil
import pymupdf
import pytest
from lxml import etree
from PIL import Image

from indexing.errors import PageTimeout, UnsupportedFile
from indexing.parse.layout import parse_page
from indexing.settings import IndexingSettings
from plugins.formats.office import document_rendition, libreoffice, slides_rendition
from plugins.formats.office.libreoffice import (
    PREFIX,
    OfficeProfile,
    OfficeTarget,
    confines_files,
    convert_file,
    registry,
)
from tests.plugins.formats.loopback import Loopback, loopback
from tests.plugins.formats.office import office_files
from tests.support import documents

pytestmark = pytest.mark.cold_workers

SETTINGS = IndexingSettings()
TEXT = OfficeTarget("pdf", "writer_pdf_Export", "writer")
RED = (255, 0, 0)


def written(path: Path, *paragraphs: str) -> Path:
    text = docx.Document()
    for paragraph in paragraphs:
        text.add_paragraph(paragraph)
    text.save(str(path))
    return path


def page_text(pdf: bytes) -> str:
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        return " ".join(" ".join(page.get_text() for page in document).split())


def test_a_missing_libreoffice_is_one_clear_line(tmp_path: Path) -> None:
    path = written(tmp_path / "a.docx", "Hello")
    with pytest.raises(UnsupportedFile) as caught:
        document_rendition(path, SETTINGS.with_values(libreoffice="/nowhere/soffice"))
    assert str(caught.value) == (
        "a.docx: LibreOffice, which reads .docx files, is not found at /nowhere/soffice: install "
        "libreoffice-writer-nogui (apt install), or set its path in the setting libreoffice"
    )


def test_without_confinement_only_safe_formats_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libreoffice, "confines_files", lambda: False)
    monkeypatch.setattr(libreoffice, "program", lambda _: Path("/bin/false"))
    path = tmp_path / "a.rtf"
    path.write_text(r"{\rtf1 x}")
    with pytest.raises(UnsupportedFile, match="cannot keep LibreOffice from reading them: use Linux with Landlock"):
        document_rendition(path, SETTINGS)


def test_what_only_waits_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libreoffice, "CLOCK", 0.01)
    monkeypatch.setattr(libreoffice, "launch_command", lambda *_: ["/bin/sleep", "600"])
    profile = OfficeProfile()
    assert libreoffice.run([], profile, SETTINGS).code is None
    profile.remove()


def test_what_was_stopped_leaves_nothing_in_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile, path = OfficeProfile(), tmp_path / "a.rtf"
    left = profile.settings / "lock"

    def run(*_: object) -> libreoffice.ProcessEnd:
        left.touch()
        return libreoffice.ProcessEnd(None, 0.0)

    for name, value in (("_own_profile", lambda: profile), ("run", run), ("confines_files", lambda: True),
                        ("program", lambda _: Path("/bin/false"))):  # fmt: skip
        monkeypatch.setattr(libreoffice, name, value)
    path.write_text(r"{\rtf1 x}")
    with pytest.raises(PageTimeout, match="did not finish"):
        document_rendition(path, SETTINGS)
    assert not left.exists()
    profile.remove()


def test_nothing_of_our_environment_goes_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_API_KEY", "sk-secret")
    assert "sk-secret" not in "".join(libreoffice.launch_command(["/bin/true"], tmp_path, SETTINGS))


@pytest.mark.skipif(not confines_files(), reason="this kernel has no Landlock")
def test_what_is_shut_in_reads_and_writes_its_folder_alone(tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "own"
    secret.write_text("TOPSECRET")
    folder.mkdir()
    script = f"cat {secret}; echo x > {tmp_path}/out; echo mine > {folder}/out; cat {folder}/out"
    run = subprocess.run(
        libreoffice.launch_command(["/bin/sh", "-c", script], folder, SETTINGS),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "mine\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("libreoffice")
@pytest.mark.slow
@pytest.mark.gate
def test_it_is_ended_at_its_limit_of_processor_and_the_next_file_is_read(tmp_path: Path) -> None:
    big = written(tmp_path / "big.docx", *("The mill grinds flour. " * 60 for _ in range(3000)))
    with pytest.raises(PageTimeout, match=r"more than 0\.5 s of processor time"):
        document_rendition(big, SETTINGS.with_values(open_seconds=0.5))
    assert "Hello" in page_text(document_rendition(written(tmp_path / "a.docx", "Hello"), SETTINGS).pdf)


@pytest.mark.usefixtures("libreoffice")
@pytest.mark.slow
@pytest.mark.gate
def test_it_dies_with_the_process_that_started_it() -> None:
    profile = OfficeProfile()
    endless = libreoffice.launch_command(["/bin/sleep", "600"], profile.folder, SETTINGS)
    code = f"import subprocess, os; p = subprocess.Popen({endless[:-1]!r} + [{endless[-1]!r}.replace('{os.getpid()}', str(os.getpid()))]); print(p.pid, flush=True); input()"  # fmt: skip  # noqa: E501
    parent = subprocess.Popen([endless[0], "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    until = time.monotonic() + 20
    while child.name() != "sleep" and time.monotonic() < until:
        child.status()
    assert child.name() == "sleep"
    parent.kill()
    parent.communicate()
    psutil.wait_procs([child], timeout=20)
    assert not child.is_running()
    profile.remove()


@pytest.mark.slow
@pytest.mark.usefixtures("libreoffice")
@pytest.mark.gate
def test_notes_follow_the_slides_and_hidden_slides_are_left_out(tmp_path: Path) -> None:
    style = office_files.HIDDEN_PAGE
    frame = '<draw:frame svg:width="20cm" svg:height="4cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'  # fmt: skip  # noqa: E501
    body = ""
    for n, hidden in ((1, False), (2, True), (3, False)):
        notes = f"<presentation:notes>{frame.format(f'Say number {n}.')}</presentation:notes>"
        named = 'draw:style-name="h"' if hidden else ""
        body += f'<draw:page draw:name="p{n}" {named}>{frame.format(f"Slide number {n}")}{notes}</draw:page>'
    path = office_files.odf(tmp_path / "talk.odp", "presentation", body, style, "<dc:title>Talk</dc:title>")
    made = slides_rendition(path, SETTINGS)
    with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
        pages = [" ".join(page.get_text().split()) for page in document]
    assert pages == [
        "Slide number 1",
        "Slide number 3",
        "Notes of slide 1 Say number 1. Notes of slide 3 Say number 3.",
    ]
    assert (made.title, made.notes) == ("Talk", ("talk.odp: 1 hidden slide left out: 2.",))


def struck_docx(path: Path) -> Path:
    text = docx.Document()
    paragraph = text.add_paragraph("The fare is ")
    paragraph.add_run("nine crowns,").font.strike = True
    paragraph.add_run(" and ")
    paragraph.add_run("from May").font.double_strike = True
    paragraph.add_run(" not ten.")
    text.save(str(path))
    return path


def struck_odt(path: Path) -> Path:
    through = '<style:style style:name="{}" style:family="text"><style:text-properties {}/></style:style>'
    single = through.format("S", 'style:text-line-through-style="solid"')
    double = through.format("D", 'style:text-line-through-style="solid" style:text-line-through-type="double"')
    said = '<text:span text:style-name="{}">{}</text:span>'
    struck = said.format("S", "nine crowns,"), said.format("D", "from May")
    body = f"<text:p>The fare is {struck[0]} and {struck[1]} not ten.</text:p>"
    return office_files.odf(path, "text", body, single + double)


@pytest.mark.usefixtures("libreoffice")
@pytest.mark.slow
@pytest.mark.parametrize("make", [struck_docx, struck_odt])
def test_what_is_struck_out_says_so(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path / f"fare.{make.__name__.removeprefix('struck_')}")
    with pymupdf.open(stream=document_rendition(path, SETTINGS).pdf) as pages:
        said = " ".join(e.text for e in parse_page(pages[0], "d", SETTINGS.with_values(visual="none")).elements)
    assert said == "The fare is [struck out: nine crowns,] and [struck out: from May] not ten."


# ---- nothing is fetched ---------------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A server of a red picture, which remembers what it was asked."""
    with loopback(red_picture()) as server:
        yield server


def red_picture() -> bytes:
    return documents.png(Image.new("RGB", (60, 60), RED))


def is_red(pdf: bytes) -> bool:
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        samples = [page.get_pixmap(dpi=40).samples for page in document]
    return any(bytes(RED) in {s[i : i + 3] for i in range(0, len(s), 3)} for s in samples)


LINKED: dict[str, tuple[Callable[[Path, str], Path], OfficeTarget]] = {
    "docx": (office_files.docx_with_link, TEXT),
    "object.docx": (office_files.docx_with_object, TEXT),
    "odt": (office_files.odt_with_links, TEXT),
    "rtf": (office_files.rtf_with_links, TEXT),
    "odp": (office_files.odp_with_links, OfficeTarget("pdf", "impress_pdf_Export", "impress")),
}


@pytest.mark.usefixtures("libreoffice")
@pytest.mark.slow
@pytest.mark.parametrize("kind", [pytest.param("docx", marks=pytest.mark.gate), "object.docx", "odt", "rtf", "odp"])
def test_nothing_is_fetched_and_no_file_is_taken_in(kind: str, tmp_path: Path, server: Loopback) -> None:
    make, target = LINKED[kind]
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "own.png").write_bytes(red_picture())
    (secret / "own.txt").write_text("TOPSECRET")
    for at, base in enumerate((server.url, secret.as_uri())):
        pdf = convert_file(make(tmp_path / f"{at}.{kind}", f"{base}/own.png"), target, SETTINGS)
        assert "Visible words here." in page_text(pdf)
        assert "TOPSECRET" not in page_text(pdf)
        assert not is_red(pdf)
    assert server.asked == []


@pytest.mark.usefixtures("libreoffice")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docx", "odt"])
def test_the_profile_alone_confines(
    kind: str, tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system cannot shut a process in, these formats are still read."""
    shut_in = libreoffice.launch_command
    monkeypatch.setattr(libreoffice, "launch_command", lambda *given: shut_in(*given, confined=False))
    test_nothing_is_fetched_and_no_file_is_taken_in(kind, tmp_path, server)


@pytest.mark.usefixtures("libreoffice")
@pytest.mark.slow
def test_an_open_libreoffice_would_fetch_it(tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of these tests are such that LibreOffice, left to itself, fetches what they name."""
    shut_in = libreoffice.launch_command
    monkeypatch.setattr(libreoffice, "launch_command", lambda *given: shut_in(*given, confined=False))
    monkeypatch.setattr("plugins.formats.office.libreoffice._SETTINGS", ())
    path = office_files.docx_with_link(tmp_path / "a.docx", f"{server.url}/own.png")
    assert is_red(convert_file(path, TEXT, SETTINGS))
    assert server.asked


# ---- the profile ----------------------------------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_settings_forbid_macros_and_links() -> None:
    root = etree.fromstring(registry().encode())
    values = {item[0].get("{http://openoffice.org/2001/registry}name"): item[0][0].text for item in root}
    assert values["BlockUntrustedRefererLinks"] == "true"
    assert (values["MacroSecurityLevel"], values["DisableMacrosExecution"]) == ("3", "true")
    assert (values["Link"], values["SecureURL"]) == ("2", None)


def test_only_the_folders_of_the_dead_are_swept(temporary: Path) -> None:
    dead, other, unlocked = (temporary / f"{PREFIX}{name}" for name in ("dead", "other", "unlocked"))
    dead.mkdir()
    (dead / "lock").write_text("")
    unlocked.mkdir()
    other.symlink_to(temporary)
    living = OfficeProfile()
    another = OfficeProfile()
    assert living.folder != another.folder
    assert set(temporary.iterdir()) == {living.folder, another.folder, other, unlocked}
    for profile in (living, another):
        profile.remove()
