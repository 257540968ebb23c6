"""Shapes of geoms per world: kinds, sizes and meshes chosen while the model stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.dialects.mjc_arrays import vertex_rows
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.rotations import quat_apply, quat_from_wxyz, quat_multiply, quat_to_wxyz
from usdsim.scene.checks import finite_numbers
from usdsim.scene.data.given import check_data

from .shape import ENGINE_TYPES, Shape

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .geom import Geom

__all__ = ["chosen_mesh", "chosen_shape", "mesh_variant_sets", "set_shape"]

Floats = NDArray[np.float64]
_USED = {
    Shape.Sphere: 1,
    Shape.Cylinder: 2,
    Shape.Capsule: 2,
    Shape.Cuboid: 3,
    Shape.Ellipsoid: 3,
}
"""Shapes that may be chosen besides meshes, and how many of three sizes they have."""
_MESH = ENGINE_TYPES[Shape.Mesh]


def chosen_shape(geom: Geom, data: SceneData) -> NDArray[np.int64]:
    """Shape of a geom in each world, as numbers of `Shape.types`, shape (*B,)."""
    check_data(data, geom.model)
    if not data.differs("geom_type"):
        return np.full(data.shape, int(geom.shape), dtype=np.int64)
    kinds = data.param("geom_type")[..., geom.engine_id]
    found = np.full(kinds.shape, int(geom.shape), dtype=np.int64)
    for shape in (*_USED, Shape.Mesh):
        found[kinds == ENGINE_TYPES[shape]] = int(shape)
    return found


def chosen_mesh(geom: Geom, data: SceneData) -> NDArray[np.int64]:
    """Place of a geom's mesh in its variant set in each world, -1: none of it, shape (*B,)."""
    check_data(data, geom.model)
    found = np.full(data.shape, -1, dtype=np.int64)
    meshes = data.param("geom_dataid")[..., geom.engine_id]
    kinds = data.param("geom_type")[..., geom.engine_id]
    for place, mesh in enumerate(geom.mesh_variants):
        found[(meshes == mesh) & (kinds == _MESH)] = place
    return found


def set_shape(
    geom: Geom,
    data: SceneData,
    shape: ArrayLike | Shape,
    size: ArrayLike | None,
    variant: ArrayLike | None,
) -> None:
    """Choose the shape of a geom in each world; see `Geom.set_shape_override`."""
    check_data(data, geom.model)
    if geom.engine_id < 0:
        raise UnsupportedError(
            f"{geom.title} is only looked at, and nothing touches it: its shape is that of its "
            "source. load_model(..., exact=True) has the engine hold it."
        )
    if geom.shape not in (*_USED, Shape.Mesh):
        raise UnsupportedError(f"{geom.title} is a {geom.shape.name}, which cannot be replaced.")
    kinds = _whole(data, shape, "shape").reshape(-1)
    allowed = ", ".join(f"{int(s)} ({s.name})" for s in (*_USED, Shape.Mesh))
    for kind in kinds[~np.isin(kinds, [int(s) for s in (*_USED, Shape.Mesh)])]:
        raise InvalidValueError(f"shape of {geom.title}", int(kind), allowed)
    meshes = _meshes(geom, data, kinds, variant)
    given = data.param("geom_size")[..., geom.engine_id, :] if size is None else size
    sizes = finite_numbers(given, data.shape, (3,), f"size of {geom.title}")
    sizes = np.array(np.broadcast_to(sizes, (*data.shape, 3)), np.float64).reshape(-1, 3)
    for solid, used in _USED.items():
        mine = kinds == int(solid)
        sizes[mine, used:] = 0.0
        bad = mine & (sizes[:, :used] <= 0.0).any(axis=1)
        if bad.any():
            value = sizes[np.flatnonzero(bad)[0]].tolist()
            allowed = f"the first {used} above 0, as a {solid.name} needs them"
            raise InvalidValueError(f"size of {geom.title}", value, allowed, "Give size.")
    data.set_shapes(geom.engine_id, _fields(geom, kinds, sizes, meshes))


def _meshes(
    geom: Geom, data: SceneData, kinds: NDArray[np.int64], variant: ArrayLike | None
) -> NDArray[np.int64]:
    """Engine ids of the meshes that are chosen, -1 elsewhere, one per world."""
    is_mesh = kinds == int(Shape.Mesh)
    found = np.full(kinds.shape, -1, dtype=np.int64)
    if not is_mesh.any():
        return found
    known = np.array(geom.mesh_variants, dtype=np.int64)
    if not len(known):
        raise UnsupportedError(
            f"{geom.title} is in no set of mesh variants. A tuple of meshes and mesh geoms in the "
            "file, or World.mesh_variant_sets, makes one."
        )
    if variant is None:
        raise InvalidValueError("variant", None, f"0 to {len(known) - 1} where a mesh is chosen")
    chosen = _whole(data, variant, "variant").reshape(-1)
    bad = is_mesh & ((chosen < 0) | (chosen >= len(known)))
    if bad.any():
        value = int(chosen[np.flatnonzero(bad)[0]])
        raise InvalidValueError(f"variant of {geom.title}", value, f"0 to {len(known) - 1}")
    found[is_mesh] = known[chosen[is_mesh]]
    return found


def _fields(
    geom: Geom, kinds: NDArray[np.int64], sizes: Floats, meshes: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """The engine's fields of a shape in each world; meshes are moved to the engine's frames."""
    low = geom.model.low
    pos, quat = geom.authored_place
    place, turn = np.tile(pos, (len(kinds), 1)), np.tile(quat, (len(kinds), 1))
    boxes, sizes = np.zeros((len(kinds), 6)), sizes.copy()
    for mesh in np.unique(meshes[meshes >= 0]).tolist():
        mine = meshes == mesh
        points = low.mesh_vert[vertex_rows(low, mesh)].astype(np.float64)
        least, most = points.min(axis=0), points.max(axis=0)
        boxes[mine] = np.concatenate([(least + most) / 2, (most - least) / 2])
        sizes[mine] = np.maximum(-least, most)
        place[mine] = pos + quat_apply(quat, low.mesh_pos[mesh])
        turn[mine] = quat_multiply(quat, quat_from_wxyz(low.mesh_quat[mesh]))
    types = np.array([ENGINE_TYPES[Shape.types()[kind]] for kind in kinds], dtype=np.int32)
    values: dict[str, NDArray[Any]] = {
        "geom_type": types,
        "geom_dataid": meshes,
        "geom_size": sizes,
        "geom_pos": place,
        "geom_quat": quat_to_wxyz(turn),
        "geom_aabb": boxes,
        "geom_rbound": np.zeros(len(kinds)),
    }
    return {name: value[:, None] for name, value in values.items()}


def _whole(data: SceneData, values: ArrayLike | Shape, what: str) -> NDArray[np.int64]:
    """Whole numbers, one per world."""
    array = np.asarray(int(values) if isinstance(values, Shape) else values)
    if array.dtype.kind not in "iu" or array.shape not in ((), data.shape):
        raise InvalidValueError(what, values, f"whole numbers, one or an array of {data.shape}")
    return np.array(np.broadcast_to(array, data.shape), dtype=np.int64)


def mesh_variant_sets(low: mujoco.MjModel) -> list[tuple[list[int], list[int]]]:
    """Meshes and geoms of each tuple; empty lists for tuples that are no sets of variants."""
    found = []
    for start, size in zip(low.tuple_adr.tolist(), low.tuple_size.tolist(), strict=True):
        kinds = low.tuple_objtype[start : start + size]
        ids = low.tuple_objid[start : start + size]
        meshes, geoms = kinds == mujoco.mjtObj.mjOBJ_MESH, kinds == mujoco.mjtObj.mjOBJ_GEOM
        whole = bool(meshes.any() and (meshes | geoms).all())
        found.append((ids[meshes].tolist(), ids[geoms].tolist()) if whole else ([], []))
    return found
