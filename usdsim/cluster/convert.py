"""Conversion of folders of robots and scenes as a job: one block per file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from usdsim.converters.batch import sources_in, target_below
from usdsim.converters.worker import convert_one
from usdsim.core.errors import FileError, UsdsimError

from .job import Job

__all__ = ["ConvertJob"]


@dataclass(frozen=True, kw_only=True)
class ConvertJob(Job):
    """Every robot and scene below a folder to USD, laid out like the folder."""

    kind: ClassVar[str] = "convert"

    source: str
    """Folder that is searched for MJCF, URDF and xacro files."""
    suffix: str = ".usd"
    """File name ending of the results."""
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Converter options by kind of source, ``{"urdf": {"fix_base": True}}``."""

    def check(self) -> None:
        """Refuse a source without anything to convert."""
        if not Path(self.source).is_dir():
            raise FileError(f"{self.source!r} is not a folder.")
        if not self._files:
            raise FileError(f"{self.source!r} holds no robot or scene to convert.")

    def num_blocks(self) -> int:
        """Number of files."""
        return len(self._files)

    def run_block(self, block: int) -> dict[str, Any]:
        """Convert a file; its outcome as `usdsim.converters.convert_many` reports it."""
        file, base = self._files[block], Path(self.source)
        target = target_below(file, self._files, base, Path(self.out), self.suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        outcome = convert_one(str(file), str(target), self.options)
        if outcome["status"] != "converted":
            raise UsdsimError(outcome["message"])
        return {"source": str(file), "destination": str(target), **outcome}

    @cached_property
    def _files(self) -> list[Path]:
        return sources_in(self.source)
