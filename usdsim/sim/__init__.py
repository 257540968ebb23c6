"""Running scenes: recordings and poses written back to the stage."""

from __future__ import annotations

from .engine_reader import EngineReader
from .recorder import PoseReader, Recorder
from .writeback import PoseWriter, write_poses

__all__ = ["EngineReader", "PoseReader", "PoseWriter", "Recorder", "write_poses"]
