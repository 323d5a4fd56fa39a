"""Files of our own making, of fifteen kinds in four scripts, whose paragraphs are known.

Texts, notebooks and mail are written here, web pages and slides by lxml, texts of Word by python-docx; LibreOffice
makes the other kinds of Office out of those.
"""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import docx
from lxml import etree, html

from evaluation.benches.conversion.texts import SCRIPTS, files_of

OWN_SCRIPTS = ("latin", "vietnamese", "greek", "cyrillic")
"""The scripts for which every system has fonts."""
OFFICE = {".docx": (".odt", ".rtf", ".doc"), ".csv": (".xlsx", ".ods", ".xls"), ".odp": (".pptx",)}
"""The kinds that LibreOffice makes out of what is written here."""
_UTF_8 = "--infilter=CSV:44,34,76,1"
_ODF = {
    name: f"urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"
    for name, kind in (("office", "office"), ("draw", "drawing"), ("text", "text"), ("svg", "svg-compatible"),
                       ("manifest", "manifest"))
}  # fmt: skip
_SLIDES = "application/vnd.oasis.opendocument.presentation"
_FRAME = {"x": "2cm", "y": "2cm", "width": "24cm", "height": "15cm"}
_ON_A_SLIDE = 2


def own_files(folder: Path, binary: Path, count: int) -> Iterator[tuple[Path, list[str]]]:
    """Write the files into a folder; yield each with its `count` paragraphs. `binary` is LibreOffice."""
    for script in OWN_SCRIPTS:
        texts = [f"{n} " + " ".join([SCRIPTS[script]] * (1 + n % 5)) for n in range(1, count + 1)]
        for suffix, content in files_of(texts).items():
            written = folder / f"{script}{suffix}"
            written.write_text(content, encoding="utf-8")
            yield written, texts
        yield _page(folder / f"{script}.html", texts), texts
        yield _text(folder / f"{script}.docx", texts), texts
        yield _slides(folder / f"{script}.odp", texts), texts
        for source, kinds in OFFICE.items():
            for kind in kinds:
                yield _converted(binary, folder / f"{script}{source}", kind), texts


def _page(path: Path, texts: Sequence[str]) -> Path:
    body = etree.Element("body")
    for n, text in enumerate(texts):
        etree.SubElement(body, ("h2", "p", "li", "blockquote")[n % 4]).text = text
    page = etree.Element("html", lang="en")
    page.append(body)
    path.write_bytes(html.tostring(page, encoding="utf-8", doctype="<!doctype html>"))
    return path


def _text(path: Path, texts: Sequence[str]) -> Path:
    made = docx.Document()
    for n, text in enumerate(texts):
        made.add_paragraph(text, style=("Heading 2", "Normal", "List Bullet", "Quote")[n % 4])
    made.save(str(path))
    return path


def _slides(path: Path, texts: Sequence[str]) -> Path:
    whole = etree.Element(_named("office", "document-content"), {_named("office", "version"): "1.2"}, nsmap=_ODF)
    body = etree.SubElement(whole, _named("office", "body"))
    shown = etree.SubElement(body, _named("office", "presentation"))
    for first in range(0, len(texts), _ON_A_SLIDE):
        page = etree.SubElement(shown, _named("draw", "page"), {_named("draw", "name"): f"page {first}"})
        place = {_named("svg", key): told for key, told in _FRAME.items()}
        box = etree.SubElement(etree.SubElement(page, _named("draw", "frame"), place), _named("draw", "text-box"))
        for text in texts[first : first + _ON_A_SLIDE]:
            etree.SubElement(box, _named("text", "p")).text = text
    listed = etree.Element(_named("manifest", "manifest"), nsmap=_ODF)
    for name, kind in (("/", _SLIDES), ("content.xml", "text/xml")):
        told = {_named("manifest", "full-path"): name, _named("manifest", "media-type"): kind}
        etree.SubElement(listed, _named("manifest", "file-entry"), told)
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", _SLIDES)
        package.writestr("META-INF/manifest.xml", etree.tostring(listed))
        package.writestr("content.xml", etree.tostring(whole, xml_declaration=True, encoding="utf-8"))
    return path


def _named(space: str, name: str) -> str:
    return f"{{{_ODF[space]}}}{name}"


def _converted(binary: Path, source: Path, kind: str) -> Path:
    """Convert a file by LibreOffice; return the path of what it wrote. Raises FileNotFoundError where it wrote none."""
    folder = source.parent
    command = [str(binary), f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore"]
    command += [_UTF_8] if source.suffix == ".csv" else []
    command += ["--convert-to", kind[1:], "--outdir", str(folder), str(source)]
    made = source.with_suffix(kind)
    for _ in range(2):  # the first start makes a profile, and ends
        if not made.is_file():
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=300)  # noqa: S603  files of our own
    if not made.is_file():
        raise FileNotFoundError(f"{made.name}: LibreOffice wrote no file: install its Writer, Calc and Impress")
    return made
