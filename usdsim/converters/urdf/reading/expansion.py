"""Expansion of one xacro file in a process of its own, with limits.

Run as a program: a request in JSON on standard input, the answer in JSON on standard output. xacro
evaluates expressions of its input, so the process may neither open files elsewhere nor start
programs nor talk to others.
"""

from __future__ import annotations

import errno
import json
import os
import site
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

from usdsim.converters.confinement import AssetRoots
from usdsim.core.errors import UsdsimError
from usdsim.core.workers import limit_process

from .packages import installed

__all__ = ["expand"]

_FORBIDDEN = (
    "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "socket.",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod",
    "os.chown", "os.truncate", "shutil.", "ctypes.dlopen", "webbrowser.", "urllib.", "ftplib.",
)  # fmt: skip
"""Audit events of what no expression needs."""
_CODE = (".py", ".pyc", ".so", ".pyd", ".pth")
"""Endings of what Python reads of its own libraries."""


def expand(request: dict[str, Any]) -> str:
    """The URDF text a file expands to.

    Args:
        request: ``file``, ``args`` by name, ``packages``, ``confined`` and ``allowed`` for
            `AssetRoots`, ``seconds`` and ``megabytes``.
    """
    import xacro

    from .resolve import FileResolver
    from .xacro import package_index

    limit_process(seconds=float(request["seconds"]), megabytes=float(request["megabytes"]))
    file, packages = Path(request["file"]), request["packages"]
    roots = AssetRoots(file, request["allowed"], packages) if request["confined"] else None
    xacro.open = _open
    with package_index(FileResolver(file, packages)):
        sys.addaudithook(_guard(roots))
        document = xacro.process_file(request["file"], mappings=request["args"])
    text: str = document.toxml()
    return text


def _open(name: str, *given: Any, **named: Any) -> Any:
    """Open a file where a package that is none of an installation has it."""
    return open(installed(Path(name)), *given, **named)


def _guard(roots: AssetRoots | None) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that refuses to open files outside some folders, and all else but reading."""
    paths = sysconfig.get_paths()
    own = {paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]}
    own |= {sys.base_prefix, sys.prefix, *site.getsitepackages(), *filter(None, sys.path)}
    libraries = [Path(folder).resolve() for folder in own]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(f"{event} is not allowed in a xacro file")
        if event != "open" or roots is None or not isinstance(arguments[0], str | bytes):
            return
        file = Path(os.fsdecode(arguments[0]))
        if set(str(arguments[1] or "r")) & set("wax+"):
            raise _denied(f"writing {str(file)!r} is not allowed in a xacro file", file)
        if file.suffix in _CODE and any(file.resolve().is_relative_to(lib) for lib in libraries):
            return
        if problem := roots.problem(file):
            raise _denied(problem, file)

    return hook


def _denied(problem: str, file: Path) -> PermissionError:
    return PermissionError(errno.EACCES, problem, str(file))


def _reason(error: Exception) -> str:
    """The words of an error, without those that xacro wraps around ours, and the remedy."""
    inner = getattr(error, "exc", None)
    if isinstance(inner, UsdsimError):
        return str(inner)
    if isinstance(inner, OSError) and inner.strerror:
        named = str(inner.filename) in inner.strerror
        return inner.strerror if named else f"{inner.filename}: {inner.strerror}"
    words = str(error) or type(error).__name__
    if "Undefined substitution argument" in words:
        return f"{words}; the file has no default for it, so give it in `xacro_args`"
    return words


def _main() -> None:
    request = json.load(sys.stdin)
    answers = sys.stdout
    # Macros may print, which must not get into the answer.
    sys.stdout = sys.stderr
    try:
        answer = {"text": expand(request)}
    except UsdsimError as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": f"it needs more than {request['megabytes']:g} MiB of memory"}
    except Exception as error:  # xacro raises its own and Python's errors.
        answer = {"error": _reason(error)}
    json.dump(answer, answers)


if __name__ == "__main__":
    _main()
