"""Articulation roots."""

from __future__ import annotations

import dataclasses

from pxr import Usd

from usdsim.schemas.authoring.family import Family, resolve
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.table import Target, attribute, attributes_of

from .cfg import SchemaCfg, schema_cfg
from .fix_root import find_global_fixed_joint_prim, find_root_link, fix_root_link

__all__ = [
    "ArticulationRootBaseCfg",
    "NewtonArticulationRootPropertiesCfg",
    "PhysxArticulationRootPropertiesCfg",
    "define_articulation_root_properties",
    "modify_articulation_root_properties",
    "read_articulation_root_properties",
]

ARTICULATION = Family(
    "articulation root",
    "PhysicsArticulationRootAPI",
    conflicts=("OmniPhysicsDeformableBodyAPI",),
)

_physx = attributes_of("PhysxArticulationAPI")


@schema_cfg
class ArticulationRootBaseCfg(SchemaCfg):
    """Properties of an articulation root that every engine has."""

    articulation_enabled: bool | None = _physx(
        "physxArticulation:articulationEnabled",
        "Whether the tree is simulated in joint coordinates.",
    )
    fix_root_link: bool | None = dataclasses.field(
        default=None,
        metadata={
            "doc": "Whether the root link is fixed to the world. An existing joint is enabled or "
            "disabled; where there is none, True creates one named ``FixedJoint``."
        },
    )


@schema_cfg
class PhysxArticulationRootPropertiesCfg(ArticulationRootBaseCfg):
    """Properties of an articulation root in the PhysX dialect."""

    enabled_self_collisions: bool | None = _physx(
        "physxArticulation:enabledSelfCollisions",
        "Whether bodies of the articulation collide with one another.",
        also=(Target("newton:selfCollisionEnabled", "NewtonArticulationRootAPI", "bool"),),
    )
    solver_position_iteration_count: int | None = _physx(
        "physxArticulation:solverPositionIterationCount",
        "Position iterations of the solver.",
        range="[1, 255]",
    )
    solver_velocity_iteration_count: int | None = _physx(
        "physxArticulation:solverVelocityIterationCount",
        "Velocity iterations of the solver.",
        range="[0, 255]",
    )
    sleep_threshold: float | None = _physx(
        "physxArticulation:sleepThreshold",
        "Kinetic energy per mass below which it may sleep [m^2/s^2].",
        unit="distance^2/second^2",
        range="[0, inf)",
    )
    stabilization_threshold: float | None = _physx(
        "physxArticulation:stabilizationThreshold",
        "Kinetic energy per mass below which it is stabilised [m^2/s^2].",
        unit="distance^2/second^2",
        range="[0, inf)",
    )


@schema_cfg
class NewtonArticulationRootPropertiesCfg(ArticulationRootBaseCfg):
    """Properties of an articulation root in the Newton dialect."""

    self_collision_enabled: bool | None = attribute(
        "newton:selfCollisionEnabled",
        "Whether bodies of the articulation collide with one another.",
        api="NewtonArticulationRootAPI",
    )
    joints_add_mobility: bool | None = attribute(
        "newton:jointsAddMobility",
        "Whether parallel joints between two bodies add up instead of closing a loop.",
        api="NewtonArticulationRootAPI",
    )


def define_articulation_root_properties(
    prim_path: str, cfg: ArticulationRootBaseCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Make a prim the root of an articulation.

    Args:
        prim_path: the prim.
        cfg: its properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
        TypeError: the prim has an API schema that excludes an articulation.
    """
    if cfg.fix_root_link is not None:
        cfg.validate()
        if cfg.fix_root_link:
            find_root_link(resolve(prim_path, stage))
    result = ARTICULATION.define(prim_path, cfg, stage)
    return result + _fix(result, cfg, stage)


def modify_articulation_root_properties(
    prim_path: str,
    cfg: ArticulationRootBaseCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change articulation roots at and below a prim.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first root of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if there was an articulation root.

    Raises:
        ValueError: there is no such prim, a value is not allowed, or there is no body to fix.
    """
    result = ARTICULATION.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)
    return result + _fix(result, cfg, stage)


def _fix(
    result: SchemaResult, cfg: ArticulationRootBaseCfg, stage: Usd.Stage | None
) -> SchemaResult:
    changed: list[str] = []
    if cfg.fix_root_link is not None:
        for path in result.prims:
            changed += fix_root_link(resolve(path, stage), cfg.fix_root_link)
    return SchemaResult((), changed)


def read_articulation_root_properties(
    prim_path: str,
    cfg_type: type[ArticulationRootBaseCfg] = PhysxArticulationRootPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> ArticulationRootBaseCfg:
    """The configuration an articulation root's authored attributes amount to.

    `fix_root_link` tells whether a joint to the world exists and is enabled; None: there is none.
    """
    cfg = ARTICULATION.read(prim_path, cfg_type, stage)
    joint = find_global_fixed_joint_prim(prim_path, stage=stage)
    if joint is not None:
        cfg.fix_root_link = bool(joint.GetJointEnabledAttr().Get())
    return cfg
