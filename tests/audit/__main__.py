"""`make audit`: looks up known advisories of what constraints.txt pins, and never takes silence for health.

pip-audit itself ends well where its source knows nothing of a package, as one behind a mirror does: it says "No known
vulnerabilities found" though nothing was looked up. Here that is told, and ends with 3.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WELL, FOUND, UNREACHED = 0, 1, 3
MOST_SECONDS = 300
_NAMED = 5


@dataclass(frozen=True)
class Audit:
    """The outcome: `checked` packages, the advisories found, the packages of which nothing could be learnt, and why."""

    checked: int = 0
    found: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    why: str = ""

    @property
    def code(self) -> int:
        """1 with an advisory, 3 where some could not be reached, else 0."""
        return FOUND if self.found else UNREACHED if self.unreached or self.why else WELL

    def lines(self) -> list[str]:
        """What to tell, a line each."""
        told = list(self.found)
        if self.why:
            return [*told, f"audit: advisories cannot be reached, so that nothing was checked ({self.why})"]
        if self.unreached:
            named = ", ".join(self.unreached[:_NAMED]) + (", ..." if len(self.unreached) > _NAMED else "")
            total = self.checked + len(self.unreached)
            told.append(
                f"audit: advisories cannot be reached for {len(self.unreached)} of {total} packages ({named}): "
                "nothing is known of those"
            )
        if self.checked:
            advisories = "advisory" if len(self.found) == 1 else "advisories"
            told.append(f"audit: {len(self.found)} known {advisories} for {self.checked} packages that were looked up")
        return told


def read(report: str, complaint: str = "") -> Audit:
    """Read what pip-audit wrote as JSON; `complaint` is what it said on standard error."""
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Audit(why=(complaint.strip().splitlines() or ["no report"])[-1][:200])
    if not packages:
        return Audit(why="the report names no package")
    looked_up = [p for p in packages if "skip_reason" not in p]
    found = tuple(
        f"{p['name']} {p['version']}: {one['id']}, mended in {', '.join(one['fix_versions']) or 'no version yet'}"
        for p in looked_up
        for one in p["vulns"]
    )
    return Audit(len(looked_up), found, tuple(p["name"] for p in packages if "skip_reason" in p))


def audited(tool: str, requirements: Path) -> Audit:
    """Run pip-audit over the requirements; it installs nothing."""
    command = [tool, "--requirement", str(requirements), "--require-hashes", "--disable-pip", "--format", "json"]
    command += ["--progress-spinner", "off", "--timeout", "10"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return Audit(why=f"no answer within {MOST_SECONDS} seconds")
    except OSError as error:
        return Audit(why=f"{tool} cannot be run: {error.strerror}")
    return read(run.stdout, run.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit, and say what came of it."""
    parser = argparse.ArgumentParser(prog="make audit", description="look up known advisories of what is pinned")
    parser.add_argument("tool", help="the path of pip-audit")
    parser.add_argument("--requirements", type=Path, default=ROOT / "constraints.txt", help="the pins, with hashes")
    parser.add_argument("--go-on", action="store_true", help="end with 0 where advisories cannot be reached, as in CI")
    chosen = parser.parse_args(arguments)
    outcome = audited(chosen.tool, chosen.requirements)
    sys.stdout.write("\n".join(outcome.lines()) + "\n")
    return WELL if chosen.go_on and outcome.code == UNREACHED else outcome.code


if __name__ == "__main__":
    sys.exit(main())
