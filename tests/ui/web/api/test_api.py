"""The six endpoints as a program calls them, by `gradio_client`: the examples of docs/api.md, run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import documents
from tests.ui.forked import Served
from tests.ui.real_collection import LINES

ROOT = Path(__file__).resolve().parents[4]
pytestmark = pytest.mark.slow


def test_the_examples_of_the_documentation_run(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    documents.pdf(tmp_path / "mill.pdf", LINES)
    documents.pdf(tmp_path / "paper.pdf", ["References", "[1] A. Holm. Mills of the north. Mills, 2009."])
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```python\n")[1:]]
    typed = [block for block in blocks if "vouch.client" in block]
    assert (len(blocks), len(typed)) == (8, 1)
    own = typed[0].replace('"samples"', '"mills"').replace("report.pdf", "mill.pdf")
    ordered = [block for block in blocks if block not in typed] + [own]
    exec("\n".join(ordered).replace("http://127.0.0.1:7860", served.address), {})
    said = capsys.readouterr().out
    for words in (
        "mill.pdf done",
        "broken.pdf failed damaged",
        "mills 1 ['mill.pdf']",
        "quoted",
        "1887",
        "barrels",
        "unknown",
        "answered\n",
    ):
        assert words in said
    sent = ("mill.pdf", "broken.pdf", "paper.pdf")
    assert [path for path in served.uploads.rglob("*.pdf") if path.name in sent] == [], "it is deleted once it is read"
