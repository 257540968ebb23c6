"""Primitive shapes: from half sizes to UsdGeom prims."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Gf, Usd, UsdGeom, UsdPhysics, Vt

from usdsim.core.errors import InvalidValueError
from usdsim.math.transforms import Pose
from usdsim.spawners.tessellate import sphere
from usdsim.usd.attributes import author
from usdsim.usd.xforms import set_local_pose

__all__ = ["UNPAINTED", "emit_colour", "emit_shape", "enable_collision"]

Size = NDArray[np.float64]
_RINGS = 10
"""Rings of an ellipsoid's mesh, 1.2 % within it: of a hull simulators take 64 points or so."""


def _extent(gprim: UsdGeom.Boundable, half: ArrayLike) -> None:
    half = np.asarray(half, dtype=np.float32)
    gprim.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(np.stack([-half, half])))


def _sphere(stage: Usd.Stage, path: str, size: Size) -> tuple[UsdGeom.Gprim, Size | None]:
    shape = UsdGeom.Sphere.Define(stage, path)
    shape.CreateRadiusAttr(float(size[0]))
    _extent(shape, np.full(3, size[0]))
    return shape, None


def _ellipsoid(stage: Usd.Stage, path: str, size: Size) -> tuple[UsdGeom.Gprim, Size | None]:
    shape = UsdGeom.Sphere.Define(stage, path)
    shape.CreateRadiusAttr(1.0)
    _extent(shape, np.ones(3))
    return shape, size[:3]


def _ellipsoid_mesh(stage: Usd.Stage, path: str, size: Size) -> tuple[UsdGeom.Gprim, Size | None]:
    """A unit sphere of triangles; UsdPhysics has no scaled spheres among its colliders."""
    points, faces = sphere(1.0, _RINGS)
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points.astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel()))
    _extent(mesh, np.ones(3))
    prim = mesh.GetPrim()
    UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(UsdPhysics.Tokens.convexHull)
    author(prim, "mjc:type", "token", "ellipsoid", uniform=True)
    return mesh, size[:3]


def _box(stage: Usd.Stage, path: str, size: Size) -> tuple[UsdGeom.Gprim, Size | None]:
    shape = UsdGeom.Cube.Define(stage, path)
    shape.CreateSizeAttr(2.0)
    _extent(shape, np.ones(3))
    return shape, size[:3]


def _capsule(stage: Usd.Stage, path: str, size: Size) -> tuple[UsdGeom.Gprim, Size | None]:
    shape = UsdGeom.Capsule.Define(stage, path)
    shape.CreateAxisAttr(UsdGeom.Tokens.z)
    shape.CreateRadiusAttr(float(size[0]))
    shape.CreateHeightAttr(2.0 * float(size[1]))
    _extent(shape, [size[0], size[0], size[0] + size[1]])
    return shape, None


def _cylinder(stage: Usd.Stage, path: str, size: Size) -> tuple[UsdGeom.Gprim, Size | None]:
    shape = UsdGeom.Cylinder.Define(stage, path)
    shape.CreateAxisAttr(UsdGeom.Tokens.z)
    shape.CreateRadiusAttr(float(size[0]))
    shape.CreateHeightAttr(2.0 * float(size[1]))
    _extent(shape, [size[0], size[0], size[1]])
    return shape, None


def _plane(stage: Usd.Stage, path: str, size: Size) -> tuple[UsdGeom.Gprim, Size | None]:
    shape = UsdGeom.Plane.Define(stage, path)
    shape.CreateAxisAttr(UsdGeom.Tokens.z)
    # An infinite side (half size 0) has no USD value, so it is left unauthored.
    half = [float(size[0]) or 1.0, float(size[1]) or 1.0, 0.0]
    if size[0] > 0.0:
        shape.CreateWidthAttr(2.0 * float(size[0]))
    if size[1] > 0.0:
        shape.CreateLengthAttr(2.0 * float(size[1]))
    _extent(shape, half)
    return shape, None


_BUILDERS: dict[str, Callable[[Usd.Stage, str, Size], tuple[UsdGeom.Gprim, Size | None]]] = {
    "box": _box,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
    "ellipsoid mesh": _ellipsoid_mesh,
    "plane": _plane,
    "sphere": _sphere,
}


UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""Colour and opacity of what has no material, which viewers would otherwise choose themselves."""


def emit_colour(gprim: UsdGeom.Gprim, rgba: ArrayLike) -> None:
    """Author display colour, and opacity where it is not 1; `rgba` has shape (4,)."""
    r, g, b, a = (float(v) for v in np.asarray(rgba, dtype=np.float64))
    gprim.CreateDisplayColorAttr([Gf.Vec3f(r, g, b)])
    if a != 1.0:
        gprim.CreateDisplayOpacityAttr([a])


def enable_collision(prim: Usd.Prim, enabled: bool = True) -> None:
    """Make a geometry prim a collider."""
    UsdPhysics.CollisionAPI.Apply(prim).CreateCollisionEnabledAttr(enabled)


def emit_shape(
    stage: Usd.Stage,
    path: str,
    kind: str,
    size: ArrayLike,
    pose: Pose,
    *,
    rgba: ArrayLike | None = None,
    purpose: str = "default",
    collides: bool = False,
) -> Usd.Prim:
    """Define a primitive shape.

    Args:
        stage: where to author.
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
    if kind == "ellipsoid" and collides and np.ptp(half) > 0.0:
        kind = "ellipsoid mesh"
    builder = _BUILDERS.get(kind)
    if builder is None:
        allowed = ", ".join(name for name in _BUILDERS if " " not in name)
        raise InvalidValueError(f"Shape kind of {path}", kind, allowed)
    shape, scale = builder(stage, path, half)
    prim = shape.GetPrim()
    set_local_pose(prim, pose, scale)
    if rgba is not None:
        emit_colour(shape, rgba)
    if purpose != "default":
        shape.CreatePurposeAttr(purpose)
    if collides:
        enable_collision(prim)
    return prim
