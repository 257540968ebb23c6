"""The scene door: load a file, step it, read and write its parts by name."""

from .actuator import Actuator, DampingType
from .actuator_kinds import (
    AdhesionActuator,
    GeneralActuator,
    MotorActuator,
    PidActuator,
    PositionActuator,
    VelocityActuator,
)
from .body import Body
from .camera import Camera
from .camera_mgr import CameraMgr
from .constraints_report import ConstraintsReport
from .contact_query import ContactQuery
from .contacts import Contacts
from .data import SceneData
from .errors import (
    ActuatorOverrideDampingTypeError,
    ActuatorOverrideError,
    ActuatorOverrideInvalidValueError,
    ActuatorOverrideUnsupportedTypeError,
)
from .floating_base import FloatingBase
from .geom import Geom
from .geom_kinds import (
    GeomCapsule,
    GeomCuboid,
    GeomCylinder,
    GeomEllipsoid,
    GeomHField,
    GeomInfinitePlane,
    GeomMesh,
    GeomPlane,
    GeomSDF,
    GeomSphere,
)
from .hfield import HField
from .indices import DisjointIndices
from .inverse_kinematics import IkResult, InverseKinematics
from .joint import Joint
from .keyframe import Keyframe
from .link import Link
from .load import load_mjcf_str, load_model
from .mocap import Mocap
from .model import SceneModel
from .options import Options
from .query_plan import QueryPlan
from .rays import RayHits
from .run import forward_kinematic, reset, step, step_n
from .sensor import Sensor
from .shape import Shape
from .site import Site
from .snapshot import SceneState
from .tendon import Tendon
from .terrain import TerrainScanner
from .write_plan import WritePlan

__all__ = [
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
    "SceneData",
    "SceneModel",
    "SceneState",
    "Sensor",
    "Shape",
    "Site",
    "Tendon",
    "TerrainScanner",
    "VelocityActuator",
    "WritePlan",
    "forward_kinematic",
    "load_mjcf_str",
    "load_model",
    "reset",
    "step",
    "step_n",
]
