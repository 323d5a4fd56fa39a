"""Where Chromium and axe-core are on this machine, and how Chromium is started so that it stays at home."""

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SHOTS = ROOT / "build" / "screenshots"
"""Screenshots of the run, kept to be looked at."""
AXE = ROOT / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
"""Brought by `make browser`."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--proxy-server=direct://",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # what Chromium itself would look up stays here
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
)


_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")


def flags_with(rules: str) -> list[str]:
    """Return the flags of a Chromium that finds names at a proxy of TLS on this machine, by its rules."""
    kept = [flag for flag in FLAGS if not flag.startswith("--host-resolver-rules")]
    return [*kept, "--ignore-certificate-errors", f"--host-resolver-rules={rules}"]


def executable() -> str | None:
    """Chromium's path: $VOUCH_CHROMIUM, or the first of its usual names that is installed.

    The shell is the same engine without the windows of a browser: a page takes half of the processor's time.
    """
    named = os.environ.get("VOUCH_CHROMIUM")
    found = (shutil.which(name) for name in _NAMES)
    return named or next(filter(None, found), None)
