"""The README's session and what the documentation says to type, which a newcomer tries first: they must be there."""

import contextlib
import importlib
import io
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from rag.settings import shipped_profiles

ROOT = Path(__file__).parents[1]
BELOW = {"eval": r" (construct [a-z]+|[a-z-]+)\b", "models": r" ([a-z]+)\b", "admin": r" ([a-z]+(?: [a-z]+)?)\b"}
"""The commands that have commands of their own, and how these are typed."""
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "samples" / "README.md"])

GONE_NOTE = "Scripts named here that are gone are at commit 20579a3."
"""The line at the top of a page of experiments whose commands may name what is in GONE."""
_CONVERSION = "faded files image_pages office spreads texts turns web"
_BENCHES = "layout references references.lookups scale scale.cold tables tables.ratios vectors verify"
GONE = {
    *(f"evaluation.benches.conversion.{name}" for name in _CONVERSION.split()),
    *(f"evaluation.benches.{name}" for name in _BENCHES.split()),
    *("evaluation.fit calculation", "evaluation.fit reader"),
    *(f"plugins.research.fit {name}" for name in ("citable", "codebook", "confidence", "embedder", "form", "letters")),
    *("plugins.research.fit marks", "plugins.research.fit projection"),
    *("evaluation.run", "plugins/research/fit/projection.py"),
    *("evaluation.benches.verify.contradictions", "evaluation.benches.verify.print_check"),
    *("rag/calculation/calculate.py", "rag/calculation/programs.py", "rag/methods/quote/headings.py"),
    "evaluation/benches/scale/made_pages.py",
    *("evaluation.benches.ask", "evaluation.benches.search"),
    *("bench-ask", "bench-indexing", "bench-memory", "bench-search"),
    *("bench-baselines", "bench-generate", "bench-layout", "bench-scoring", "bench-ui", "bench-verify"),
}
"""Commands, files and targets of the Makefile that were removed after they had been measured with."""


def gone_for(path: Path, text: str) -> set[str]:
    """Return what a document may name though it is gone: nothing, unless it is a page of experiments with the note."""
    return GONE if path.parent.name == "experiments" and GONE_NOTE in text else set()


@pytest.mark.gate
@pytest.mark.slow
def test_the_six_lines_of_python_answer_and_draw(tmp_path: Path) -> None:
    """Run the Python block of the README on the samples, as a plain script from the root of a clone."""
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    script = tmp_path / "session.py"
    drawn = tmp_path / "drawn"
    session = block.replace('"demo-output"', repr(str(drawn))).replace('create("samples")', 'create("readme")')
    session = session.replace('["samples/documents"]', '["samples/documents/sallow-bay-annual-report.pdf"]')  # enough
    assert "annual-report" in session
    script.write_text(session, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script], cwd=ROOT, capture_output=True, text=True, timeout=280, env=_environment(), check=False
    )
    assert done.returncode == 0, done.stderr
    assert "1,236" in done.stdout
    assert "sallow-bay-annual-report.pdf" in done.stdout
    assert [p.suffix for p in drawn.iterdir()] == [".png"]


def test_what_the_documentation_says_to_type_is_there() -> None:
    """Each `vouch ...`, `python -m ...` of ours and `make ...`: the command exists, and has the options shown."""
    targets = set(re.findall(r"^([a-z.-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    typed: dict[tuple[str, ...], set[str]] = {}
    for path in DOCUMENTS:
        text = re.sub(r"\n +\[", " [", path.read_text(encoding="utf-8"))  # a usage over several lines
        gone = gone_for(path, text)
        assert set(re.findall(r"(?:^|`)make ([a-z]+(?:-[a-z]+)*)", text, re.MULTILINE)) <= targets | gone, path.name
        for name, rest in re.findall(r"(?:^ *|`|bin/)vouch ([a-z]+)([^`\n]*)", text, re.MULTILINE):
            task = re.match(BELOW[name], rest) if name in BELOW else None
            words = (name, *task[1].split()) if task else (name, "questions") if name == "eval" else (name,)
            typed.setdefault(("ui.cli", *words), set()).update(options_in(rest))
        for module, rest in re.findall(r"python -m ((?:evaluation|plugins)\.[a-z_.]+)([^`\n]*)", text):
            what = rest.split()[:1] if module in ("evaluation.fit", "plugins.research.fit") else []
            if " ".join((module, *what)) in gone:
                continue
            typed.setdefault((module, *what), set()).update(options_in(rest))
    assert {words[1] for words in typed if words[0] == "ui.cli"} >= {"index", "ask", "serve", "list", "eval", "doctor"}
    for words, options in typed.items():
        told = set(options_in(helped(*words)))
        assert options <= told, f"{' '.join(words)}: {sorted(options - told)}"


def test_what_is_said_to_be_gone_is_gone_and_named_by_the_pages_that_say_so() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in GONE:
        command, _, what = name.partition(" ")
        path = ROOT / command.replace(".", "/") / what
        assert not any(p.exists() for p in (ROOT / name, path, path.with_suffix(".py"))), name
        assert f"\n{name}:" not in makefile
    texts = [(p, p.read_text(encoding="utf-8")) for p in (ROOT / "docs" / "experiments").glob("*.md")]
    pages = [(path.name, text) for path, text in texts if gone_for(path, text)]
    assert [name for name, text in pages if not any(command in text for command in GONE)] == []
    assert [command for command in GONE if not any(command in text for _, text in pages)] == []


def options_in(text: str) -> list[str]:
    return re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)


def helped(module: str, *words: str) -> str:
    """What a command says with --help, asked in this process: there are many."""
    told = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(told):
        patch.setattr(sys, "argv", [module, *words, "--help"])
        try:
            known = importlib.import_module(module)
            code = known.main() if hasattr(known, "main") else runpy.run_module(module, run_name="__main__") and 0
        except SystemExit as ended:
            code = ended.code
    assert code == 0, f"{module} {words}"
    return told.getvalue()


def test_every_profile_of_the_documentation_is_one_that_ships_or_a_file() -> None:
    for path in DOCUMENTS:
        named = set(re.findall(r"--(?:profile|judge|identify) ([\w./-]+)", path.read_text(encoding="utf-8")))
        own = {name for name in named if name.endswith(".yaml") or name.isupper()}
        assert named - own <= set(shipped_profiles()), path.name


def test_the_pictures_and_every_linked_file_are_there() -> None:
    """Links of the documentation point at files of the repository."""
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_every_file_that_the_documentation_names_is_there() -> None:
    """Paths between backticks: a file that was moved is found under its new name only."""
    named = re.compile(r"`((?:configs|docs|evaluation|indexing|notebooks|plugins|rag|samples|tests|ui)/[\w./*-]+)`")
    missing = {
        f"{path.relative_to(ROOT)}: {target}"
        for path, text in ((path, path.read_text(encoding="utf-8")) for path in DOCUMENTS)
        for target in named.findall(text)
        if not any(ROOT.glob(target)) and target not in gone_for(path, text)
    }
    assert missing == set()


def test_every_page_of_measurements_is_in_their_table_of_contents() -> None:
    contents, *pages = sorted((ROOT / "docs" / "experiments").rglob("*.md"))
    assert contents.name == "README.md"
    linked = re.findall(r"^\| \[[^\]]*\]\(([^)]+)\)", contents.read_text(encoding="utf-8"), re.MULTILINE)
    assert pages
    assert sorted(linked) == [page.relative_to(contents.parent).as_posix() for page in pages]
    assert set(pages) <= set(DOCUMENTS)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}
