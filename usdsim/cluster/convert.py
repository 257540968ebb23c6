"""Conversion of folders of robots and scenes as a job: one block per file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from usdsim.converters.batch import sources_in, target_below
from usdsim.converters.inputs import referenced_files
from usdsim.converters.worker import convert_one
from usdsim.core.cache import contents
from usdsim.core.errors import FileError, UsdsimError
from usdsim.render import render_picture, write_png

from .conversion_pages import write_pages
from .job import Job
from .remote import fetch_folder, is_remote, publish_folder
from .report import JobReport

__all__ = ["ConvertJob"]

_PICTURE = (320, 240)
"""Width and height of pictures [pixels]."""


@dataclass(frozen=True, kw_only=True)
class ConvertJob(Job):
    """Every robot and scene below a folder to USD, laid out like the folder.

    ``report.html`` lists all files with what was found, and ``report.parquet`` has the same rows,
    where pyarrow is installed. A job that is resumed converts what is new, and what has changed
    itself or in a file that it refers to.
    """

    kind: ClassVar[str] = "convert"

    source: str
    """Folder that is searched for MJCF, URDF and xacro files; like `out`, it may be in an object
    store or an archive, by an address of fsspec (``s3://bucket/robots``)."""
    suffix: str = ".usd"
    """File name ending of the results."""
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Converter options by kind of source, ``{"urdf": {"fix_base": True}}``."""
    pictures: bool = False
    """Whether each result gets a picture, a PNG file beside it."""

    def local(self) -> ConvertJob:
        """The job with copies of remote folders, brought up to date."""
        changes: dict[str, Any] = {}
        if is_remote(self.source):
            changes["source"] = str(fetch_folder(self.source))
        if is_remote(self.out):
            changes["out"] = str(fetch_folder(self.out, mirror=False))
        return replace(self, **changes) if changes else self

    def publish(self) -> None:
        """Write results to a remote folder, the report after all others."""
        if is_remote(self.out):
            publish_folder(self.out, last=["report.html", "_report.json"])

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
        inputs = contents([file, *referenced_files(file)])
        outcome = convert_one(str(file), str(target), self.options)
        if outcome["status"] != "converted":
            raise UsdsimError(outcome["message"])
        picture = self._picture(target) if self.pictures else ""
        return {"source": str(file), "destination": str(target), "inputs": inputs,
                "picture": picture, **outcome}  # fmt: skip

    def block_name(self, block: int) -> str:
        """Digest of the file's place: files come and go between runs."""
        place = self._files[block].relative_to(self.source).as_posix()
        return hashlib.sha256(place.encode()).hexdigest()[:16]

    def holds(self, block: int, result: dict[str, Any]) -> bool:
        """Whether the file, and all it refers to, are what they were when it was converted."""
        inputs: dict[str, Any] = result.get("inputs", {})
        made = Path(result.get("destination", "")).is_file()
        return made and bool(inputs) and contents(inputs) == inputs

    def finish(self, report: JobReport) -> None:
        """Write the report as a page, and as a table."""
        write_pages(Path(self.out), [str(file) for file in self._files], report)

    def _picture(self, stage: Path) -> str:
        try:
            image = render_picture(stage, size=_PICTURE)
        except UsdsimError:
            # What cannot be simulated, such as a library of parts, has no picture.
            return ""
        return str(write_png(stage.with_suffix(".png"), image))

    @cached_property
    def _files(self) -> list[Path]:
        return sources_in(self.source)
