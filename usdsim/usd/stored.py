"""Stored stage: the root layer of a stage in memory as bytes, opened when somebody asks for it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pxr import Sdf, Usd

from usdsim.core.boundary import boundary

__all__ = ["StoredStage"]

_FILE = "stage.usdc"


@dataclass(frozen=True)
class StoredStage:
    """A stage in memory that is one layer."""

    data: bytes
    """The layer in OpenUSD's binary format."""

    @classmethod
    def of(cls, stage: Usd.Stage, *, flatten: bool = False) -> StoredStage:
        """Take a copy of a stage.

        Args:
            stage: what is copied.
            flatten: put all its layers into one; False takes the root layer, which has to be all.
        """
        with tempfile.TemporaryDirectory(prefix="usdsim-", ignore_cleanup_errors=True) as folder:
            file = Path(folder, _FILE)
            with boundary(f"Cannot write {str(file)!r}"):
                (stage.Flatten() if flatten else stage.GetRootLayer()).Export(str(file))
                return cls(file.read_bytes())

    @cached_property
    def stage(self) -> Usd.Stage:
        """The stage, in memory; every call returns the same."""
        stage = Usd.Stage.CreateInMemory()
        with tempfile.TemporaryDirectory(prefix="usdsim-", ignore_cleanup_errors=True) as folder:
            file = Path(folder, _FILE)
            with boundary(f"Cannot write {str(file)!r}"):
                file.write_bytes(self.data)
                stage.GetRootLayer().TransferContent(Sdf.Layer.OpenAsAnonymous(str(file)))
        return stage
