"""Simulated poses of bodies that point instancers copy, as arrays of the instancers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

from usdsim.math.rotations import quat_apply, quat_conjugate, quat_multiply
from usdsim.parser.description import SceneDescription
from usdsim.usd.instancers import is_instancer, read_copies
from usdsim.usd.prims import instances_above, prim_at_or_above
from usdsim.usd.xforms import decompose, fresh_attribute

from .body_parents import Parents

__all__ = ["CopiedBodies", "CopyGroup", "find_copied_bodies", "group_copies"]

logger = logging.getLogger(__name__)

Array = NDArray[np.float64]
_TYPES = {
    "positions": Sdf.ValueTypeNames.Point3fArray,
    "orientations": Sdf.ValueTypeNames.QuathArray,
    "orientationsf": Sdf.ValueTypeNames.QuatfArray,
}


@dataclass(slots=True, eq=False)
class CopyGroup:
    """The copies of one instancer that are bodies."""

    prim: Usd.Prim
    """The instancer."""
    ids: list[int] = field(default_factory=list)
    """Indices of the bodies in the scene, length n."""
    rows: list[int] = field(default_factory=list)
    """Rows in the instancer's arrays, length n."""
    prims: list[Usd.Prim] = field(default_factory=list)
    """Prototype prims of the copies, at or below a prototype, length n."""
    roots: list[Sdf.Path] = field(default_factory=list)
    """The prototypes, length n."""

    @property
    def parents(self) -> list[Usd.Prim | None]:
        """Prims to which the copies' transforms are relative, length n."""
        return [self.prim] * len(self.ids)


class CopiedBodies:
    """Moves the copies of one instancer.

    Args:
        group: the copies.
        parents: of the copies' bodies.
    """

    def __init__(self, group: CopyGroup, parents: Parents):
        self.path: Sdf.Path = group.prim.GetPath()
        self.instances = instances_above([group.prim])
        """Instances that the instancer lies in: see `unshare`."""
        self._parents = parents
        self._rows = np.array(group.rows, dtype=np.int64)
        copies = read_copies(group.prim, inactive=True)
        self._positions, self._quats = copies.positions, copies.quats
        self._moves = copies.linear is not None or copies.angular is not None
        offsets = [_offset(p, root) for p, root in zip(group.prims, group.roots, strict=True)]
        # From the copy to the body in it: the copy's scale acts on the prototype.
        self._arms = copies.scales[self._rows] * np.array([pos for pos, _ in offsets])
        self._turns = quat_conjugate(np.array([quat for _, quat in offsets]))

    def arrays(self, poses_w: Array) -> tuple[Array, Array]:
        """The instancer's positions and orientations.

        Args:
            poses_w: of all bodies in world [m, xyzw], shape (..., bodies, 7).

        Returns:
            Positions [stage units], shape (..., copies, 3), and orientations, xyzw, shape
            (..., copies, 4), of all copies, those that no body follows included.
        """
        at, turned = self._parents.local(poses_w)
        turned = quat_multiply(turned, self._turns)
        lead = poses_w.shape[:-2]
        positions = np.broadcast_to(self._positions, (*lead, *self._positions.shape)).copy()
        quats = np.broadcast_to(self._quats, (*lead, *self._quats.shape)).copy()
        positions[..., self._rows, :] = at - quat_apply(turned, self._arms)
        quats[..., self._rows, :] = turned
        return positions, quats

    def specs(self, layer: Sdf.Layer, path: Sdf.Path) -> dict[str, Sdf.AttributeSpec]:
        """Attributes of the instancer in a layer, with the values the stage has, for others.

        Players that know no single precision orientations take the others.
        """
        spec = Sdf.CreatePrimInLayer(layer, path)
        for name in ("velocities", "angularVelocities") if self._moves else ():
            # Players would move the copies between samples once more.
            fresh_attribute(spec, name, Sdf.ValueTypeNames.Vector3fArray).default = Sdf.ValueBlock()
        specs = {name: fresh_attribute(spec, name, kind) for name, kind in _TYPES.items()}
        for name, value in self.values(self._positions, self._quats).items():
            specs[name].default = value
        return specs

    @staticmethod
    def values(positions: Array, quats: Array) -> dict[str, object]:
        """Values of the attributes of `specs` from `arrays` at one time."""
        return {
            "positions": Vt.Vec3fArray.FromNumpy(positions.astype(np.float32)),
            "orientations": Vt.QuathArray.FromNumpy(quats.astype(np.float16)),
            "orientationsf": Vt.QuatfArray.FromNumpy(quats.astype(np.float32)),
        }


def find_copied_bodies(stage: Usd.Stage, scene: SceneDescription) -> dict[int, Sdf.Path]:
    """Bodies that are copies, by index, with the path of the instancer on the stage."""
    found = {}
    for i, body in enumerate(scene.bodies):
        if stage.GetPrimAtPath(body.path):
            continue
        above = prim_at_or_above(stage, body.path)
        if is_instancer(above):
            found[i] = above.GetPath()
    return found


def group_copies(
    stage: Usd.Stage, scene: SceneDescription, copied: Mapping[int, Sdf.Path]
) -> list[CopyGroup]:
    """Copies by instancer; those whose motion an instancer cannot hold are left out, and named."""
    groups: dict[Sdf.Path, CopyGroup] = {}
    bodies = Counter(_copy(scene.bodies[i].path, above) for i, above in copied.items())
    tables: dict[Sdf.Path, dict[str, tuple[int, Sdf.Path]]] = {}
    left = []
    for i, above in copied.items():
        path = Sdf.Path(scene.bodies[i].path)
        prim = stage.GetPrimAtPath(above)
        if above not in tables:
            copies = read_copies(prim)
            rows = zip(copies.rows.tolist(), copies.prototypes, strict=True)
            tables[above] = dict(zip(copies.names, rows, strict=True))
        copy = _copy(path, above)
        row, root = tables[above].get(copy.name, (-1, Sdf.Path()))
        original = stage.GetPrimAtPath(path.ReplacePrefix(copy, root)) if root else None
        if not original or bodies[copy] > 1:
            left.append(str(path))
            continue
        group = groups.setdefault(above, CopyGroup(prim))
        group.ids.append(i)
        group.rows.append(row)
        group.prims.append(original)
        group.roots.append(root)
    if left:
        logger.warning(
            "%d bodies are copies that their point instancer cannot move on the stage, such as %s: "
            "it has one place for each copy, so a prototype must have one body, and the instancer "
            "must lie outside of other instancers.",
            len(left),
            left[0],
        )
    return list(groups.values())


def _copy(path: str | Sdf.Path, instancer: Sdf.Path) -> Sdf.Path:
    """The copy that a prim below an instancer is or belongs to."""
    return Sdf.Path(path).GetPrefixes()[instancer.pathElementCount]


def _offset(prim: Usd.Prim, root: Sdf.Path) -> tuple[Array, Array]:
    """Position and orientation of a prim in a copy of a prototype, without the copy's scale."""
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    matrix = Gf.Matrix4d(1.0)
    below = prim
    while below.GetPath().HasPrefix(root):
        matrix *= cache.GetLocalTransformation(below)[0]
        below = below.GetParent()
    pose, _ = decompose(np.array(matrix), str(prim.GetPath()), allow_shear=True)
    return pose.pos, pose.quat
