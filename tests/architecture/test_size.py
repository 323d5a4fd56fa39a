"""The house stays as small as it was made: these limits only go down (docs/adr/0033-plugins-by-entry-points.md)."""

from tests.architecture.size import CORE, lines_by_part, total

MOST_CORE, MOST_WITH_PLUGINS, MOST_TESTS = 57_000, 84_000, 49_600
"""The most lines of Python."""
MOST_FILES = 500
"""The most Python files of the core and the plugins together, tests apart."""


def test_the_house_grows_no_more() -> None:
    parts = lines_by_part()
    assert total(parts, *CORE) <= MOST_CORE
    assert total(parts, *CORE, "plugins") <= MOST_WITH_PLUGINS
    assert total(parts, "tests") <= MOST_TESTS
    assert total(parts, *CORE, "plugins", count="files") <= MOST_FILES


def test_every_part_is_counted() -> None:
    parts = lines_by_part()
    assert {"plugins/audit", "plugins/formats", "tests", *CORE} <= set(parts)
    assert all(count["files"] for count in parts.values())
