"""Asset layout: the engine's elements of the instances of an asset, in its order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import StageError
from usdsim.engine.compile.pipeline import CompiledModel

__all__ = ["FIXED", "FREE", "MOCAP", "AssetLayout", "Ids", "no_rows", "root_rows"]

Ids = NDArray[np.int32]

FREE, MOCAP, FIXED = 0, 1, 2
"""Kind of root: it moves freely, as the user says, or not at all."""


def no_rows() -> Ids:
    """Table of a kind of elements that an asset has none of."""
    return np.zeros((1, 0), np.int32)


@dataclass(frozen=True, kw_only=True, eq=False)
class AssetLayout:
    """Engine indices of an asset's elements.

    An asset has `matches` instances in each world. Tables have a row per match and a column per
    element; all matches have the same names in the same order.
    """

    title: str
    """The asset in messages, such as ``articulation '/World/envs/env_.*/Robot'``."""
    num_worlds: int
    bodies: Ids = field(default_factory=no_rows)
    """Bodies, shape (matches, num_bodies)."""
    body_names: tuple[str, ...] = ()
    roots: Ids = field(default_factory=no_rows)
    """Bodies whose pose the user writes, shape (matches, num_roots)."""
    root_names: tuple[str, ...] = ()
    root_kinds: Ids = field(default_factory=no_rows)
    """`FREE`, `MOCAP` or `FIXED`, shape (matches, num_roots)."""
    root_qpos: Ids = field(default_factory=no_rows)
    """First position coordinate of free roots, mocap index of the others, same shape."""
    root_dofs: Ids = field(default_factory=no_rows)
    """First degree of freedom of free roots, -1 of the others, same shape."""
    joints: Ids = field(default_factory=no_rows)
    """Hinge and slide joints, shape (matches, num_joints)."""
    joint_names: tuple[str, ...] = ()
    joint_qpos: Ids = field(default_factory=no_rows)
    """Their position coordinates, shape (matches, num_joints)."""
    joint_dofs: Ids = field(default_factory=no_rows)
    """Their degrees of freedom, shape (matches, num_joints)."""
    drives: Ids = field(default_factory=no_rows)
    """Their drives among the engine's actuators, -1 without, shape (matches, num_joints)."""
    drive_ctrls: Ids = field(default_factory=no_rows)
    """First of a drive's three controls, -1 without, shape (matches, num_joints)."""
    fixed_tendons: Ids = field(default_factory=no_rows)
    """Fixed tendons, shape (matches, num_fixed_tendons)."""
    fixed_tendon_names: tuple[str, ...] = ()
    spatial_tendons: Ids = field(default_factory=no_rows)
    """Spatial tendons, shape (matches, num_spatial_tendons)."""
    spatial_tendon_names: tuple[str, ...] = ()
    thrusters: Ids = field(default_factory=no_rows)
    """Bodies that are thrusters, shape (matches, num_thrusters)."""
    thruster_names: tuple[str, ...] = ()
    geoms: Ids = field(default_factory=no_rows)
    """Colliders, shape (matches, num_shapes)."""
    geom_names: tuple[str, ...] = ()

    @cached_property
    def matches(self) -> int:
        """Instances in each world."""
        return int(self.bodies.shape[0])

    @cached_property
    def num_instances(self) -> int:
        """Instances in all worlds: instance i is match i % matches of world i // matches."""
        return self.num_worlds * self.matches

    @cached_property
    def num_bodies(self) -> int:
        """Number of bodies."""
        return int(self.bodies.shape[1])

    @cached_property
    def num_joints(self) -> int:
        """Number of hinge and slide joints."""
        return int(self.joints.shape[1])

    @cached_property
    def root_places(self) -> Ids:
        """Position of each root among those of all matches, shape (matches, num_roots)."""
        return np.arange(self.roots.size, dtype=np.int32).reshape(self.roots.shape)

    @cached_property
    def kinds_of_roots(self) -> frozenset[int]:
        """The values that `root_kinds` has."""
        return frozenset(np.unique(self.root_kinds).tolist())

    @cached_property
    def num_roots(self) -> int:
        """Number of bodies whose pose the user writes."""
        return int(self.roots.shape[1])


def root_rows(compiled: CompiledModel, bodies: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The root columns of a layout.

    Args:
        compiled: the model.
        bodies: engine ids of the roots, shape (matches, num_roots).

    Raises:
        StageError: a root hangs on another body by a joint, so its pose cannot be written.
    """
    model = compiled.mj
    roots = np.asarray(bodies, dtype=np.int32)
    kinds, starts, dofs = (np.full(roots.shape, value, np.int32) for value in (FIXED, -1, -1))
    for index, body in np.ndenumerate(roots):
        first = int(model.body_jntadr[body])
        if model.body_mocapid[body] >= 0:
            kinds[index], starts[index] = MOCAP, model.body_mocapid[body]
        elif first >= 0 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE:
            kinds[index], starts[index] = FREE, model.jnt_qposadr[first]
            dofs[index] = model.jnt_dofadr[first]
        elif first >= 0 and model.body_parentid[body] != 0:
            path = compiled.names.paths("body")[body]
            parent = compiled.names.paths("body")[model.body_parentid[body]]
            raise StageError(
                f"{path} hangs on {parent} by a joint, so it is not the root of an asset. Choose "
                f"an expression that matches the tree {parent} belongs to."
            )
    return {"roots": roots, "root_kinds": kinds, "root_qpos": starts, "root_dofs": dofs}
