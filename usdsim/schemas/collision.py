"""Colliders."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pxr import Usd

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.schemas.authoring.family import Family, resolve
from usdsim.schemas.authoring.result import SchemaResult, Skipped
from usdsim.schemas.authoring.table import Target, attribute, attributes_of

from .cfg import SchemaCfg, schema_cfg
from .mesh_collision import MESHES, MeshCollisionBaseCfg, modify_mesh_collision_properties

__all__ = [
    "CollisionBaseCfg",
    "MujocoCollisionPropertiesCfg",
    "NewtonCollisionPropertiesCfg",
    "PhysxCollisionPropertiesCfg",
    "define_collision_properties",
    "modify_collision_properties",
    "read_collision_properties",
]

COLLISION = Family("collider", "PhysicsCollisionAPI")

_physx = attributes_of("PhysxCollisionAPI")
_NEWTON = "NewtonCollisionAPI"
_mjc = attributes_of("MjcCollisionAPI")


@schema_cfg
class CollisionBaseCfg(SchemaCfg):
    """Properties of a collider that every engine has."""

    collision_enabled: bool | None = attribute(
        "physics:collisionEnabled", "Whether the prim collides.", api="PhysicsCollisionAPI"
    )
    contact_offset: float | None = _physx(
        "physxCollision:contactOffset",
        "Contacts are generated when two shapes are closer than the sum of their offsets [m].",
        unit="distance",
        range="[0, inf)",
        also=(Target("newton:contactGap", _NEWTON, "float", "distance", rule="above rest offset"),),
    )
    rest_offset: float | None = _physx(
        "physxCollision:restOffset",
        "Shapes rest at the sum of their offsets [m].",
        unit="distance",
        range="(-inf, inf)",
        also=(Target("newton:contactMargin", _NEWTON, "float", "distance"),),
    )
    mesh_collision_property: MeshCollisionBaseCfg | None = dataclasses.field(
        default=None, metadata={"doc": "Approximation of mesh colliders."}
    )


@schema_cfg
class PhysxCollisionPropertiesCfg(CollisionBaseCfg):
    """Properties of a collider in the PhysX dialect."""

    torsional_patch_radius: float | None = _physx(
        "physxCollision:torsionalPatchRadius",
        "Radius of the patch that gives torsional friction [m].",
        unit="distance",
        range="[0, inf)",
    )
    min_torsional_patch_radius: float | None = _physx(
        "physxCollision:minTorsionalPatchRadius",
        "Least radius of the patch [m]: torsional over sliding friction of contacts of spheres.",
        unit="distance",
        range="[0, inf)",
    )


@schema_cfg
class NewtonCollisionPropertiesCfg(CollisionBaseCfg):
    """Properties of a collider in the Newton dialect."""

    contact_margin: float | None = attribute(
        "newton:contactMargin", "Distance at which shapes rest [m].", api=_NEWTON, unit="distance"
    )
    contact_gap: float | None = attribute(
        "newton:contactGap",
        "Contacts are generated this much above the margin [m].",
        api=_NEWTON,
        unit="distance",
    )


@schema_cfg
class MujocoCollisionPropertiesCfg(CollisionBaseCfg):
    """Properties of a collider in the MuJoCo dialect."""

    margin: float | None = _mjc(
        "mjc:margin", "Distance below which contacts are generated [m].", type="double"
    )
    gap: float | None = _mjc(
        "mjc:gap", "Contacts act this much below the margin [m].", type="double"
    )
    solref: Sequence[float] | None = _mjc(
        "mjc:solref", "Time constant [s] and damping ratio of contacts.", type="double[]"
    )
    solimp: Sequence[float] | None = _mjc(
        "mjc:solimp", "Impedance of contacts, five numbers.", type="double[]"
    )
    solmix: float | None = _mjc(
        "mjc:solmix", "Weight when mixing with another collider.", type="double", range="[0, inf)"
    )
    condim: int | None = _mjc("mjc:condim", "Dimensions of contacts: 1, 3, 4 or 6.", range="[1, 6]")
    priority: int | None = _mjc(
        "mjc:priority", "The collider of higher priority decides the contact."
    )
    group: int | None = _mjc("mjc:group", "Visual group.", range="[0, inf)")
    contype: int | None = _mjc("mjc:contype", "Bits it collides as.")
    conaffinity: int | None = _mjc("mjc:conaffinity", "Bits it collides with.")

    def validate(self) -> None:
        """Check values and lengths.

        Raises:
            InvalidValueError: a value or length is not allowed.
        """
        super().validate()
        _check_length("solref", self.solref, 2)
        _check_length("solimp", self.solimp, 5)
        if self.solimp is not None and not all(0.0 < v < 1.0 for v in self.solimp[:2]):
            raise InvalidValueError("solimp", list(self.solimp), "d0 and dmax between 0 and 1")
        if self.condim is not None and self.condim not in (1, 3, 4, 6):
            raise InvalidValueError("condim", self.condim, "1, 3, 4 or 6")


def _check_length(name: str, values: Sequence[float] | None, length: int) -> None:
    if values is not None and len(values) != length:
        raise ShapeError(name, (len(values),), f"({length},)")


def define_collision_properties(
    prim_path: str, cfg: CollisionBaseCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Make a prim a collider.

    Args:
        prim_path: the prim.
        cfg: its properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    result = COLLISION.define(prim_path, cfg, stage)
    return _with_meshes(result, cfg, stage)


def modify_collision_properties(
    prim_path: str,
    cfg: CollisionBaseCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change colliders at and below a prim.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first collider of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if there was a collider.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    result = COLLISION.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)
    return _with_meshes(result, cfg, stage)


def _with_meshes(
    result: SchemaResult, cfg: CollisionBaseCfg, stage: Usd.Stage | None
) -> SchemaResult:
    """The outcome with that of the mesh approximation added."""
    mesh = cfg.mesh_collision_property
    if mesh is None:
        return result
    for path in result.prims:
        prim = resolve(path, stage)
        if MESHES.matches(prim, mesh):
            result = result + modify_mesh_collision_properties(path, mesh, stage)
        else:
            reason = f"a {prim.GetTypeName() or 'prim'} needs no mesh approximation"
            result = result + SchemaResult((), (), [Skipped(path, reason)])
    return result


def read_collision_properties(
    prim_path: str,
    cfg_type: type[CollisionBaseCfg] = PhysxCollisionPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> CollisionBaseCfg:
    """The configuration a collider's authored attributes amount to; None where nothing is."""
    return COLLISION.read(prim_path, cfg_type, stage)
