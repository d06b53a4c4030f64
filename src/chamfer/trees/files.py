"""Files written whole: at any time there is the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


def write_file(path: str | Path, content: bytes) -> None:
    """Write a file; if that fails, what was there before stays.

    The content goes to a temporary file in the same folder, which replaces the old file once it is complete. A
    symbolic link stays one: the file it leads to is replaced. Devices and pipes are written to directly.
    """
    name = os.fspath(path)
    try:
        old = _status(name)
        if name.startswith(_STREAMS) or (old is not None and not stat.S_ISREG(old.st_mode)):
            with open(name, "wb") as file:
                file.write(content)
        else:
            _replace(os.path.realpath(name), content, old)
    except OSError as error:
        # Name the file as the caller did, not the temporary one.
        raise OSError(error.errno, error.strerror, name) from error


def _status(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _replace(target: str, content: bytes, old: os.stat_result | None) -> None:
    if old is not None and not os.access(target, os.W_OK):
        # Replacing a file needs no permission to write to it, but whoever took that away wants it kept.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    temporary = os.path.join(os.path.dirname(target), f".chamfer-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)  # some disks notice only now that they are full
        if old is not None:
            _take_after(temporary, old)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _take_after(temporary: str, old: os.stat_result) -> None:
    """Give the new file the owner, as far as allowed, and the permissions of the old one."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, stat.S_IMODE(old.st_mode))
