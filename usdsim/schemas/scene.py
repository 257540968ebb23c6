"""Options of the physics scene."""

from __future__ import annotations

from collections.abc import Sequence

from pxr import Usd

from usdsim.core.dialects.mjc_tokens import CONE, INTEGRATOR, JACOBIAN, SOLVER
from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.plan import plan
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.scope import plain_scope
from usdsim.schemas.authoring.table import Target, attribute, attributes_of
from usdsim.usd.prims import define_prim
from usdsim.usd.stage import stage_or_current

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "MujocoScenePropertiesCfg",
    "NewtonScenePropertiesCfg",
    "PhysicsSceneBaseCfg",
    "PhysxScenePropertiesCfg",
    "define_physics_scene",
    "modify_physics_scene",
    "read_physics_scene",
]

_physx = attributes_of("PhysxSceneAPI")
_NEWTON = "NewtonSceneAPI"
_newton = attributes_of(_NEWTON)
_MJC = "MjcSceneAPI"
_mjc = attributes_of(_MJC)


class _SceneFamily(Family):
    """Scenes are a prim type, not an API schema."""

    def matches(self, prim: Usd.Prim, cfg: PhysicsSceneBaseCfg) -> bool:
        return str(prim.GetTypeName()) == "PhysicsScene"


SCENE = _SceneFamily("physics scene")


@schema_cfg
class PhysicsSceneBaseCfg(SchemaCfg):
    """Options of a physics scene that every engine has."""

    gravity_direction: Sequence[float] | None = attribute(
        "physics:gravityDirection",
        "Direction of gravity in the stage's frame; (0, 0, 0): down.",
        type="vector3f",
    )
    gravity_magnitude: float | None = attribute(
        "physics:gravityMagnitude", "Gravity [m/s^2].", unit="distance/second^2", range="[0, inf)"
    )


@schema_cfg
class PhysxScenePropertiesCfg(PhysicsSceneBaseCfg):
    """Options of a physics scene in the PhysX dialect."""

    time_steps_per_second: int | None = _physx(
        "physxScene:timeStepsPerSecond",
        "Simulation steps per second [Hz].",
        type="uint",
        range="[1, inf)",
        also=(
            Target("newton:timeStepsPerSecond", _NEWTON, "int"),
            Target("mjc:option:timestep", _MJC, "double", rule="inverse"),
        ),
    )
    solver_type: str | None = _physx(
        "physxScene:solverType", "Constraint solver.", tokens=("PGS", "TGS")
    )
    bounce_threshold: float | None = _physx(
        "physxScene:bounceThreshold",
        "Slower contacts do not bounce [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    enable_ccd: bool | None = _physx(
        "physxScene:enableCCD", "Whether fast bodies are kept from tunnelling."
    )
    enable_stabilization: bool | None = _physx(
        "physxScene:enableStabilization", "Whether an extra stabilisation pass is solved."
    )
    min_position_iteration_count: int | None = _physx(
        "physxScene:minPositionIterationCount",
        "Least position iterations.",
        type="uint",
        range="[1, 255]",
    )
    max_position_iteration_count: int | None = _physx(
        "physxScene:maxPositionIterationCount",
        "Most position iterations.",
        type="uint",
        range="[1, 255]",
    )
    min_velocity_iteration_count: int | None = _physx(
        "physxScene:minVelocityIterationCount",
        "Least velocity iterations.",
        type="uint",
        range="[0, 255]",
    )
    max_velocity_iteration_count: int | None = _physx(
        "physxScene:maxVelocityIterationCount",
        "Most velocity iterations.",
        type="uint",
        range="[0, 255]",
    )


@schema_cfg
class NewtonScenePropertiesCfg(PhysicsSceneBaseCfg):
    """Options of a physics scene in the Newton dialect."""

    time_steps_per_second: int | None = _newton(
        "newton:timeStepsPerSecond",
        "Simulation steps per second [Hz].",
        range="[1, inf)",
        also=(Target("mjc:option:timestep", _MJC, "double", rule="inverse"),),
    )
    max_solver_iterations: int | None = _newton(
        "newton:maxSolverIterations",
        "Most solver iterations; -1: chosen.",
        range="[-1, inf)",
        also=(Target("mjc:option:iterations", _MJC, "int"),),
    )
    gravity_enabled: bool | None = _newton("newton:gravityEnabled", "Whether there is gravity.")


@schema_cfg
class MujocoScenePropertiesCfg(PhysicsSceneBaseCfg):
    """Options of a physics scene in the MuJoCo dialect.

    Any of them marks the stage as one that brings its own solver settings.
    """

    timestep: float | None = _mjc(
        "mjc:option:timestep", "Simulation step [s].", type="double", range="(0, inf)"
    )
    integrator: str | None = _mjc("mjc:option:integrator", "Integrator.", tokens=INTEGRATOR)
    cone: str | None = _mjc("mjc:option:cone", "Friction cone.", tokens=CONE)
    solver: str | None = _mjc("mjc:option:solver", "Constraint solver.", tokens=SOLVER)
    jacobian: str | None = _mjc(
        "mjc:option:jacobian", "Storage of the constraint Jacobian.", tokens=JACOBIAN
    )
    iterations: int | None = _mjc(
        "mjc:option:iterations", "Most solver iterations.", range="[0, inf)"
    )
    tolerance: float | None = _mjc(
        "mjc:option:tolerance", "Solver improvement to stop at.", type="double", range="[0, inf)"
    )
    ls_iterations: int | None = _mjc(
        "mjc:option:ls_iterations", "Most line search iterations.", range="[0, inf)"
    )
    noslip_iterations: int | None = _mjc(
        "mjc:option:noslip_iterations", "Iterations against slip.", range="[0, inf)"
    )
    impratio: float | None = _mjc(
        "mjc:option:impratio",
        "Impedance of friction over that of normal force.",
        type="double",
        range="(0, inf)",
    )
    density: float | None = _mjc(
        "mjc:option:density", "Density of the medium [kg/m^3].", type="double", range="[0, inf)"
    )
    viscosity: float | None = _mjc(
        "mjc:option:viscosity", "Viscosity of the medium [Pa s].", type="double", range="[0, inf)"
    )
    wind: Sequence[float] | None = _mjc(
        "mjc:option:wind", "Velocity of the medium [m/s].", type="double3"
    )


def define_physics_scene(
    prim_path: str, cfg: PhysicsSceneBaseCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Define a physics scene, or set the options of an existing one.

    Args:
        prim_path: the scene, such as ``/PhysicsScene``.
        cfg: its options; fields that are None stay as authored.
        stage: where to define it; None: the current stage.

    Raises:
        ValueError: the path is not legal, or a value is not allowed.
    """
    where = stage_or_current(stage)
    # Nothing is defined for values that cannot be written.
    plan(cfg, plain_scope(where.GetPseudoRoot()))
    define_prim(where, prim_path, "PhysicsScene")
    return SCENE.define(prim_path, cfg, where)


def modify_physics_scene(
    prim_path: str, cfg: PhysicsSceneBaseCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Change the physics scenes at and below a prim; see `define_physics_scene`."""
    return SCENE.modify(prim_path, cfg, stage)


def read_physics_scene(
    prim_path: str,
    cfg_type: type[PhysicsSceneBaseCfg] = PhysxScenePropertiesCfg,
    stage: Usd.Stage | None = None,
) -> PhysicsSceneBaseCfg:
    """The configuration a scene's authored attributes amount to."""
    return SCENE.read(prim_path, cfg_type, stage)
