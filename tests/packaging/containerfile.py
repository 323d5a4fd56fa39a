"""`python -m tests.packaging.containerfile`: the Containerfile's steps, where there is no engine to build it.

    make test-container                      (as root, on Debian with debootstrap; minutes, 3 GB of disk)
    make space test-container ARGS=--space   (the same for the Space, whose samples are indexed while it is built)

Each stage is a folder that debootstrap has filled; RUN is a chroot into it, COPY a copy, ENV and USER hold from there
on. Then the image's command is started as its user, in a mount namespace whose root is read-only but for its home and
/tmp, and asked: is the page healthy, and does it end on SIGTERM? What an engine does besides (layers, registries,
cgroups, seccomp) is not tried here.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTAINERFILE = ROOT / "docs" / "deploy" / "Containerfile"
SPACE = ROOT / "dist" / "space"
BASE = "docker.io/library/debian:bookworm-slim"
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
MOST_SECONDS = 240


@dataclass
class Stage:
    """A stage in the making: the folder that is its root, and what holds for its next steps."""

    name: str
    root: Path
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    user: str = "0:0"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Containerfile, each with the rest of its line."""
    lines = [line.strip() for line in text.replace("\\\n", " ").splitlines()]
    kept = [line for line in lines if line and not line.startswith("#")]
    return [(line.partition(" ")[0].upper(), line.partition(" ")[2].strip()) for line in kept]


def build(containerfile: Path, context: Path, folder: Path, mirror: str) -> Stage:
    """Run every step; return the last stage."""
    stages: list[Stage] = []
    for word, rest in instructions(containerfile.read_text(encoding="utf-8")):
        told(f"{word} {rest[:100]}")
        if word == "FROM":
            stages.append(begun(rest, folder, len(stages), mirror))
        elif word == "COPY":
            copied(rest, stages, context)
        elif word == "RUN":
            run(stages[-1], rest)
        elif word == "ENV":
            stages[-1].environment |= dict(pair.partition("=")[::2] for pair in shlex.split(rest))
        elif word == "USER":
            stages[-1].user = rest
        elif word in ("ENTRYPOINT", "CMD"):
            setattr(stages[-1], "entrypoint" if word == "ENTRYPOINT" else "command", json.loads(rest))
        elif word == "HEALTHCHECK":
            stages[-1].health = json.loads(rest.partition(" CMD ")[2])
        elif word not in ("VOLUME", "WORKDIR", "EXPOSE", "STOPSIGNAL"):
            raise SystemExit(f"{word} is not known here: teach tests/packaging/containerfile.py")
    return stages[-1]


def begun(rest: str, folder: Path, number: int, mirror: str) -> Stage:
    """A new stage of the base, which is made once."""
    base, _, name = rest.partition(" AS ")
    if base != BASE:
        raise SystemExit(f"{base} is not the base that can be made here ({BASE})")
    made = folder / "base"
    if not (made / ".complete").exists():
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", SUITE, str(made), mirror], check=True, stdout=sys.stderr)
        (made / ".complete").touch()
    root = folder / f"stage{number}"
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", str(made), str(root)], check=True)
    return Stage(name or str(number), root)


def copied(rest: str, stages: Sequence[Stage], context: Path) -> None:
    """Copy from the context or from another stage, as root's."""
    words = shlex.split(rest)
    source = context
    if words[0].startswith("--from="):
        source = next(stage.root for stage in stages if stage.name == words.pop(0).removeprefix("--from="))
    *wanted, target = words
    found = [path for each in wanted for path in sorted(source.glob(each.lstrip("/")))]
    if not found:
        raise SystemExit(f"COPY {rest}: there is nothing of that name (make dist first)")
    into = stages[-1].root / target.lstrip("/")
    for path in found:
        to = into / path.name if target.endswith("/") else into
        to.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", "--no-preserve=ownership", str(path), str(to)], check=True)


def run(stage: Stage, command: str) -> None:
    """Run a command of the shell in a stage. How to reach the network is the machine's: names, certificates, pip."""
    lent = {"/etc/resolv.conf": "/etc/resolv.conf"}
    if bundle := os.environ.get("SSL_CERT_FILE"):
        lent["/tmp/certificates.crt"] = bundle
    for inside, outside in lent.items():
        shutil.copyfile(outside, stage.root / inside.lstrip("/"))
    names = ("PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT", "http_proxy", "https_proxy")
    own = {name: os.environ[name] for name in names if name in os.environ}
    if bundle:
        own |= {"SSL_CERT_FILE": "/tmp/certificates.crt", "PIP_CERT": "/tmp/certificates.crt"}
    environment = stage.environment | own | {"DEBIAN_FRONTEND": "noninteractive"}
    root = shlex.quote(str(stage.root))
    mounts = (  # as an engine has them: shared memory, which processes need for their locks, and facts of the processor
        f"mount -t tmpfs -o mode=1777 tmpfs {root}/dev/shm && mount -t proc proc {root}/proc"
        f" && exec {shutil.which('chroot')} --userspec={stage.user} {root} /bin/sh -ec {shlex.quote(command)}"
    )
    outside = [str(shutil.which("unshare")), "--mount", str(shutil.which("sh")), "-ec", mounts]
    subprocess.run(outside, check=True, env=environment, stdout=sys.stderr)
    for inside in lent:
        (stage.root / inside.lstrip("/")).unlink(missing_ok=True)


def inside(stage: Stage, data: Path, command: Sequence[str]) -> list[str]:
    """The command line that runs a command as the image would: its user, a read-only root, `data` as its home, /tmp."""
    root, home = shlex.quote(str(stage.root)), stage.environment["HOME"]
    mounts = (
        f"mount --bind {root} {root} && mount --bind {shlex.quote(str(data))} {root}{home}"
        f" && mount -t tmpfs tmpfs {root}/tmp && mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev"
        f" && mount -o remount,bind,ro {root}"
        f" && exec {shutil.which('chroot')} --userspec={stage.user} {root} {shlex.join(command)}"
    )
    return ["unshare", "--mount", "sh", "-ec", mounts]


def tried(stage: Stage, data: Path, *, indexed: bool = False) -> None:
    """Run the image: it cannot write its root, has no build tools, reads, answers, is healthy, and ends when told."""
    owner = int(stage.user.partition(":")[0])
    if owner == 0:
        raise SystemExit("the image runs as root")
    os.chown(data, owner, int(stage.user.partition(":")[2] or owner))
    (stage.root / "etc/hosts").write_text("127.0.0.1 localhost\n")  # an engine writes it when it starts an image
    environment, home = stage.environment, stage.environment["HOME"]

    def once(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            inside(stage, data, command), check=False, env=environment, capture_output=True, text=True,
            timeout=MOST_SECONDS * 2,
        )  # fmt: skip

    plain = once("true")
    assert plain.returncode == 0, plain.stderr  # or what follows would fail for another reason than the one it is for
    for tool in ("gcc", "make", "pip", "git", "curl"):
        assert once("sh", "-c", f"command -v {tool}").returncode != 0, f"{tool} was left in the image"
    written = once("sh", "-c", "touch /opt/vouch/x /etc/x /x")
    assert written.returncode != 0, "the root can be written"
    assert once("sh", "-c", f"touch {home}/x /tmp/x").returncode == 0, f"{home} and /tmp cannot be written"
    read = once("true" if indexed else "vouch", "index", "--samples")
    assert read.returncode == 0, read.stderr[-2000:]
    asked = once("vouch", "ask", "How many departures were cancelled?")
    assert "1,236" in asked.stdout, asked.stderr[-2000:]
    told("the samples are read, and a question is answered")
    with subprocess.Popen(inside(stage, data, [*stage.entrypoint, *stage.command]), env=environment) as served:
        try:
            end = time.monotonic() + MOST_SECONDS
            while once(*stage.health).returncode != 0:
                assert time.monotonic() < end, "the page did not become healthy"
                assert served.poll() is None, "the page has ended"
            with urllib.request.urlopen("http://127.0.0.1:7860/ready", timeout=30) as ready:
                assert ready.status == 200
            told("the page is healthy and ready")
            served.send_signal(signal.SIGTERM)
            assert served.wait(60) == 0, "it did not end on SIGTERM"
        finally:
            if served.poll() is None:
                served.kill()


def told(line: str) -> None:
    """Print a line at once."""
    sys.stderr.write(f"container: {line}\n")
    sys.stderr.flush()


def main() -> int:
    """Build, try, and say how large it is."""
    parser = argparse.ArgumentParser(prog="make test-container", description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "container", help="where the stages are made")
    parser.add_argument("--mirror", default=MIRROR, help="the mirror of Debian (default: %(default)s)")
    parser.add_argument("--space", action="store_true", help="the Space that make space has written")
    chosen = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        told("needs root and debootstrap (apt-get install debootstrap): nothing was tried")
        return 3
    chosen.folder.mkdir(parents=True, exist_ok=True)
    context = (SPACE / "Dockerfile", SPACE) if chosen.space else (CONTAINERFILE, ROOT)
    stage = build(*context, chosen.folder.resolve(), chosen.mirror)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as data:
        home = stage.root / stage.environment["HOME"].lstrip("/") if chosen.space else Path(data)
        tried(stage, home, indexed=chosen.space)
    size = subprocess.run(["du", "-sm", str(stage.root)], check=True, capture_output=True, text=True).stdout.split()[0]
    told(f"all of it works; the last stage has {size} MB, unpacked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
