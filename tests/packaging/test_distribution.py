"""What is built of Vouch works where there is no checkout: installed elsewhere, it indexes, asks and serves."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("vouch", "indexing", "rag", "ui", "configs", "evaluation", "samples", "plugins")


def environment(home: Path) -> dict[str, str]:
    """The environment of somebody who has no checkout, at home in `home`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VOUCH"))}
    return kept | {"HOME": str(home), "VOUCH_HOME": str(home / "collections")}


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints, run by somebody at home in `cwd`."""
    words = [str(word) for word in command]
    done = subprocess.run(words, check=False, cwd=cwd, env=environment(cwd), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source_distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, made of the tracked files alone."""
    folder = tmp_path_factory.mktemp("source")
    listed = run("git", "ls-files", "-z", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        target = folder / "checkout" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    build = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", build, folder, cwd=folder / "checkout")
    (made,) = folder.glob("vouch-*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(source_distribution: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made of the source distribution."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", folder)
    run(sys.executable, "-m", "pip", "wheel", *options, source_distribution, cwd=folder)
    (made,) = folder.glob("vouch-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment elsewhere that holds the wheel, and what it depends on by a line in a .pth file.

    Such a line does not follow the .pth files of our own environment, so the checkout is not on its path.
    """
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    pip = ("-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index")
    run(sys.executable, *pip, wheel, cwd=folder)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python.parent


@pytest.fixture(scope="module")
def home(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a newcomer who has run the demo on the samples that came along, of which one is left."""
    folder = tmp_path_factory.mktemp("newcomer")
    documents = Path(run(installed / "python", "-c", "import samples; print(samples.DOCUMENTS)", cwd=folder).strip())
    assert documents.is_relative_to(installed.parent)
    for path in documents.iterdir():
        if path.name != "sallow-bay-annual-report.pdf":
            path.unlink()
    told = run(installed / "vouch", "demo", cwd=folder)
    assert "1,236" in told
    assert "vouch serve" in told
    return folder


def tracked(packages: tuple[str, ...]) -> set[str]:
    return set(filter(None, run("git", "ls-files", "-z", *packages, cwd=ROOT).split("\0")))


@pytest.mark.gate
def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == tracked(PACKAGES) - {"samples/README.md"}


def test_the_source_holds_what_the_wheel_is_made_of_and_its_licence(source_distribution: Path) -> None:
    with tarfile.open(source_distribution) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert tracked(PACKAGES) - {"samples/README.md"} <= held
    assert {"LICENSE", "README.md", "pyproject.toml", "CHANGELOG.md", "constraints.txt"} <= held


def test_nothing_is_read_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    told = run(
        installed / "python", "-c", f"import {', '.join(PACKAGES)}, sys; print(rag.__file__, *sys.path)", cwd=tmp_path
    )
    assert str(ROOT / "rag") not in told
    assert str(ROOT) not in told.split()


@pytest.mark.gate
def test_one_command_leads_a_newcomer_to_a_boxed_answer(home: Path) -> None:
    (drawn,) = (home / "demo-output").iterdir()
    with Image.open(drawn) as image:
        red, green, blue = np.asarray(image.convert("RGB")).astype(int).transpose(2, 0, 1)
    tinted = (green > red + 4) & (green > blue)  # the page itself has blue and grey alone
    assert tinted.mean() > 0.01, "no box is drawn on the page"
