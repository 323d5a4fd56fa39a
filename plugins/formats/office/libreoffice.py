"""Convert files with LibreOffice, one confined process per file, with a profile that runs no macro.

A profile belongs to one process, which keeps it between files: LibreOffice takes a third of a second to make one. Two
that ran on one profile would lock each other out, so its owner holds a lock on it.

LibreOffice exits with 0 even if it wrote nothing, so only the output file shows success. Its binary is called directly:
the usual script starts other processes, which would survive a kill.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import fcntl
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

from indexing import DamagedFile, IndexingSettings, NotReadable, PageTimeout, UnsupportedFile
from plugins.formats.office.launch import NOT_STARTED, landlock_version

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
            lock = _lock_folder(self.folder)
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


def _lock_folder(folder: Path) -> int | None:
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
            lock = _lock_folder(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


MB = 1024 * 1024
PACKAGES = {
    "writer": "libreoffice-writer-nogui",
    "impress": "libreoffice-impress-nogui",
    "calc": "libreoffice-calc-nogui",
}
"""The packages of Debian and its kin that bring what a format needs."""
BASE_MB = 768
"""The address space that LibreOffice takes for itself, in MB: 470 were measured with an empty text."""
SOCKETS = Path("/tmp")  # noqa: S108  nothing of ours is written there
"""The folder in which LibreOffice makes its socket, whatever its settings are."""
CLOCK = 20
"""The wall-clock seconds that a conversion may take for each CPU second of its limit."""
RESTART = 81
"""The exit code by which LibreOffice asks for a restart, as after it made a new profile."""
_NEEDED = ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/fonts", "/etc/libreoffice", "/etc/ld.so.cache",
           "/etc/localtime", "/etc/locale.alias", "/etc/nsswitch.conf", "/var/cache/fontconfig",
           "/var/lib/libreoffice", "/var/spool/libreoffice", "/proc/cpuinfo", "/proc/self",
           "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom", "/dev/random")  # fmt: skip
PROFILE_SUFFICES = (".docx", ".odt")
"""The formats whose links to files the profile alone stops; pictures of slides and of RTF files pass it."""
_lock = threading.Lock()
_profiles: list[OfficeProfile] = []


@dataclass(frozen=True, slots=True)
class OfficeTarget:
    """An output format of LibreOffice: its extension, its filter with options, its component (`PACKAGES`)."""

    suffix: str
    filter: str
    part: str


def program(settings: IndexingSettings) -> Path | None:
    """Return the binary of LibreOffice: that of the setting `libreoffice`, or the one on the path; None without."""
    script = settings.libreoffice or shutil.which("soffice") or shutil.which("libreoffice")
    if not script:
        return None
    script_path = Path(os.path.realpath(Path(script).expanduser()))
    folder = script_path if script_path.is_dir() else script_path.parent
    names = ("soffice.bin", "program/soffice.bin") if sys.platform == "linux" else ("soffice", "MacOS/soffice")
    return next((folder / name for name in names if os.access(folder / name, os.X_OK)), None)


def convert_file(path: Path, target: OfficeTarget, settings: IndexingSettings) -> bytes:
    """Return the bytes of a file converted to `target`; LibreOffice is given a copy under a plain name.

    Raises UnsupportedFile where LibreOffice is missing, PageTimeout, and DamagedFile where it writes nothing.
    """
    binary, suffix = program(settings), path.suffix.lower()
    if binary is None:
        where = f"not found at {settings.libreoffice}" if settings.libreoffice else "not installed"
        raise UnsupportedFile(
            f"{path.name}: LibreOffice, which reads {path.suffix} files, is {where}: install {PACKAGES[target.part]} "
            "(apt install), or set its path in the setting libreoffice"
        )
    if not confines_files() and suffix not in PROFILE_SUFFICES:
        raise UnsupportedFile(
            f"{path.name}: {path.suffix} files may refer to other files on this machine, and this system "
            "cannot keep LibreOffice from reading them: use Linux with Landlock, or save it as a PDF first"
        )
    with _lock:
        profile = _own_profile()
        job = profile.job()
        source = job / f"source{suffix}"
        try:
            shutil.copyfile(path, source)
        except OSError as error:
            raise NotReadable(
                f"{path.name}: cannot be read ({error.strerror}): check the disk and the permissions"
            ) from None
        command = [
            str(binary), f"-env:UserInstallation={profile.settings.as_uri()}", "--headless", "--invisible",
            "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard", "--convert-to",
            f"{target.suffix}:{target.filter}", "--outdir", str(job / "made"), str(source),
        ]  # fmt: skip
        try:
            end = run(command, profile, settings)
            if end.code == RESTART:
                end = run(command, profile, settings)
            if end.code != 0:
                profile.reset()
            return _read_result(path, end, job / "made" / f"source.{target.suffix}", target, settings)
        finally:
            shutil.rmtree(job, ignore_errors=True)


@cache
def confines_files() -> bool:
    """Return True if the system can keep LibreOffice from all files but the one to convert."""
    return sys.platform == "linux" and landlock_version(ctypes.CDLL(None)) > 0


def _own_profile() -> OfficeProfile:
    """Return the profile of this process; a process that was forked makes its own."""
    if not (_profiles and _profiles[0].owner == os.getpid() and _profiles[0].folder.is_dir()):
        _profiles[:] = [OfficeProfile()]
    _profiles[0].restore()
    return _profiles[0]


def launch_command(command: list[str], folder: Path, settings: IndexingSettings, *, confined: bool = True) -> list[str]:
    """Return the command that runs another within the limits, able to write into `folder` alone.

    With `confined` it has no network, and reads no files but those of the system and those in `folder`, where the
    system supports that (Linux: user namespaces, Landlock).
    """
    home, above = str(folder), Path(command[0]).parent.parent
    installation = above if (above / "share").is_dir() and above != Path("/") else Path(command[0]).parent
    limits = {
        "command": command,
        # The complete environment of the program: ours is not passed on.
        "environment": {"HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin",
                        "SAL_USE_VCLPLUGIN": "svp", "TZ": "UTC"},
        "read": [*_NEEDED, str(installation)],
        "write": [home, "/dev/null"],
        "sockets": [str(SOCKETS)],
        "seconds": int(settings.open_seconds) + 1,
        "memory": (settings.worker_memory_mb + BASE_MB) * MB,
        "file_bytes": settings.max_unpacked_mb * MB,
        "parent": os.getpid(),
        "confined": confined,
    }  # fmt: skip
    launcher = Path(__file__).with_name("launch.py")
    return [sys.executable, "-I", "-S", str(launcher), json.dumps(limits)]


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """The end of a process: its exit code (None if it exceeded its wall-clock time), and its CPU seconds."""

    code: int | None
    seconds: float


def run(command: list[str], profile: OfficeProfile, settings: IndexingSettings) -> ProcessEnd:
    """Run a command within the limits, then kill all processes that it started."""
    before = _children_seconds()
    process = subprocess.Popen(  # noqa: S603  the command is ours, its file has a plain name
        launch_command(command, profile.folder, settings), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, cwd=profile.folder, start_new_session=True,
    )  # fmt: skip
    code = None
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(CLOCK * settings.open_seconds)
        return ProcessEnd(code, _children_seconds() - before)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _socket(profile).unlink(missing_ok=True)


def _socket(profile: OfficeProfile) -> Path:
    """Return the path of the socket that LibreOffice creates for a profile; confined, it cannot remove it."""
    digest = hashlib.md5(profile.settings.as_uri().encode("utf-16-le"), usedforsecurity=False).digest()
    return SOCKETS / f"OSL_PIPE_{os.getuid()}_SingleOfficeIPC_{''.join(f'{byte:x}' for byte in digest)}"


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _read_result(path: Path, end: ProcessEnd, file: Path, target: OfficeTarget, settings: IndexingSettings) -> bytes:
    """Return the bytes that LibreOffice wrote. Raises PageTimeout, UnsupportedFile, DamagedFile without any."""
    seconds = settings.open_seconds
    if end.code is None:
        raise PageTimeout(
            f"{path.name}: LibreOffice did not finish within {CLOCK * seconds:g} s, and was stopped: check that the "
            "disk responds, or save the file again with another program"
        )
    if end.code in (-signal.SIGXCPU, -signal.SIGKILL) or end.seconds >= seconds:
        raise PageTimeout(
            f"{path.name}: LibreOffice used more than {seconds:g} s of processor time and was stopped: raise "
            "open_seconds to allow more"
        )
    if end.code == NOT_STARTED:
        raise UnsupportedFile(f"{path.name}: LibreOffice cannot be started: run {program(settings)} to see why")
    if end.code:
        raise DamagedFile(
            f"{path.name}: LibreOffice ended with code {end.code} (it may use {settings.worker_memory_mb} MB of "
            "memory): raise worker_memory_mb, or save the file again with another program"
        )
    if file.is_symlink() or not file.is_file() or not file.stat().st_size:
        raise DamagedFile(
            f"{path.name}: LibreOffice cannot read it: it is damaged, locked, or does not match its extension "
            f"{path.suffix}, or {PACKAGES[target.part]} is not installed: open it in another program and save "
            "it again"
        )
    return file.read_bytes()
