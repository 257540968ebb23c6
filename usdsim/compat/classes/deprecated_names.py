"""Class names that Isaac Lab 3 keeps until 5.0: subclasses of what is here, which warn.

Those whose newer name is another class here as well are in `usdsim.schemas.deprecated`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from usdsim import schemas, sensors, spawners

from .cameras import CameraCfg

_NAMES = (
    "ConvexDecompositionPropertiesCfg",
    "ConvexHullPropertiesCfg",
    "DeformableBodyMaterialCfg",
    "MeshCollisionPropertiesCfg",
    "RigidBodyMaterialCfg",
    "SDFMeshPropertiesCfg",
    "SurfaceDeformableBodyMaterialCfg",
    "TiledCamera",
    "TiledCameraCfg",
    "TriangleMeshPropertiesCfg",
    "TriangleMeshSimplificationPropertiesCfg",
)

__all__ = list(_NAMES)

_OTHERS = {
    "MeshCollisionPropertiesCfg": (schemas.MeshCollisionBaseCfg, "MeshCollisionBaseCfg"),
    "TiledCamera": (sensors.Camera, "Camera"),
    "TiledCameraCfg": (CameraCfg, "CameraCfg"),
}
"""Classes that others stand for, and their newer names, where these do not begin with ``Physx``."""


def _warning(base: Any, newer: str) -> Callable[..., None]:
    """The constructor of a class, which warns first."""

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        message = f"{name} is deprecated, and gone in Isaac Lab 5.0; use {newer}."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        base.__init__(self, *args, **kwargs)

    return init


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = schemas if name.endswith("PropertiesCfg") else spawners
    base, newer = _OTHERS.get(name) or (getattr(home, name), f"Physx{name}")
    members = {"__doc__": f"Deprecated: use `{newer}`.", "__init__": _warning(base, newer)}
    made = globals()[name] = type(name, (base,), members)
    return made
