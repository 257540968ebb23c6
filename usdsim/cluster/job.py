"""Job base class: work in blocks, and its description as a document."""

from __future__ import annotations

import hashlib
import json
import tomllib
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError, InvalidValueError, UnknownNameError

from .report import JobReport

__all__ = ["Job", "job_from_document", "job_from_file"]


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """Work that is cut into blocks. Fields are plain values, so that other machines get them."""

    kind: ClassVar[str]
    KINDS: ClassVar[dict[str, type[Job]]] = {}
    """Classes of jobs by kind."""

    out: str
    """Folder of the results, on a file system that all workers share."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Job.KINDS[cls.kind] = cls

    @abstractmethod
    def check(self) -> None:
        """Refuse, before any work, what no block could do.

        Raises:
            UsdsimError: what is wrong, and what to do about it.
        """

    def check_machine(self) -> None:
        """Refuse a machine that has not what the job names; the others have been checked.

        Raises:
            UsdsimError: what is not there.
        """
        if not Path(self.out).is_dir():
            raise FileError(f"{self.out!r} is not there; name a folder that all machines share.")

    @abstractmethod
    def num_blocks(self) -> int:
        """Number of blocks."""

    @abstractmethod
    def run_block(self, block: int) -> dict[str, Any]:
        """Run a block and put its results in place, completely or not at all.

        Returns:
            What to keep about it, as JSON values.
        """

    def block_name(self, block: int) -> str:
        """Name of a block among the records, the same in every run."""
        return f"{block:06}"

    def holds(self, block: int, result: dict[str, Any]) -> bool:
        """Whether earlier results of a block are what it would give now."""
        return True

    def finish(self, report: JobReport) -> None:  # noqa: B027 (most kinds write nothing)
        """Write what belongs to all blocks together."""

    def local(self) -> Job:
        """The job as workers do it, with copies of what is not on this machine."""
        return self

    def publish(self) -> None:  # noqa: B027 (most kinds write where the results belong)
        """Publish the results."""

    def document(self) -> dict[str, Any]:
        """The job as JSON values."""
        return {"kind": self.kind, **asdict(self)}

    def digest(self) -> str:
        """Digest of all that decides about the results: every field but the folder."""
        document = {key: value for key, value in self.document().items() if key != "out"}
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def job_from_document(document: dict[str, Any]) -> Job:
    """The job that a document describes.

    Raises:
        UnknownNameError: there is no such kind of job.
        InvalidValueError: a field is unknown or missing.
    """
    values = dict(document)
    kind = values.pop("kind", None)
    if kind not in Job.KINDS:
        raise UnknownNameError("kind of job", kind, sorted(Job.KINDS))
    cls = Job.KINDS[kind]
    known = [field.name for field in fields(cls)]
    for name in values:
        if name not in known:
            raise UnknownNameError(f"field of a {kind} job", name, known)
    try:
        return cls(**values)
    except TypeError as error:
        raise InvalidValueError(
            f"{kind} job", ", ".join(values) or "no fields", f"all of its fields ({error})"
        ) from error


def job_from_file(path: str | Path, kind: str | None = None) -> Job:
    """The job in a TOML file; its relative paths are relative to the current folder.

    Args:
        path: the file.
        kind: the kind of job, if the file does not say it.

    Raises:
        FileError: the file cannot be read, or is no TOML.
        UnknownNameError: a kind or a field is unknown.
        InvalidValueError: a field is missing.
    """
    with boundary(f"Cannot read job {str(path)!r}"):
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    return job_from_document({**({"kind": kind} if kind else {}), **document})
