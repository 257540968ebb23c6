"""Scene door: load a file, step it, read and write its parts by name."""

from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names
from usdsim.scene.cameras.camera import Camera
from usdsim.scene.cameras.manager import CameraMgr
from usdsim.scene.contacts.constraints_report import ConstraintsReport
from usdsim.scene.contacts.contacts import Contacts
from usdsim.scene.contacts.query import ContactQuery
from usdsim.scene.contacts.reports import ReportFlags
from usdsim.scene.data.indices import DisjointIndices
from usdsim.scene.data.scene_data import SceneData
from usdsim.scene.data.snapshot import SceneState
from usdsim.scene.elements.actuator import Actuator, DampingType
from usdsim.scene.elements.actuator_kinds import (
    AdhesionActuator,
    GeneralActuator,
    MotorActuator,
    PidActuator,
    PositionActuator,
    VelocityActuator,
)
from usdsim.scene.elements.body import Body
from usdsim.scene.elements.floating_base import FloatingBase
from usdsim.scene.elements.geom import Geom
from usdsim.scene.elements.geom_kinds import (
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
from usdsim.scene.elements.hfield import HField
from usdsim.scene.elements.joint import Joint
from usdsim.scene.elements.keyframe import Keyframe
from usdsim.scene.elements.link import Link
from usdsim.scene.elements.mocap import Mocap
from usdsim.scene.elements.shape import Shape
from usdsim.scene.elements.site import Site, SiteShape
from usdsim.scene.elements.tendon import Tendon
from usdsim.scene.model.scene_model import SceneModel
from usdsim.scene.queries.read_plan import QueryPlan
from usdsim.scene.queries.write_plan import WritePlan
from usdsim.scene.sensors.sensor import Sensor
from usdsim.scene.terrain.rays import RayHits
from usdsim.scene.terrain.scanner import TerrainScanner

from . import errors
from .errors import *
from .load import load_mjcf_str, load_model
from .options import Options
from .process import (
    init_thread_pool,
    real_dtype,
    set_contact_counts,
    set_integrators,
    set_solver_iterations,
    set_unknown_names,
    set_urdf_actuators,
    set_urdf_bases,
)
from .run import forward_kinematic, render_loop, reset, step, step_n

if TYPE_CHECKING:
    from .kinematics.inverse_kinematics import IkResult as IkResult
    from .kinematics.inverse_kinematics import InverseKinematics as InverseKinematics

# Loaded on first use: its kernels start Warp, which takes longer than most robots take to load.
__getattr__, __dir__, _ = lazy_names(__name__)

__all__ = [
    *errors.__all__,
    "Actuator",
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
    "render_loop",
    "reset",
    "set_contact_counts",
    "set_integrators",
    "set_solver_iterations",
    "set_unknown_names",
    "set_urdf_actuators",
    "set_urdf_bases",
    "step",
    "step_n",
]
