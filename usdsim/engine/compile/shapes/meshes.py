"""Triangle meshes and height fields that kept geoms use."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import CompileError
from usdsim.engine.compile.context import Build
from usdsim.engine.compile.mjc import apply_overrides
from usdsim.math.meshes.operations import is_flat, least_hull_volume
from usdsim.parser.description import HeightFieldDescription, MeshDescription

__all__ = ["add_meshes", "restore_elevations"]

_CONVEX, _SHELL = (
    mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
    mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
)
_LEAST_VOLUME = 1e-14
"""Volume from which on a hull encloses enough for the engine, which takes 1e-15 [m^3]."""


def add_meshes(build: Build, used: set[str]) -> None:
    """Add the meshes and height fields in `used`; all of them where the build is exact."""
    solid = {geom.mesh for geom in build.scene.geoms if geom.collides}
    for key, mesh in build.scene.meshes.items():
        if build.exact or key in used:
            _add_mesh(build, key, mesh, key in solid)
    for key, field in build.scene.height_fields.items():
        if build.exact or key in used:
            _add_height_field(build, key, field)


def _add_mesh(build: Build, key: str, mesh: MeshDescription, solid: bool) -> None:
    """Add a mesh; one that is only seen, not `solid`, may be flat, tiny, or a single triangle."""
    points, faces = np.asarray(mesh.points, np.float64), np.asarray(mesh.faces, np.int64)
    if not solid and len(points) == 3:
        points = points[[0, 1, 2, 2]]  # The engine wants four.
    # A plugin, a volume mesh or a file of its own format brings its own points.
    generated = any(name in mesh.overrides for name in ("plugin", "usernode", "content"))
    if not generated and (points.ndim != 2 or points.shape[1] != 3 or len(points) < 4):
        raise CompileError(
            f"Mesh {mesh.path!r} has points of shape {points.shape}; a collider needs at least "
            "4 points of 3 coordinates. Use a primitive shape or the boundingCube approximation."
        )
    if not np.isfinite(points).all():
        raise CompileError(
            f"Mesh {mesh.path!r} has a point that is not finite "
            f"(index {int(np.argwhere(~np.isfinite(points).all(axis=1))[0, 0])}). Correct the mesh."
        )
    if faces.size and (faces.min() < 0 or faces.max() >= len(points)):
        raise CompileError(
            f"Mesh {mesh.path!r} has a face that refers to point {int(faces.max())}; allowed: "
            f"0 to {len(points) - 1}. Correct faceVertexIndices."
        )
    element = build.spec.add_mesh(
        # A shape without a name in its source may need one for its mesh.
        name=build.name("mesh", mesh.path) or build.namer.take("mesh", None, mesh.path),
        uservert=np.ascontiguousarray(points, np.float32).ravel(),
        userface=np.ascontiguousarray(faces, np.int32).ravel(),
        inertia=_CONVEX if solid or generated or _encloses(points) else _SHELL,
    )
    apply_overrides(element, "mesh", mesh.overrides, build.names)
    build.register("mesh", key, element)


def _encloses(points: NDArray[np.float64]) -> bool:
    """Whether the hull of points has a volume that the engine takes."""
    return not is_flat(points) and least_hull_volume(points) > _LEAST_VOLUME


def _add_height_field(build: Build, key: str, field: HeightFieldDescription) -> None:
    rows, columns = field.elevation.shape
    element = build.spec.add_hfield(
        name=build.name("hfield", field.path),
        size=field.size,
        nrow=rows,
        ncol=columns,
        userdata=np.ascontiguousarray(field.elevation, np.float32).ravel(),
    )
    apply_overrides(element, "hfield", field.overrides, build.names)
    build.register("hfield", key, element)


def restore_elevations(build: Build, model: mujoco.MjModel) -> None:
    """Put back elevations that the engine's compiler stretched to the range 0 to 1."""
    for key, element in build.elements["hfield"].items():
        elevation = build.scene.height_fields[key].elevation
        start = model.hfield_adr[element.id]
        model.hfield_data[start : start + elevation.size] = elevation.ravel()
