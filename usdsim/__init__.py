"""Author, convert and simulate physics on OpenUSD stages.

Two doors over one core: the scene door (`load_model`, `SceneData`) runs a file in five lines; the
asset door builds scenes from configurations. Everything heavy is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _mujoco_gl, _plugins
from .core import __version__
from .core.lazy import lazy_names

if TYPE_CHECKING:
    from .core.shipped import example_asset as example_asset
    from .exporters import convert as convert
    from .scene import *

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
    "set_contact_counts",
    "set_integrators",
    "set_unknown_names",
    "set_urdf_actuators",
    "set_urdf_bases",
    "step",
    "step_n",
)
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

__getattr__, __dir__, _names = lazy_names(
    __name__,
    {".scene": _SCENE, ".exporters": ("convert",), ".core.shipped": ("example_asset",)},
    _MODULES,
)
__all__ = ["__version__", *_names]

_plugins.register()
_mujoco_gl.import_mujoco()
