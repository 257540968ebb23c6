"""Context of the stage that programs ask an application for: the current stage, and its prims."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Usd, UsdGeom

from usdsim.compat.stages import close_stage, create_new_stage, open_stage
from usdsim.usd.stage import current_stage

from .finding import get_next_free_prim_path

__all__ = ["UsdContext", "get_context", "get_stage_next_free_path", "get_world_transform_matrix"]


class UsdContext:
    """Stands for an application's context: it has one stage, the current one."""

    def get_stage(self) -> Usd.Stage:
        """The current stage."""
        return current_stage()

    def get_stage_url(self) -> str:
        """Name of its file."""
        return str(current_stage().GetRootLayer().identifier)

    def new_stage(self) -> bool:
        """Make a new stage the current one; see `create_new_stage`."""
        return create_new_stage() is not None

    def open_stage(self, url: str) -> bool:
        """Make a file's stage the current one; see `usdsim.compat.stages.open_stage`."""
        return open_stage(url) is not None

    def close_stage(self) -> bool:
        """Let go of stages made so; see `usdsim.compat.stages.close_stage`."""
        return close_stage()


_CONTEXT = UsdContext()


def get_context(name: str = "") -> UsdContext:
    """The context; there is one, whatever the name."""
    return _CONTEXT


def get_world_transform_matrix(prim: Any, time_code: Any = None) -> Gf.Matrix4d:
    """Matrix from the axes of a prim to those of the world, for row vectors."""
    time = Usd.TimeCode.Default() if time_code is None else time_code
    return UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time)


def get_stage_next_free_path(stage: Usd.Stage, path: str, prepend_default_prim: bool) -> str:
    """Path that no prim has: the given one, or with the first free number behind it.

    Args:
        stage: the stage.
        path: the path.
        prepend_default_prim: whether it is below the default prim, where there is one.
    """
    default = stage.GetDefaultPrim()
    if prepend_default_prim and default and not path.startswith(f"{default.GetPath()}/"):
        path = f"{default.GetPath()}{path}"
    return get_next_free_prim_path(path, stage)
