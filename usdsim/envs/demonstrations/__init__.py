"""Demonstrations: what was recorded of episodes, and the files that hold them."""

from __future__ import annotations

from .episode_data import EpisodeData
from .file_handler import ClosedFileError, DatasetFileHandlerBase
from .hdf5_file import HDF5DatasetFileHandler
from .npz_file import NpzDatasetFileHandler

__all__ = [
    "ClosedFileError",
    "DatasetFileHandlerBase",
    "EpisodeData",
    "HDF5DatasetFileHandler",
    "NpzDatasetFileHandler",
]
