"""What is beside the wheel for those who run it: the image, the compose file, the unit, the release."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.packaging.containerfile import CONTAINERFILE, instructions

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "docs" / "deploy"


def pins(path: Path) -> dict[str, str]:
    found = re.findall(r"^([\w.-]+)==([^ \\]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower(): version for name, version in found}


def test_the_image_has_what_is_tested_and_no_tools() -> None:
    tested, image = pins(ROOT / "constraints.txt"), pins(DEPLOY / "requirements.txt")
    assert len(image) > 100
    assert {name: version for name, version in image.items() if tested.get(name) != version} == {}
    assert {"lancedb", "gradio", "authlib", "psycopg", "opentelemetry-sdk"} <= set(image)
    assert not {"pytest", "mypy", "ruff", "playwright"} & set(image)


@pytest.mark.parametrize("path", [DEPLOY / "requirements.txt", ROOT / "tests" / "audit" / "sbom.txt"])
def test_every_pin_has_hashes(path: Path) -> None:
    text = re.sub(r"(?m)^#.*\n", "", path.read_text(encoding="utf-8"))
    each = re.split(r"\n(?=[A-Za-z0-9])", "\n" + text)[1:]
    bad = [p.split("\n")[0] for p in each if not re.match(r"[\w.-]+==[\w.+!-]+( ; [^\\]+)? \\\n +--hash=sha256:", p)]
    assert bad == []


def test_the_containerfile_keeps_its_promises() -> None:
    steps = instructions(CONTAINERFILE.read_text(encoding="utf-8"))
    last = max(n for n, (word, _) in enumerate(steps) if word == "FROM")
    final = steps[last:]
    words = [word for word, _ in final]
    assert [word for word, _ in steps].count("FROM") == 2
    users = [rest for word, rest in final if word == "USER"]
    assert users == ["10001:10001"]
    assert "RUN" not in words[words.index("USER") :]
    assert any(word == "HEALTHCHECK" and "/health" in rest for word, rest in final)
    installs = [rest for word, rest in steps if word == "RUN" and "pip install" in rest]
    assert ["--require-hashes" in rest for rest in installs] == [True, False]
    assert "--no-index" in installs[1]
    assert not any("pip" in rest or "venv" in rest for word, rest in final if word == "RUN")
    copied = [rest.split()[:-1] for word, rest in steps if word == "COPY" and not rest.startswith("--from")]
    assert [list(ROOT.glob(one)) != [] for (one,) in copied if not one.startswith("dist/")] == [True]


def test_a_space_has_the_samples_and_its_user_writes_at_home_alone() -> None:
    space, base = DEPLOY / "space", instructions(CONTAINERFILE.read_text(encoding="utf-8"))
    added = instructions((space / "Containerfile").read_text(encoding="utf-8"))
    steps = base + added
    assert [rest for word, rest in added if word == "USER"] == ["0:0", "1000:1000"]
    as_itself = added[added.index(("USER", "1000:1000")) :]
    assert ("RUN", "vouch index --samples") in as_itself
    paths = dict(pair.split("=") for word, rest in added if word == "ENV" for pair in rest.split())
    home = paths.pop("HOME")
    named = {pair.split("=")[0] for word, rest in steps if word == "ENV" for pair in rest.split() if "=/data" in pair}
    assert named == {*paths, "HOME"}, "something is still written to /data"
    assert all(path.startswith(f"{home}/") for path in paths.values())
    told = yaml.safe_load((space / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert ("EXPOSE", str(told["app_port"])) in steps
    assert (told["sdk"], len(told["short_description"]) <= 60) == ("docker", True)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for _, rest in (step for step in steps if step[0] == "COPY" and not step[1].startswith("--from")):
        folder, _, name = rest.split()[0].rpartition("/")
        assert re.search(rf"\tcp \S*{re.escape(name.strip('*'))} dist/space/{folder}\n", makefile), rest


def test_the_compose_file_is_closed_in() -> None:
    told: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    vouch = told["services"]["vouch"]
    assert vouch["read_only"] is True
    assert vouch["cap_drop"] == ["ALL"]
    assert vouch["ports"] == ["127.0.0.1:7860:7860"]
    assert "ports" not in told["services"]["state"]
    assert told["services"]["model"]["profiles"] == ["model"]
    assert (DEPLOY / vouch["build"]["context"] / vouch["build"]["dockerfile"]).resolve() == CONTAINERFILE
    named = {each if isinstance(each, str) else each["source"] for s in told["services"].values()
             for each in s.get("secrets", ())}  # fmt: skip
    assert named == set(told["secrets"])


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not here")
    text = (DEPLOY / "vouch.service").read_text(encoding="utf-8")
    assert "ExecStart=/opt/vouch/bin/vouch serve" in text
    unit = tmp_path / "vouch.service"
    unit.write_text(text.replace("/opt/vouch/bin/vouch", "/bin/true"), encoding="utf-8")  # which is there
    run = subprocess.run([analyze, "verify", str(unit)], check=False, capture_output=True, text=True)
    assert (run.returncode, run.stdout + run.stderr) == (0, "")
    for line in ("DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet="):
        assert f"\n{line}\n" in text


def test_the_release_has_no_more_rights_than_it_needs() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    told: dict[str, Any] = yaml.safe_load(text)
    assert told["permissions"] == {}
    assert told["jobs"]["publish"]["needs"] == ["build", "smoke"]
    used = [step["uses"] for job in told["jobs"].values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w./-]+@(v\d+\.\d+\.\d+|[0-9a-f]{40})", each) for each in used)
    assert "secrets." not in text
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    asked = re.findall(r"run: make ((?:[a-z.][\w.-]* ?)+)", text)
    assert len(asked) == 4
    assert [name for each in asked for name in each.split() if f"\n.PHONY: {name}\n" not in makefile] == []
