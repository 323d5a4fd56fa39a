"""Office files: the time of conversion beside LibreOffice's own, and the paragraphs of the sources that are found.

    python -m evaluation.benches.conversion.office --folder FILES

Each file is converted by LibreOffice alone, with a profile that it keeps, and by Vouch, one right after the other, in
turns first and second. Time is that of the processor, children included: a busy machine does not change it. Then every
paragraph of a package (DOCX, ODT, PPTX, ODP, and the cells of XLSX and ODS) is looked up in the text of the elements.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf
from lxml import etree

from evaluation.progress import say
from evaluation.tables import TableRow, print_rows
from indexing import FileError, IndexingSettings
from indexing.conversion import CONVERTED, Rendition, convert
from indexing.conversion.office import program
from indexing.parse import parse_page

MUST_TIME, MUST_FOUND = 1.3, 0.97
SHOWN_MISSES = 20
_PARTS = {".docx": "word/document.xml", ".odt": "content.xml", ".odp": "content.xml", ".ods": "content.xml"}


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """A file with the seconds of processor and by the clock of LibreOffice and of Vouch, and its paragraphs.

    `bare` is None for a file that Vouch lays out without LibreOffice.
    """

    path: Path
    bare: tuple[float, float] | None
    ours: tuple[float, float]
    paragraphs: int
    misses: tuple[str, ...]


def seconds() -> tuple[float, float]:
    """Return the seconds of processor of this process and its children so far, and those of the clock."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used), time.perf_counter()


def _since(start: tuple[float, float]) -> tuple[float, float]:
    now = seconds()
    return now[0] - start[0], now[1] - start[1]


def bare_conversion(binary: Path, path: Path, folder: Path) -> tuple[float, float]:
    """Convert a file to PDF by LibreOffice alone; return the seconds that it took."""
    start = seconds()
    command = [str(binary), f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore",
               "--convert-to", "pdf", "--outdir", str(folder / "out"), str(path)]  # fmt: skip
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=600)  # noqa: S603  a file that the user named
    return _since(start)


def measured(binary: Path, path: Path, folder: Path, settings: IndexingSettings, *, first: bool) -> ConvertedFile:
    """Convert a file both ways, ours `first` or second, and look its paragraphs up."""
    by_program = CONVERTED[path.suffix.lower()].program
    bare = bare_conversion(binary, path, folder) if by_program and not first else None
    start = seconds()
    made = convert(path, settings)
    ours = _since(start)
    if by_program and first:
        bare = bare_conversion(binary, path, folder)
    wanted, text = list(paragraphs(path)), _key(rendered_text(made, settings))
    misses = tuple(p for p in wanted if _key(p) not in text)
    return ConvertedFile(path, bare, ours, len(wanted), misses)


def rendered_text(made: Rendition, settings: IndexingSettings) -> str:
    """Return the text of all elements of a rendition, page by page."""
    if made.pages is not None:
        return " ".join(element.text for page in made.pages for element in page.elements)
    with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
        pages = [parse_page(page, "", settings) for page in document]
    return " ".join(e.text for page in pages for e in page.elements if e.kind not in ("group", "header", "footer"))


def paragraphs(path: Path) -> Iterator[str]:
    """Yield the paragraphs of a package that have a letter or a digit; of a workbook of Excel, its shared texts."""
    suffix = path.suffix.lower()
    if suffix not in (*_PARTS, ".pptx", ".xlsx"):
        return
    with zipfile.ZipFile(path) as package:
        slides = sorted(n for n in package.namelist() if n.startswith(("ppt/slides/slide", "ppt/notesSlides/notes")))
        parts = slides if suffix == ".pptx" else [_PARTS.get(suffix, "xl/sharedStrings.xml")]
        for part in sorted(set(parts) & set(package.namelist())):
            root = etree.fromstring(package.read(part), etree.XMLParser(resolve_entities=False, no_network=True))
            for node in root.iter("{*}p", "{*}h", "{*}si"):
                text = _paragraph(node)
                if any(c.isalnum() for c in text):
                    yield text


def _paragraph(node: etree._Element) -> str:
    """Return the words of a paragraph; of one that holds paragraphs itself, none."""
    if next(node.iterdescendants("{*}p"), None) is not None:
        return ""
    own = [n for n in node.iter("{*}t") if n.text] if "openxmlformats" in str(node.tag) else None
    return "".join(n.text or "" for n in own) if own is not None else "".join(map(str, node.itertext()))


def _key(text: str) -> str:
    """Return the letters and digits of a text alone, in one form."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def report(files: Sequence[ConvertedFile]) -> None:
    """Print time and share of found paragraphs, file by file and in all, and the first misses."""
    for one in files:
        bare = f"{one.bare[0]:5.2f} s bare" if one.bare else "no program  "
        print(
            f"{one.path.name[:44]:44} {one.ours[0]:5.2f} s  {bare}  {one.paragraphs - len(one.misses)}/{one.paragraphs}"
        )
    pairs = [(one.ours, one.bare) for one in files if one.bare is not None]
    rows = []
    for at, clock in enumerate(("processor", "clock")):
        ours, alone = sum(o[at] for o, _ in pairs), sum(b[at] for _, b in pairs)
        rows.append(TableRow(f"{clock}, {len(pairs)} files", ours, "s", alone))
        if alone:
            rows.append(TableRow(f"{clock}, times LibreOffice", ours / alone, "", 1.0, MUST_TIME if not at else None))
    wanted, misses = sum(o.paragraphs for o in files), [(o.path.name, m) for o in files for m in o.misses]
    found = 1 - len(misses) / wanted if wanted else 0.0
    rows.append(TableRow(f"found of {wanted:,} paragraphs", found, "", None, MUST_FOUND, at_least=True))
    print_rows("Office files", rows, "LibreOffice")
    for name, text in misses[:SHOWN_MISSES]:
        print(f"missed in {name}: {text[:100]}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="the folder of the files")
    folder = parser.parse_args(arguments).folder
    settings = IndexingSettings(visual="none")
    binary = program(settings)
    if binary is None:
        parser.error("LibreOffice is not installed: make office")
    paths = sorted(p for p in folder.rglob("*") if _is_office(p))
    if not paths:
        parser.error(f"no office files in {folder}")
    files = []
    with tempfile.TemporaryDirectory() as made:
        for _ in range(2):  # makes the profile
            bare_conversion(binary, paths[0], Path(made))
        for n, path in enumerate(paths):
            say("converting", n, len(paths))
            try:
                files.append(measured(binary, path, Path(made), settings, first=n % 2 == 0))
            except FileError as error:
                print(f"not read: {error}")
    report(files)


def _is_office(path: Path) -> bool:
    known = CONVERTED.get(path.suffix.lower())
    return path.is_file() and known is not None and known.converter.startswith("office:")


if __name__ == "__main__":
    main()
