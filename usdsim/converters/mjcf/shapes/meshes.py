"""Mesh assets, with the points of their files as MuJoCo reads them."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.converters.emit.shapes import define_surface
from usdsim.converters.mjcf.context import MjcfContext, wxyz_pose
from usdsim.converters.mjcf.rows import write_rows
from usdsim.core.dialects.mjc_arrays import face_rows, vertex_rows
from usdsim.core.errors import ConversionError
from usdsim.math.meshes.operations import have_area
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_to_matrix,
)
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import write

from .mesh_files import MeshBuffers, read_legacy_mesh, read_stl
from .primvars import write_primvars

__all__ = ["MeshAsset", "authored_pose", "convert_meshes", "mesh_pose"]

_BUFFERS = (
    ("usernormal", "mjc:normals", "float[]", np.float32),
    ("userfacenormal", "mjc:normals:indices", "int[]", np.int32),
    ("usertexcoord", "mjc:texcoords", "float[]", np.float32),
    ("userfacetexcoord", "mjc:texcoords:indices", "int[]", np.int32),
    ("usernode", "mjc:nodes", "double[]", np.float64),
    ("usertet", "mjc:tets", "int[]", np.int32),
)
_NO_NUMBERS: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "usernormal": ("normals", (0.0, 0.0, 1.0)),
    "usertexcoord": ("texture coordinates", (0.0, 0.0)),
}
"""Rows that stand for those with NaN. The compiler takes such normals as this one, too."""
_DIGITS = 1e-12
"""Difference that rounding explains."""
_UNIT = 1e-14
"""Difference from length 1 below which the compiler leaves a quaternion as it is."""
_ELSEWHERE = {"content", "file", *(name for name, *_ in _BUFFERS)}


@dataclass(frozen=True, eq=False)
class MeshAsset:
    """A mesh asset on the stage."""

    path: str
    scale: NDArray[np.float64] | None
    """Scale of geoms that show it; None: nothing."""


def convert_meshes(context: MjcfContext) -> None:
    """Define every mesh asset in the library."""
    for index, mesh in enumerate(context.elements("mesh")):
        context.meshes[index] = _convert_mesh(context, index, mesh)


def authored_pose(geom: Any) -> Pose:
    """Pose of a spec's geom in its frame, with the digits the compiler gives it."""
    quat = np.array(geom.quat, dtype=np.float64)
    if geom.alt.type != mujoco.mjtOrientation.mjORIENTATION_QUAT:
        compiler = geom.compiler
        resolve = mujoco.MjSpec.resolve_orientation
        quat = np.array(
            resolve(degree=compiler.degree, sequence=compiler.eulerseq, orientation=geom.alt)
        )
    return wxyz_pose(geom.pos, _normalized(quat))


def _normalized(quat: NDArray[np.float64]) -> NDArray[np.float64]:
    """A quaternion as the compiler normalizes it; the engine's own function rounds differently."""
    w, x, y, z = quat.tolist()
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return quat / length if abs(length - 1.0) > _UNIT else quat


def mesh_pose(model: mujoco.MjModel, mesh: int, pose: Pose, authored: Pose) -> Pose:
    """Undo what the compiler does to the pose of a geom whose mesh it moved into its own frame.

    Args:
        model: the compiled model.
        mesh: index of the mesh.
        pose: the geom's compiled pose.
        authored: its pose in the spec. Where that is the result, it is so to the last digit.
    """
    quat = quat_multiply(pose.quat, quat_conjugate(quat_from_wxyz(model.mesh_quat[mesh])))
    undone = Pose(pose.pos - quat_apply(quat, model.mesh_pos[mesh]), quat)
    near = np.abs(undone.pos - authored.pos).max() < _DIGITS
    aligned = abs(float(undone.quat @ authored.quat))
    turned = np.abs(undone.quat - np.copysign(1.0, undone.quat @ authored.quat) * authored.quat)
    return authored if near and aligned > 0.5 and turned.max() < _DIGITS else undone


def _convert_mesh(context: MjcfContext, index: int, mesh: Any) -> MeshAsset:
    path = context.paths["mesh"][index]
    source = _decoded(context, index, mesh)
    if isinstance(source, MeshBuffers) and source.content:
        context.set(path, "mjc:content", "uchar[]", np.frombuffer(source.content, np.uint8))
        context.set(path, "mjc:contentName", "string", Path(mesh.file).name)
    raw = _buffer(source.uservert, np.float32).reshape(-1, 3)
    faces = _buffer(source.userface, np.int32)
    if not len(raw):
        raw, faces = np.zeros((0, 3), np.float32), np.zeros(0, np.int32)
    context.keep_name(path, mesh.name)
    write_rows(context, path, "mesh", index, skip=_ELSEWHERE)
    buffers = {
        field: _repaired(context, path, field, _buffer(getattr(source, field), dtype))
        for field, _, _, dtype in _BUFFERS
    }
    if mesh.plugin.active:
        names = [plugin.name for plugin in context.elements("plugin")]
        # An instance without a name belongs to this mesh alone, which knows its index.
        own = names.index(mesh.plugin.name) if mesh.plugin.name else int(mesh.plugin.id)
        context.link(path, "mjc:meshPlugin", [context.paths["plugin"][own]])
    if mesh.material:
        names = [material.name for material in context.elements("material")]
        if mesh.material in names:
            material = context.paths["material"][names.index(mesh.material)]
            context.link(path, "mjc:meshMaterial", [material])
    shown = _drawn(raw, mesh)
    points, triangles = shown.points, faces.reshape(-1, 3)
    kept = have_area(points, triangles) if len(raw) else np.ones(len(triangles), np.bool_)
    drawn = triangles[kept]
    if not len(faces):
        # Made by the compiler: a hull, the skin of a volume mesh, the surface of a plugin.
        points, drawn = _compiled(context.model, index)
    if points is not raw:
        context.set(path, "mjc:vertices", "point3f[]", raw)
    prim = define_surface(context.layer, path, points, drawn)
    if len(drawn) != len(triangles):
        context.set(path, "mjc:faces", "int[]", faces)
    context.restate(path, "points", "faceVertexIndices")
    followed: set[str] = set()
    if len(faces):
        if shown.mirrored:
            write(prim, "orientation", "token", "leftHanded", uniform=True)
        followed = write_primvars(prim, len(raw), buffers, kept, shown.moved)
    for field, name, type_name, _ in _BUFFERS:
        if len(buffers[field]) and field not in followed:
            context.set(path, name, type_name, buffers[field])
    return MeshAsset(path, shown.scale if len(faces) else None)


def _repaired(context: MjcfContext, path: str, field: str, values: NDArray[Any]) -> NDArray[Any]:
    """Mesh values without NaN, which exporters write for faces without area."""
    if field not in _NO_NUMBERS or not np.isnan(values).any():
        return values
    what, instead = _NO_NUMBERS[field]
    rows = values.reshape(-1, len(instead))
    broken = np.isnan(rows).any(axis=1)
    context.report.warn(
        "not-a-number",
        path,
        f"{broken.sum()} of {len(rows)} {what} are no numbers; taken as {instead}",
    )
    return np.where(broken[:, None], np.array(instead, rows.dtype), rows).ravel()


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Points as other tools must see them.

    A plain scale stays a transform, so that most meshes are stored as their files have them.
    """

    points: NDArray[np.float32]
    """Vertices, shape (n, 3)."""
    scale: NDArray[np.float64] | None = None
    """Scale that geoms add; None: nothing."""
    moved: NDArray[np.float64] | None = None
    """Matrix by which the source's points are multiplied, shape (3, 3); None: by none."""

    @property
    def mirrored(self) -> bool:
        """Whether faces are clockwise seen from outside."""
        return self.moved is not None and bool(np.linalg.det(self.moved) < 0.0)


def _drawn(raw: NDArray[np.float32], mesh: Any) -> _Drawn:
    scale = np.array(mesh.scale, dtype=np.float64)
    # A mirroring transform is no pose, and some tools draw it inside out.
    moved = (
        scale.min() < 0.0
        or mesh.refpos.any()
        or not np.array_equal(mesh.refquat, (1.0, 0.0, 0.0, 0.0))
    )
    if not moved:
        return _Drawn(raw, None if (scale == 1.0).all() else scale)
    turn = quat_conjugate(quat_from_wxyz(mesh.refquat / np.linalg.norm(mesh.refquat)))
    points = quat_apply(turn, raw.astype(np.float64) - mesh.refpos) * scale
    return _Drawn(points.astype(np.float32), None, scale[:, None] * quat_to_matrix(turn))


def _decoded(context: MjcfContext, index: int, mesh: Any) -> Any:
    """Holder of the source points: the mesh itself, or what its file decodes to."""
    if len(mesh.uservert) or len(mesh.usernode) or not mesh.file:
        return mesh
    model = context.model
    address = int(model.mesh_pathadr[index])
    stop = model.paths.index(b"\0", address)
    file = model.paths[address:stop].decode()
    assets = context.source.spec.assets or {}
    content = next((assets[name] for name in (mesh.file, file) if name in assets), None)
    try:
        return _decode(context, index, file, content)
    except (OSError, ValueError, RuntimeError) as error:
        raise ConversionError(
            f"Mesh {mesh.name!r} of file {file!r} cannot be read: {error}"
        ) from error


def _decode(context: MjcfContext, index: int, file: str, content: bytes | None) -> Any:
    mesh = context.elements("mesh")[index]
    suffix = Path(file).suffix.lower()
    legacy = suffix == ".msh" or mesh.content_type == "model/vnd.mujoco.msh"
    if legacy or (suffix == ".stl" and not mesh.content_type):
        whole = Path(file).read_bytes() if content is None else content
        if legacy:
            return read_legacy_mesh(whole) or MeshBuffers(content=whole)
        found = read_stl(whole, context.model.mesh_face[face_rows(context.model, index)])
        if found is not None:
            return found
    if content is None:
        decoded = mujoco.MjSpec.from_file(file)
    else:
        # Decoders read files; assets in memory have to become one.
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / f"mesh{Path(mesh.file).suffix}"
            copy.write_bytes(content)
            decoded = mujoco.MjSpec.from_file(str(copy))
    # The mesh lives as long as its spec does.
    context.decoded.append(decoded)
    return decoded.meshes[0]


def _buffer(values: Any, dtype: Any) -> NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values.astype(dtype, copy=False)
    return np.fromiter(values, dtype, len(values))


def _compiled(model: mujoco.MjModel, index: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Points and faces of a mesh that only the compiler can make, in its source frame."""
    points = model.mesh_vert[vertex_rows(model, index)].astype(np.float64)
    turned = quat_apply(quat_from_wxyz(model.mesh_quat[index]), points) + model.mesh_pos[index]
    return turned.astype(np.float32), model.mesh_face[face_rows(model, index)].astype(np.int32)
