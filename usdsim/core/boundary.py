"""Exceptions of other libraries and of the system, turned into errors of usdsim at one place."""

from __future__ import annotations

import os
import re
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from .errors import FileError, UsdsimError

__all__ = ["boundary", "origin", "reason", "require_fetched", "require_regular"]

_OPENUSD = re.compile(r"' at line \d+ in file \S+ : '(.*?)\s*'\s*(?=\n|$)", re.DOTALL)
"""Messages of OpenUSD, between its own source locations."""

_IN_MEMORY = re.compile(r"@anon:0x[^@]*@")
"""Layers without a file in messages of OpenUSD: addresses, which say nothing."""

_POINTER = b"version https://git-lfs.github.com/spec/"
"""First bytes of a pointer, which stands in the place of a large file in a Git repository."""
_POINTER_SIZE = 1024
"""No pointer is larger, by its specification [bytes]."""


@contextmanager
def boundary(
    doing: str,
    raised: type[UsdsimError] = FileError,
    *,
    remedy: str = "",
    caught: type[Exception] = Exception,
) -> Iterator[None]:
    """Context that turns errors of other libraries or the system into errors of usdsim.

    Decoders raise whatever they stumble over, so only calls into them belong inside, and every
    exception of theirs counts. Interrupts pass.

    Args:
        doing: what fails and with which file, ``Cannot open 'robot.usda'``.
        raised: class of the error. The system's own errors are always a `FileError`.
        remedy: what to do about it.
        caught: what is turned into it; where code of usdsim runs inside, only what the other
            library raises.

    Raises:
        UsdsimError: something inside failed; the original exception is its cause.
    """
    try:
        yield
    except UsdsimError:
        raise
    except caught as error:
        kind = FileError if isinstance(error, OSError) else raised
        raise kind(f"{doing}: {reason(error)}. {remedy}".rstrip()) from error


def require_regular(path: str | os.PathLike[str]) -> None:
    """Raise `OSError` for a folder, pipe or device, which opening might wait for or change.

    To be called at a `boundary`. What is not there passes.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError("it is no regular file")


def require_fetched(path: str | os.PathLike[str]) -> None:
    """Raise `FileError` for a pointer of Git LFS, which stands in a file's place until fetched.

    What is not there passes.
    """
    head = b""
    with suppress(OSError):
        if os.path.isfile(path) and os.path.getsize(path) <= _POINTER_SIZE:
            with open(path, "rb") as opened:
                head = opened.read(len(_POINTER))
    if head == _POINTER:
        raise FileError(
            f"Cannot read {os.fspath(path)!r}: it is a pointer of Git LFS and not the file itself. "
            "Fetch it by `git lfs pull` in its repository."
        )


def reason(error: BaseException) -> str:
    """Reason that an exception gives: one text without the source locations of a library."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    try:
        text = str(error).strip().rstrip(".")
    except UnicodeDecodeError as unreadable:
        error = unreadable  # OpenUSD quotes the offending bytes of a file in its message.
    if isinstance(error, UnicodeDecodeError):
        text = f"it is damaged, or not encoded in UTF-8 ({error.reason})"
    text = _IN_MEMORY.sub("", text)
    found = _OPENUSD.findall(text)
    reasons = [line for line in dict.fromkeys(found) if not line.startswith("Failed to open layer")]
    if found and not reasons:
        return "it is not a USD file, is damaged, or cannot be read"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    if isinstance(error, KeyError):
        text = f"{text} is missing"
    return "; ".join(reasons) or text or type(error).__name__


def origin(error: BaseException) -> str:
    """Origin of an exception in a user's code, such as ``", in reward.py, line 8"``.

    Empty where all of what was called belongs to usdsim, Python or installed packages.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_file() and not any(path.is_relative_to(folder) for folder in _installed()):
            here = Path.cwd()
            shown = path.relative_to(here) if path.is_relative_to(here) else path
            return f", in {shown}, line {frame.lineno}"
    return ""


@cache
def _installed() -> tuple[Path, ...]:
    """Folders of code that is no user's."""
    own = Path(__file__).parent.parent
    return own, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platlib", "purelib"))
