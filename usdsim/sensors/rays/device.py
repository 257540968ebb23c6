"""Ray casting on a Warp device, where its worlds are."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_arrays import face_rows, vertex_rows
from usdsim.engine.base import Engine
from usdsim.sensors.common.kernel_pass import Rows, row_array

from .arrays import RayArrays
from .kernels import RayTargets, cast_rays
from .static_shapes import is_static, static_values

__all__ = ["DeviceRays", "casts_on_device"]

_T = mujoco.mjtGeom
_PLANE, _MESH = int(_T.mjGEOM_PLANE), int(_T.mjGEOM_MESH)
_KINDS = [
    int(getattr(_T, f"mjGEOM_{kind}"))
    for kind in ["PLANE", "HFIELD", "SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX", "MESH"]
]
_FEW = 8
"""Shapes that are looked at one by one faster than through a hierarchy."""
_MARGIN = 1e-4
"""Margin of a box of the hierarchy about its shape, relative to it, for rounding."""


def casts_on_device(engine: Engine, geoms: NDArray[np.intp]) -> bool:
    """Whether rays at these shapes of an engine can be cast where its arrays are."""
    kinds: NDArray[np.int32] = engine.compiled.mj.geom_type[geoms]
    return bool(np.isin(kinds, _KINDS).all())


class DeviceRays:
    """Casts rays at some shapes where they are in the worlds of a device.

    Shapes that no parameter makes differ between worlds, and that stand still, are found through
    boxes around them.

    Args:
        engine: an engine of a device.
        geoms: its shapes that rays hit, all such that `casts_on_device`.
        matches: instances per world.
        arrays: of the rays and their hits.
        farthest: how far rays reach [m].
    """

    def __init__(
        self,
        engine: Any,
        geoms: NDArray[np.intp],
        matches: int,
        arrays: RayArrays,
        farthest: float,
    ):
        self._engine, self._geoms, self._matches = engine, geoms, matches
        self._arrays = arrays
        self._farthest = min(float(farthest), float(np.finfo(np.float32).max))
        self._all = row_array(np.arange(arrays.start.shape[0]), engine.device)
        self._targets = self._fixed()
        self._hierarchy: wp.Bvh | None = None
        self._static_values: list[NDArray[Any]] | None = None
        self._seen = (-1, -1)
        self._record: Any = None

    def follow(self) -> Hashable | None:
        """Follow parameters, before `run`; returns what differs after each change of them."""
        engine = self._engine
        now = engine.versions.arrays, engine.versions.parameters
        if now != self._seen:
            self._update_targets()
            self._seen, self._record = now, None
        return self._seen

    def run(self, rows: Rows = None) -> None:
        """Cast the rays of some instances; None: all."""
        engine = self._engine
        engine.refresh("geom_xpos")
        if rows is not None:
            if len(rows):
                self._launch(row_array(rows, engine.device))
            return
        if self._record is None:
            self._record = self._launch(self._all, record_cmd=True)
        self._record.launch()

    def _launch(self, rows: wp.array, **options: Any) -> Any:
        engine = self._engine
        fields = (engine.device_array(name) for name in ("geom_xpos", "geom_xmat"))
        names = ("geom_size", "geom_rbound", "geom_margin", "geom_dataid")
        parameters = map(engine.device_parameter, names)
        return wp.launch(
            cast_rays,
            (rows.shape[0], self._arrays.start.shape[1]),
            inputs=[
                rows,
                *fields,
                *parameters,
                self._targets,
                self._matches,
                self._farthest,
                *self._arrays.rays,
            ],
            outputs=self._arrays.hits,
            device=engine.device,
            **options,
        )

    def _fixed(self) -> RayTargets:
        """Targets' arrays that no parameter changes."""
        model, device = self._engine.compiled.mj, self._engine.device

        def array(values: NDArray[Any], dtype: Any) -> wp.array:
            return wp.array(np.ascontiguousarray(values), dtype=dtype, device=device)

        targets = RayTargets()
        targets.kinds = array(model.geom_type.astype(np.int32), wp.int32)
        targets.hfield_size = array(model.hfield_size.astype(np.float32), wp.vec4f)
        for name in ("nrow", "ncol", "adr"):
            values = getattr(model, f"hfield_{name}").astype(np.int32)
            setattr(targets, f"hfield_{name}", array(values, wp.int32))
        targets.hfield_data = array(model.hfield_data.astype(np.float32), wp.float32)
        self._meshes: dict[int, wp.Mesh] = {}
        return targets

    # -- what parameters change ----------------------------------------------------------------

    def _update_targets(self) -> None:
        """Follow the parameters."""
        engine, model = self._engine, self._engine.compiled.mj
        used = engine.param("geom_dataid")[:, self._geoms]
        used = np.unique(used[:, model.geom_type[self._geoms] == _MESH])
        for index in used[used >= 0].tolist():
            if index not in self._meshes:
                self._meshes[index] = _mesh(model, index, engine.device)
        ids = np.zeros(max(model.nmesh, 1), np.uint64)
        for index, mesh in self._meshes.items():
            ids[index] = mesh.id
        self._targets.meshes = wp.array(ids, dtype=wp.uint64, device=engine.device)
        still = self._static_shapes()
        values = static_values(engine, still)
        known = self._static_values
        if known is not None and all(map(np.array_equal, known, values)):
            return
        self._static_values = values
        self._enclose(still)

    def _static_shapes(self) -> NDArray[np.intp]:
        """Shapes worth a hierarchy: at one place in all worlds, and many."""
        engine, model = self._engine, self._engine.compiled.mj
        still = is_static(engine, self._geoms) & (model.geom_type[self._geoms] != _PLANE)
        found = self._geoms[still]
        return found if len(found) > _FEW else found[:0]

    def _enclose(self, still: NDArray[np.intp]) -> None:
        """Build the hierarchy of shapes that stand still."""
        engine, device = self._engine, self._engine.device
        loose = np.setdiff1d(self._geoms, still).astype(np.int32)
        self._targets.geoms = wp.array(loose, dtype=wp.int32, device=device)
        self._targets.still = wp.array(still.astype(np.int32), dtype=wp.int32, device=device)
        self._hierarchy, self._targets.hierarchy = None, wp.uint64(0)
        if not len(still):
            return
        box = engine.param("geom_aabb")[0, still].astype(np.float64)
        pos = np.asarray(engine.read("geom_xpos"))[0, still]
        mat = np.asarray(engine.read("geom_xmat"))[0, still].reshape(-1, 3, 3)
        centre = pos + np.einsum("nij,nj->ni", mat, box[:, :3])
        half = np.einsum("nij,nj->ni", np.abs(mat), box[:, 3:])
        half += _MARGIN * (half.max(axis=1, keepdims=True) + np.abs(centre))
        lower, upper = (
            wp.array(ends.astype(np.float32), dtype=wp.vec3f, device=device)
            for ends in (centre - half, centre + half)
        )
        self._hierarchy = wp.Bvh(lower, upper)
        self._targets.hierarchy = self._hierarchy.id


def _mesh(model: mujoco.MjModel, index: int, device: str) -> wp.Mesh:
    """A mesh of the model, in its own frame."""
    points = model.mesh_vert[vertex_rows(model, index)].astype(np.float32)
    faces = model.mesh_face[face_rows(model, index)]
    return wp.Mesh(
        points=wp.array(points, dtype=wp.vec3f, device=device),
        indices=wp.array(faces.astype(np.int32).reshape(-1), dtype=wp.int32, device=device),
    )
