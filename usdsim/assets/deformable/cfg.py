"""Deformable object configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.assets.common.cfg import AssetBaseCfg

from .deformable_object import DeformableObject

__all__ = ["DeformableObjectCfg"]


@dataclass(kw_only=True)
class DeformableObjectCfg(AssetBaseCfg):
    """A deformable body."""

    class_type: type[Any] | None = DeformableObject
    """Class of the asset."""
    debug_vis: bool = False
    """Whether vertices that are held at targets are marked on the stage from the start."""
