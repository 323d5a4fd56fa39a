"""A format is added by a plugin alone: a file of it is indexed, in a worker process, and found; without, it is not."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings, UnsupportedFile, build_index
from indexing.parse import identify, readable_formats
from vouch import hooks

pytestmark = pytest.mark.cold_workers  # warm ones started without the plugin
SETTINGS = IndexingSettings(visual="none", workers=1)
PLUGIN = """
from vouch.hooks import FileFormat, Plugin

PLUGIN = Plugin(
    "weather", "Read weather reports.", formats=(FileFormat(".metar", "metar", ("text",), "weather:rendition"),)
)


def rendition(path, settings):
    import pymupdf
    from indexing.conversion import Rendition

    with pymupdf.open() as document:
        document.new_page().insert_text((72, 100), f"Report: {path.read_text()}")
        return Rendition(document.tobytes(), title="Weather")
"""


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A weather report, with a distribution on the path whose plugin reads it."""
    site = tmp_path / "site"
    (site / "weather-1.dist-info").mkdir(parents=True)
    (site / "weather.py").write_text(PLUGIN)
    (site / "weather-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: weather\nVersion: 1\n")
    (site / "weather-1.dist-info" / "entry_points.txt").write_text(f"[{hooks.GROUP}]\nweather = weather:PLUGIN\n")
    monkeypatch.syspath_prepend(str(site))
    file = tmp_path / "reports" / "today.metar"
    file.parent.mkdir()
    file.write_text("The wind at Sallow Bay blows from the north at 12 knots.")
    monkeypatch.delitem(sys.modules, "weather", raising=False)
    hooks.load_installed.cache_clear()
    yield file
    monkeypatch.undo()
    hooks.load_installed.cache_clear()


@pytest.mark.gate
@pytest.mark.slow
def test_a_file_of_a_new_format_is_indexed_and_found(report: Path, tmp_path: Path) -> None:
    assert readable_formats()[".metar"] == "metar"
    collection = Collection.create("weather", tmp_path / "home", SETTINGS)
    done = build_index(collection, [report.parent], settings=SETTINGS)
    assert [(file.name, file.status, file.failures) for file in done.files] == [("today.metar", "indexed", ())]
    hit = collection.search("Where does the wind blow from?").hits[0]
    assert hit.element.text == "Report: The wind at Sallow Bay blows from the north at 12 knots."
    (document,) = collection.documents()
    assert (document.title, hit.element.page) == ("Weather", 1)
    assert collection.draw_page(document.id, 1, 200).width == 200


def test_without_the_plugin_the_file_is_refused(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(hooks.VARIABLE, "formats")
    hooks.load_installed.cache_clear()
    with pytest.raises(UnsupportedFile, match=r"not \.metar: save it as a PDF first"):
        identify(report, SETTINGS)
    assert ".docx" in readable_formats()
