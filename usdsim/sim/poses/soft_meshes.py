"""Deformed meshes: simulated vertices as points of the prims that show them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom, Vt

from usdsim.core.arguments import on_host
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.deformable.elements import embedded_positions
from usdsim.math.deformable.skinning import skinned_points
from usdsim.math.meshes.bounds import bounds
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_from_wxyz, quat_normalize
from usdsim.math.transforms import IDENTITY_POSE
from usdsim.parser.description import (
    DeformableDescription,
    DeformableVisual,
    GenericDescription,
    SceneDescription,
)
from usdsim.usd.instancers import copied_from, is_instancer
from usdsim.usd.prims import get_prim, instances_above, prim_at_or_above
from usdsim.usd.queries import find_drawings
from usdsim.usd.xforms import fresh_attribute, world_pose

__all__ = ["SoftMeshes"]

logger = logging.getLogger(__name__)

Array = NDArray[np.float64]

_TYPES = {
    "points": Sdf.ValueTypeNames.Point3fArray,
    "extent": Sdf.ValueTypeNames.Float3Array,
}
_OUTDATED = ("normals", "primvars:normals", "velocities")
"""Attributes that are wrong once the points have moved; players compute them, or do without."""


Source = Callable[[Sequence[Array], Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class _SoftMesh:
    """A prim whose points move."""

    path: Sdf.Path
    outdated: dict[str, Sdf.ValueTypeName]
    """Types of what it says of the points where they were, by name."""
    source: Source
    """Gives its points in world [m] from the vertices and rigid poses of a scene."""
    anchor: int
    """Index of the rigid body it moves with; -1: none."""
    inverse: Array
    """Transform of the anchor's frame, or the stage's, to the prim's, shape (4, 4)."""


class SoftMeshes:
    """The meshes of all deformable bodies of a scene, and what shows flexible bodies and skins.

    Args:
        stage: the stage with the prims.
        scene: what was simulated.

    Raises:
        StageError: a simulation mesh has no prim on the stage.
    """

    def __init__(self, stage: Usd.Stage, scene: SceneDescription):
        self._scene = scene
        flexes = [element for element in scene.elements if element.kind == "flex"]
        self._names = [body.path for body in scene.deformables] + [e.path for e in flexes]
        self._counts = [len(body.points) for body in scene.deformables]
        rigid = {body.path: i for i, body in enumerate(scene.bodies)}
        cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
        shown = [*_soft(stage, scene), *_drawn(stage, scene, flexes, rigid)]
        self._meshes = [
            _SoftMesh(prim.GetPath(), _outdated(prim), source, *_frame(prim, rigid, cache))
            for prim, source in shown
        ]
        self.instances = instances_above(prim for prim, _ in shown)
        """Instances that meshes lie in: see `unshare`."""

    @property
    def num_bodies(self) -> int:
        """Number of bodies whose vertices `checked` expects."""
        return len(self._names)

    @property
    def paths(self) -> list[Sdf.Path]:
        """Prims whose points move."""
        return [mesh.path for mesh in self._meshes]

    def checked(self, points_w: Any) -> tuple[Array, ...]:
        """Vertices of all bodies, copied.

        Args:
            points_w: for each deformable body, and then each flexible body of the MuJoCo dialect,
                its vertices in world [m], shape (vertices, 3).

        Raises:
            ShapeError: there is not one array per body, or not one row per vertex.
            InvalidValueError: something is not finite.
        """
        if len(points_w) != len(self._names):
            raise ShapeError(
                "points of deformable bodies", (len(points_w),), f"({len(self._names)},) arrays"
            )
        found = []
        for index, (path, values) in enumerate(zip(self._names, points_w, strict=True)):
            points = np.array(on_host(values), dtype=np.float64)
            count = self._counts[index] if index < len(self._counts) else len(points)
            if points.shape != (count, 3):
                raise ShapeError(f"points of {path}", points.shape, f"({count}, 3)")
            if not np.isfinite(points).all():
                raise InvalidValueError(f"points of {path}", "NaN or infinity", "finite numbers")
            found.append(points)
        return tuple(found)

    def values(self, points_w: Sequence[Array], poses_w: Array) -> list[dict[str, Any]]:
        """Attributes of each prim of `paths` at one time.

        Args:
            points_w: as `checked` returns them.
            poses_w: of all rigid bodies in world [m, xyzw], shape (bodies, 7).
        """
        back, meters = self._scene.world_from_stage.inverse(), self._scene.meters_per_unit
        found = []
        for mesh in self._meshes:
            points = mesh.source(points_w, poses_w)
            stage = (back.pos + quat_apply(back.quat, points)) / meters
            if mesh.anchor >= 0:
                pose = poses_w[mesh.anchor]
                at = (back.pos + quat_apply(back.quat, pose[:3])) / meters
                turn = quat_normalize(pose[3:])
                # The pose is that of the body's prim in the Z-up world, axes of the stage aside.
                stage = quat_apply(
                    quat_conjugate(turn), quat_apply(quat_conjugate(back.quat), stage - at)
                )
            local = stage @ mesh.inverse[:3, :3].T + mesh.inverse[:3, 3]
            found.append(
                {
                    "points": Vt.Vec3fArray.FromNumpy(local.astype(np.float32)),
                    "extent": Vt.Vec3fArray.FromNumpy(bounds(local).astype(np.float32)),
                }
            )
        return found

    def specs(self, layer: Sdf.Layer, path: Sdf.Path, mesh: int) -> dict[str, Sdf.AttributeSpec]:
        """The attributes of one prim in a layer.

        Args:
            layer: where they are written.
            path: of the prim in the layer.
            mesh: index of the prim in `paths`.
        """
        spec = Sdf.CreatePrimInLayer(layer, path)
        for name, kind in self._meshes[mesh].outdated.items():
            fresh_attribute(spec, name, kind).default = Sdf.ValueBlock()
        return {name: fresh_attribute(spec, name, kind) for name, kind in _TYPES.items()}


def _outdated(prim: Usd.Prim) -> dict[str, Sdf.ValueTypeName]:
    attributes = ((name, prim.GetAttribute(name)) for name in _OUTDATED)
    return {name: a.GetTypeName() for name, a in attributes if a and a.HasAuthoredValue()}


_Shown = tuple[Usd.Prim, Source]
"""Prim whose points move, and where they come from."""


def _soft(stage: Usd.Stage, scene: SceneDescription) -> Iterator[_Shown]:
    """Meshes of deformable bodies, copies of instancers left out."""
    for index, body in enumerate(scene.deformables):
        for path, source in _shown(body, index):
            prim = stage.GetPrimAtPath(path)
            if copied_from(stage, path) != Sdf.Path(path):
                logger.warning(
                    "%s is a copy, whose points an instancer cannot move on its own.", path
                )
            elif not prim and is_instancer(prim_at_or_above(stage, path)):
                logger.warning("%s is a copy of an instancer and has no points of its own.", path)
            else:
                yield prim or get_prim(stage, path), source


def _drawn(
    stage: Usd.Stage,
    scene: SceneDescription,
    flexes: Sequence[GenericDescription],
    rigid: Mapping[str, int],
) -> Iterator[_Shown]:
    """Drawings of flexible bodies and skins."""
    skins = [element for element in scene.elements if element.kind == "skin"]
    drawings = find_drawings(stage) if flexes or skins else {}
    for index, element in enumerate(flexes, len(scene.deformables)):
        for prim in drawings.get(element.path, ()):
            yield prim, _flex_source(index, prim, element)
    for element in skins:
        for prim in drawings.get(element.path, ()):
            yield prim, _skin_source(element, rigid)


def _shown(body: DeformableDescription, index: int) -> Iterator[tuple[str, Source]]:
    """Prims that show a body; the older dialect has its simulation mesh on the one that is seen."""
    if body.mesh not in {visual.path for visual in body.visuals}:
        yield body.mesh, lambda points, poses: points[index]
    for visual in body.visuals:
        yield visual.path, _embedded(visual, index)


def _embedded(visual: DeformableVisual, index: int) -> Source:
    how = visual.vertices, visual.weights, visual.heights
    return lambda points, poses: embedded_positions(points[index], *how)


def _flex_source(index: int, prim: Usd.Prim, element: GenericDescription) -> Source:
    if prim.GetTypeName() != "BasisCurves":
        return lambda points, poses: points[index]
    # Curves have the vertices of each edge, one edge after the other.
    ends = np.asarray(element.overrides["elem"], dtype=np.int64)
    return lambda points, poses: points[index][ends]


def _skin_source(element: GenericDescription, rigid: Mapping[str, int]) -> Source:
    values = element.overrides
    bones = np.array([rigid.get(path, -1) for path in element.targets["bodyname"]])
    turns = quat_from_wxyz(np.asarray(values["bindquat"], dtype=np.float64).reshape(-1, 4))
    bind = np.concatenate([np.asarray(values["bindpos"]).reshape(-1, 3), turns], axis=1)
    rest = np.asarray(values["vert"], dtype=np.float64).reshape(-1, 3)
    moved = (values["bones:counts"], values["vertid"], values["vertweight"])

    def source(points: Sequence[Array], poses: Array) -> Array:
        return skinned_points(
            rest, bind, np.concatenate([poses, IDENTITY_POSE[None]])[bones], *moved
        )

    return source


def _frame(prim: Usd.Prim, rigid: dict[str, int], cache: UsdGeom.XformCache) -> tuple[int, Array]:
    """The rigid body a prim moves with, and from its frame, or the stage's, to the prim's."""
    # Columns act on points here; USD stores the transpose.
    own = np.array(cache.GetLocalToWorldTransform(prim)).T
    above = prim
    while above and not above.IsPseudoRoot():
        index = rigid.get(str(above.GetPath()))
        if index is not None:
            pose, _ = world_pose(above, cache, allow_shear=True)
            frame = np.eye(4)
            frame[:3, :3] = np.stack([quat_apply(pose.quat, axis) for axis in np.eye(3)], axis=1)
            frame[:3, 3] = pose.pos
            return index, np.linalg.inv(own) @ frame
        if cache.GetLocalTransformation(above)[1]:
            break
        above = above.GetParent()
    return -1, np.linalg.inv(own)
