"""Primitive shapes: from half sizes to UsdGeom prims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.math.meshes.bounds import bounds
from usdsim.math.meshes.primitives import sphere
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import LayerDraft, PrimDraft, define, fill, place, write

__all__ = [
    "UNPAINTED",
    "define_surface",
    "emit_colour",
    "emit_purpose",
    "emit_shape",
    "enable_collision",
]

Size = NDArray[np.float64]
_RINGS = 10
"""Rings of an ellipsoid's mesh, 1.2 % within it: of a hull simulators take 64 points or so."""


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """Prim of a kind of shape: its schema and sizes."""

    type_name: str
    values: Mapping[str, Any]
    extent: ArrayLike
    """Half sizes of the prim without its scale, shape (3,)."""
    scale: Size | None = None


def _sphere(size: Size) -> _Shape:
    return _Shape("Sphere", {"radius": float(size[0])}, np.full(3, size[0]))


def _ellipsoid(size: Size) -> _Shape:
    return _Shape("Sphere", {"radius": 1.0}, np.ones(3), size[:3])


def _box(size: Size) -> _Shape:
    return _Shape("Cube", {"size": 2.0}, np.ones(3), size[:3])


def _capsule(size: Size) -> _Shape:
    values = {"axis": "Z", "radius": float(size[0]), "height": 2.0 * float(size[1])}
    return _Shape("Capsule", values, [size[0], size[0], size[0] + size[1]])


def _cylinder(size: Size) -> _Shape:
    values = {"axis": "Z", "radius": float(size[0]), "height": 2.0 * float(size[1])}
    return _Shape("Cylinder", values, [size[0], size[0], size[1]])


def _plane(size: Size) -> _Shape:
    # An infinite side (half size 0) has no USD value, so it is left unauthored.
    sides = {"width": 2.0 * float(size[0]), "length": 2.0 * float(size[1])}
    values = {"axis": "Z", **{name: side for name, side in sides.items() if side > 0.0}}
    return _Shape("Plane", values, [float(size[0]) or 1.0, float(size[1]) or 1.0, 0.0])


_SHAPES: dict[str, Callable[[Size], _Shape]] = {
    "box": _box,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
    "plane": _plane,
    "sphere": _sphere,
}


UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""Colour and opacity of what has no material, which viewers would otherwise choose themselves."""


def emit_colour(gprim: PrimDraft, rgba: ArrayLike, interpolation: str = "") -> None:
    """Author display colour, and opacity where it is not 1; `rgba` has shape (4,)."""
    how = {"interpolation": interpolation} if interpolation else None
    *colour, opacity = np.asarray(rgba, dtype=np.float64).tolist()
    write(gprim, "primvars:displayColor", "color3f[]", [colour], metadata=how)
    if opacity != 1.0:
        write(gprim, "primvars:displayOpacity", "float[]", [opacity])


def emit_purpose(prim: PrimDraft, purpose: str) -> None:
    """Author what a shape is drawn for, where it is not always."""
    if purpose != "default":
        write(prim, "purpose", "token", purpose, uniform=True)


def enable_collision(prim: PrimDraft, enabled: bool = True) -> None:
    """Make a geometry prim a collider."""
    fill(prim, "PhysicsCollisionAPI", {"physics:collisionEnabled": enabled})


def define_surface(
    layer: LayerDraft, path: str, points: NDArray[np.float32], faces: NDArray[np.int32]
) -> PrimDraft:
    """Define a mesh of triangles, without subdivision; shapes of the arrays (n, 3) and (m, 3)."""
    mesh = define(layer, path, "Mesh")
    values: dict[str, Any] = {
        "subdivisionScheme": "none",
        "points": points,
        "faceVertexCounts": np.full(len(faces), 3, np.int32),
        "faceVertexIndices": faces.ravel(),
    }
    if len(points):
        values["extent"] = bounds(points)
    fill(mesh, "Mesh", values)
    return mesh


def _ellipsoid_mesh(layer: LayerDraft, path: str) -> PrimDraft:
    """A unit sphere of triangles; UsdPhysics has no scaled spheres among its colliders."""
    points, faces = sphere(1.0, _RINGS)
    mesh = define_surface(layer, path, points.astype(np.float32), faces)
    fill(mesh, "Mesh", {"extent": [-np.ones(3), np.ones(3)]})
    fill(mesh, "PhysicsMeshCollisionAPI", {"physics:approximation": "convexHull"})
    write(mesh, "mjc:type", "token", "ellipsoid", uniform=True)
    return mesh


def emit_shape(
    layer: LayerDraft,
    path: str,
    kind: str,
    size: ArrayLike,
    pose: Pose,
    *,
    rgba: ArrayLike | None = None,
    purpose: str = "default",
    collides: bool = False,
) -> PrimDraft:
    """Define a primitive shape.

    Args:
        layer: where to author.
        path: prim path.
        kind: ``sphere``, ``capsule``, ``cylinder``, ``box``, ``ellipsoid`` or ``plane``.
        size: half sizes [m], shape (3,), as in `GeomDescription.size`.
        pose: pose in the parent prim.
        rgba: display colour and opacity, shape (4,).
        purpose: imageable purpose token.
        collides: whether the shape is a collider.

    Returns:
        The prim. Boxes are cubes of size 2 and ellipsoids unit spheres, scaled by the half
        extents; where an ellipsoid collides and is no sphere, its unit sphere is a mesh whose
        ``mjc:type`` says what it is. Capsules and cylinders lie along z; an infinite side of a
        plane is unauthored.
    """
    half = np.zeros(3)
    given = np.asarray(size, dtype=np.float64).ravel()
    half[: min(3, len(given))] = given[:3]
    make = _SHAPES.get(kind)
    if make is None:
        raise InvalidValueError(f"Shape kind of {path}", kind, ", ".join(_SHAPES))
    shape = make(half)
    if kind == "ellipsoid" and collides and np.ptp(half) > 0.0:
        prim = _ellipsoid_mesh(layer, path)
    else:
        prim = define(layer, path, shape.type_name)
        extent = np.asarray(shape.extent, dtype=np.float32)
        fill(prim, shape.type_name, {**shape.values, "extent": np.stack([-extent, extent])})
    place(prim, pose, shape.scale)
    if rgba is not None:
        emit_colour(prim, rgba)
    emit_purpose(prim, purpose)
    if collides:
        enable_collision(prim)
    return prim
