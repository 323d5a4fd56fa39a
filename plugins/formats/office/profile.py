"""The profile of LibreOffice: a folder whose settings run no macro, follow no link and ask for nothing.

A profile belongs to one process, which keeps it between files: LibreOffice takes a third of a second to make one. Two
that ran on one profile would lock each other out, so its owner holds a lock on it.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

PREFIX = "vouch-office-"
_COMMON = "/org.openoffice.Office.Common"
_INET = "/org.openoffice.Inet/Settings"
_SETTINGS = (
    (f"{_COMMON}/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    (f"{_COMMON}/Security/Scripting", "DisableMacrosExecution", "true"),
    (f"{_COMMON}/Security/Scripting", "MacroSecurityLevel", "3"),
    (f"{_COMMON}/Security/Scripting", "SecureURL", ""),
    (f"{_COMMON}/Security/Scripting", "CheckDocumentEvents", "true"),
    (f"{_COMMON}/Misc", "FirstRun", "false"),
    (f"{_COMMON}/Misc", "UseOpenCL", "false"),
    ("/org.openoffice.Office.Writer/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.WriterWeb/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.Calc/Content/Update", "Link", "2"),
    (_INET, "ooInetProxyType", "2"),
    (_INET, "ooInetHTTPProxyName", "127.0.0.1"),
    (_INET, "ooInetHTTPProxyPort", "9"),
    (_INET, "ooInetHTTPSProxyName", "127.0.0.1"),
    (_INET, "ooInetHTTPSProxyPort", "9"),
    (_INET, "ooInetNoProxy", ""),
)
"""The settings that differ from LibreOffice's own: the node, the property, its value."""


def registry() -> str:
    """Return the settings in the form of `registrymodifications.xcu`."""
    items = "".join(
        f'<item oor:path={quoteattr(node)}><prop oor:name={quoteattr(name)} oor:op="fuse"><value>{value}</value></prop>'
        "</item>\n"
        for node, name, value in _SETTINGS
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n'
        f"{items}</oor:items>\n"
    )


class OfficeProfile:
    """A profile on disk, and beside it the folder of the current conversion; both are removed with their process."""

    def __init__(self) -> None:
        """Create the folder and lock it, and remove those of dead processes."""
        _sweep()
        lock = None
        while lock is None:  # another process that sweeps may hold it, and then removes the folder
            self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
            lock = _lock(self.folder)
        self.restore()
        self.owner = os.getpid()
        atexit.register(self.remove)

    @property
    def settings(self) -> Path:
        """The folder that LibreOffice uses as its user profile."""
        return self.folder / "profile"

    def restore(self) -> None:
        """Write the settings again: LibreOffice changes them, and changes made by a file must not stay."""
        user = self.settings / "user"
        user.mkdir(parents=True, exist_ok=True)
        (user / "registrymodifications.xcu").write_text(registry(), encoding="utf-8")

    def job(self) -> Path:
        """Return an empty folder for one conversion."""
        folder = self.folder / "job"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def reset(self) -> None:
        """Delete everything that LibreOffice wrote into the profile, as after it was killed."""
        shutil.rmtree(self.settings, ignore_errors=True)
        self.restore()

    def remove(self) -> None:
        """Remove the folder, if this process made it."""
        if os.getpid() == self.owner:
            shutil.rmtree(self.folder, ignore_errors=True)


def _lock(folder: Path) -> int | None:
    """Lock a folder until this process ends; return the file descriptor, or None if it is locked already."""
    descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _sweep() -> None:
    """Remove profiles that no process has locked: a worker that is killed cannot remove its own."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid() or not (folder / "lock").is_file():
                continue
            lock = _lock(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
