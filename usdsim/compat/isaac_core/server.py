"""Server of Isaac Sim: the folder that stands for it, and where cameras look."""

from __future__ import annotations

from typing import Any

from usdsim.compat.server.paths import NUCLEUS_ASSET_ROOT_DIR
from usdsim.sim import SimulationContext

__all__ = ["get_assets_root_path", "set_camera_view"]


def get_assets_root_path(**_: Any) -> str:
    """The folder that stands for the server; see `usdsim.compat.server.paths`."""
    return NUCLEUS_ASSET_ROOT_DIR


def set_camera_view(
    eye: Any, target: Any, camera_prim_path: str = "/OmniverseKit_Persp", **_: Any
) -> None:
    """Say where pictures of the simulation are taken from; nothing where there is none.

    Args:
        eye: position of the camera in world [m].
        target: what it looks at in world [m].
        camera_prim_path: has no effect.
    """
    simulation = SimulationContext.instance()
    if simulation is not None:
        simulation.set_camera_view(eye, target)
