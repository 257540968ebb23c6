"""Asset paths: the folder that stands for Isaac Lab's server, set by ``USDSIM_ISAAC_ASSETS``."""

from __future__ import annotations

import io
import os
from pathlib import Path

from usdsim.core.errors import MissingFileError
from usdsim.core.shipped import located

__all__ = [
    "ISAACLAB_NUCLEUS_DIR",
    "ISAAC_NUCLEUS_DIR",
    "LAB_ROBOTS",
    "NUCLEUS_ASSET_ROOT_DIR",
    "NVIDIA_NUCLEUS_DIR",
    "SIM_ROBOTS",
    "check_file_path",
    "read_file",
    "retrieve_file_path",
]

NUCLEUS_ASSET_ROOT_DIR = os.environ.get("USDSIM_ISAAC_ASSETS", "isaac_assets")
"""The folder with a copy of the server's files."""
NVIDIA_NUCLEUS_DIR = f"{NUCLEUS_ASSET_ROOT_DIR}/NVIDIA"
"""Its part with general files."""
ISAAC_NUCLEUS_DIR = f"{NUCLEUS_ASSET_ROOT_DIR}/Isaac"
"""Its part with files of Isaac Sim."""
ISAACLAB_NUCLEUS_DIR = f"{ISAAC_NUCLEUS_DIR}/IsaacLab"
"""Its part with files of Isaac Lab."""
LAB_ROBOTS, SIM_ROBOTS = "Isaac/IsaacLab/Robots", "Isaac/Robots"
"""Folders of the server with robots of Isaac Lab, and of Isaac Sim."""


def check_file_path(path: str) -> int:
    """0: there is no file; 1: there is; 2: it is one of the server, or stands in for one."""
    there = Path(located(path)).is_file()
    return (2 if path.startswith(f"{NUCLEUS_ASSET_ROOT_DIR}/") else 1) if there else 0


def read_file(path: str) -> io.BytesIO:
    """Content of a file.

    Raises:
        MissingFileError: there is none.
    """
    return io.BytesIO(Path(retrieve_file_path(path)).read_bytes())


def retrieve_file_path(
    path: str, download_dir: str | None = None, force_download: bool = True
) -> str:
    """Absolute path of a file.

    Raises:
        MissingFileError: there is none.
    """
    path = located(path)
    if not Path(path).is_file():
        raise MissingFileError(
            f"There is no file {path}. Set USDSIM_ISAAC_ASSETS to a folder with the files."
        )
    return str(Path(path).resolve())
