"""Folders of files to USD, each file isolated from the others."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from usdsim.core.errors import FileError, InvalidValueError
from usdsim.core.workers import ask_all, check_limit

from .sniff import XML_SUFFIXES

__all__ = ["BatchReport", "FileResult", "convert_many", "sources_in", "target_below"]


@dataclass(frozen=True)
class FileResult:
    """Outcome of one file."""

    source: str
    destination: str
    status: Literal["converted", "failed", "crashed", "timeout"]
    message: str = ""
    """Reason why it was not converted."""
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    findings: list[dict[str, str]] = field(default_factory=list)
    error: str = ""
    """Class of the exception."""


@dataclass(frozen=True)
class BatchReport:
    """Results of all files, in the order of their names."""

    files: tuple[FileResult, ...]

    @property
    def failed(self) -> tuple[FileResult, ...]:
        """Files that were not converted."""
        return tuple(file for file in self.files if file.status != "converted")

    def to_json(self) -> str:
        """The report as JSON."""
        failed = len(self.failed)
        document = {"files": [asdict(file) for file in self.files], "failed": failed}
        return json.dumps(document, indent=2) + "\n"

    def __str__(self) -> str:
        """The report as text: a line per file, failures explained at the end."""
        lines = []
        for file in self.files:
            warnings = sum(f["severity"] == "warning" for f in file.findings)
            note = f", {warnings} warnings" if warnings else ""
            lines.append(f"{file.status:>9}  {file.seconds:7.2f} s  {file.source}{note}")
        done = len(self.files) - len(self.failed)
        lines.append(f"{done} of {len(self.files)} files converted")
        lines += [f"{file.source}: {file.message}" for file in self.failed]
        return "\n".join(lines)

    def summary(self) -> str:
        """The same as ``str(report)``."""
        return str(self)


def sources_in(folder: str | os.PathLike[str]) -> list[Path]:
    """Files below a folder that are robots or scenes, sorted.

    XML files that are neither MJCF nor URDF, or only parts that others include, are left out.
    """
    found = []
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix.lower() in XML_SUFFIXES and path.is_file():
            head = path.read_bytes()[:4096]
            if any(mark in head for mark in (b"<mujoco>", b"<mujoco ", b"<robot")):
                found.append(path)
    return found


def convert_many(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    base: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    timeout: float = 300.0,
    memory_limit: float | None = None,
    suffix: str = ".usd",
    options: dict[str, dict[str, Any]] | None = None,
    progress: Callable[[FileResult], None] | None = None,
) -> BatchReport:
    """Convert many files in worker processes; a crash or a hang costs a worker, not other files.

    Args:
        sources: a folder, searched by `sources_in`, or files.
        out: folder for the results, laid out like the sources' folder.
        base: folder above all files that `out` stands for; None: the closest one.
        jobs: number of worker processes.
        timeout: longest time one file may take [s].
        memory_limit: most memory a worker process may take [MiB]; None: what there is.
        suffix: file name ending of the results.
        options: converter options by kind of source, ``{"urdf": {"fix_base": False}}``.
        progress: called after each file.

    Raises:
        FileError: there is nothing to convert, or `out` cannot be a folder.
        InvalidValueError: `jobs`, `timeout` or `memory_limit` is not positive.
    """
    check_limit("memory_limit", memory_limit)
    if jobs < 1 or timeout <= 0.0:
        raise InvalidValueError("jobs and timeout", (jobs, timeout), "positive numbers")
    files, closest = _files(sources)
    above = closest if base is None else Path(base)
    _make_folder(Path(out))
    requests = []
    for path in files:
        target = target_below(path, files, above, Path(out), suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        request = {"source": str(path), "destination": str(target), "options": options or {}}
        requests.append(request)
    results: dict[int, FileResult] = {}
    worker = "usdsim.converters.worker"
    for place, outcome in ask_all(worker, requests, jobs, timeout, memory_limit):
        source, destination = str(requests[place]["source"]), str(requests[place]["destination"])
        results[place] = FileResult(source=source, destination=destination, **outcome)
        if progress is not None:
            progress(results[place])
    return BatchReport(tuple(results[place] for place in range(len(files))))


def _files(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> tuple[list[Path], Path]:
    """The files, and the folder their places below `out` follow."""
    if isinstance(sources, (str, os.PathLike)):
        folder = Path(sources)
        if not folder.is_dir():
            raise FileError(f"{str(folder)!r} is not a folder.")
        files, base = sources_in(folder), folder
    else:
        files = [Path(source) for source in sources]
        base = Path(os.path.commonpath([str(file.resolve().parent) for file in files] or ["."]))
    if not files:
        raise FileError(f"{str(sources)!r} holds no {', '.join(XML_SUFFIXES)} file to convert.")
    return files, base


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = "it is a file" if out.is_file() else getattr(error, "strerror", None) or error
        raise FileError(f"Cannot write results into folder {str(out)!r}: {reason}.") from error


def target_below(path: Path, files: list[Path], base: Path, out: Path, suffix: str) -> Path:
    """The source's place below `base`, below `out`; files of equal stem keep their ending."""
    relative = path.resolve().relative_to(base.resolve())
    twins = [file for file in files if file.parent == path.parent and file.stem == path.stem]
    name = path.name.replace(".", "_") if len(twins) > 1 else path.stem
    return out / relative.with_name(f"{name}{suffix}")
