"""The examples of docs/api.md and docs/app.md, run against a served page."""

from pathlib import Path

import pytest

from tests.support import documents
from tests.ui.forked import Served
from tests.ui.real_collection import LINES
from vouch.client import Client

DOCS = Path(__file__).resolve().parents[4] / "docs"
pytestmark = pytest.mark.slow


@pytest.mark.gate
def test_the_examples_of_the_documentation_run(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    documents.pdf(tmp_path / "report.pdf", LINES)
    monkeypatch.chdir(tmp_path)
    with Client(served.address) as client:
        client.make_collection("samples")
    for name in ("api.md", "app.md"):
        (block,) = (b.partition("```")[0] for b in (DOCS / name).read_text(encoding="utf-8").split("```python\n")[1:])
        asked = block.replace("How many departures were cancelled?", "When was the mill built by Anna Holm?")
        exec(asked.replace("http://127.0.0.1:7860", served.address), {})
        said = capsys.readouterr().out
        assert "quoted" in said
        assert "1887" in said
        assert ("answered\n" in said) == (name == "api.md")
