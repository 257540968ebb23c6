"""Author, convert and simulate physics on OpenUSD stages.

Two doors over one core: the scene door (`load_model`, `SceneData`) runs a file in five lines; the
asset door builds scenes from configurations. Everything heavy is imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _mujoco_gl, _plugins

if TYPE_CHECKING:
    from .core.shipped import example_asset as example_asset
    from .exporters import convert as convert
    from .scene import *

__version__ = "0.1.0"

# Everything the scene door has, so that a program needs no other import.
_SCENE = (
    "Actuator",
    "ActuatorOverrideDampingTypeError",
    "ActuatorOverrideError",
    "ActuatorOverrideInvalidValueError",
    "ActuatorOverrideUnsupportedTypeError",
    "AdhesionActuator",
    "Body",
    "Camera",
    "CameraMgr",
    "ConstraintsReport",
    "ContactQuery",
    "Contacts",
    "DampingType",
    "DisjointIndices",
    "FloatingBase",
    "GeneralActuator",
    "Geom",
    "GeomCapsule",
    "GeomCuboid",
    "GeomCylinder",
    "GeomEllipsoid",
    "GeomHField",
    "GeomInfinitePlane",
    "GeomMesh",
    "GeomPlane",
    "GeomSDF",
    "GeomSphere",
    "HField",
    "IkResult",
    "InverseKinematics",
    "Joint",
    "Keyframe",
    "Link",
    "Mocap",
    "MotorActuator",
    "Options",
    "PidActuator",
    "PositionActuator",
    "QueryPlan",
    "RayHits",
    "ReportFlags",
    "SceneData",
    "SceneModel",
    "SceneState",
    "Sensor",
    "Shape",
    "Site",
    "SiteShape",
    "Tendon",
    "TerrainScanner",
    "VelocityActuator",
    "WritePlan",
    "forward_kinematic",
    "init_thread_pool",
    "load_mjcf_str",
    "load_model",
    "real_dtype",
    "reset",
    "set_unknown_names",
    "step",
    "step_n",
)
_LAZY = {"convert": "exporters", "example_asset": "core.shipped"} | dict.fromkeys(_SCENE, "scene")

_MODULES = (
    "actuators",
    "assets",
    "coacd",
    "converters",
    "core",
    "engine",
    "exporters",
    "ik",
    "low",
    "math",
    "msd",
    "osc",
    "parser",
    "query",
    "render",
    "run",
    "scene",
    "schemas",
    "sensors",
    "sim",
    "spawners",
    "usd",
    "viewer",
    "views",
    "write",
)

__all__ = [
    "__version__",
    *_LAZY,
]

_plugins.register()
_mujoco_gl.import_mujoco()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_MODULES})
