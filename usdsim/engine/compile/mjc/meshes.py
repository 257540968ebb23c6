"""Mesh assets that the engine has to read as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.parser.description import SceneDescription

__all__ = ["finish_meshes", "store_as_wavefront"]

_BUFFERS = (
    "uservert", "usernormal", "usertexcoord", "userface", "userfacenormal", "userfacetexcoord",
)  # fmt: skip
_FINISHED = frozenset({"content", "usernormal"})
"""Fields without which a mesh is complete."""
_CORNERS = {
    (False, False): "%d", (False, True): "%d//%d", (True, False): "%d/%d", (True, True): "%d/%d/%d",
}  # fmt: skip
"""A corner of a face, of a mesh with texture coordinates and normals or without."""


def finish_meshes(spec: mujoco.MjSpec, scene: SceneDescription, names: Mapping[str, str]) -> None:
    """Set the files of meshes: those kept whole, and those whose normals only a file can carry."""
    for path, description in scene.meshes.items():
        # Finding one among thousands takes its time.
        if _FINISHED.isdisjoint(description.overrides):
            continue
        mesh = spec.mesh(names[path]) if names.get(path) else None
        if mesh is None:
            continue
        content = description.overrides.get("content")
        if content is not None:
            suffix = PurePosixPath(str(description.overrides.get("file", ""))).suffix
            data = np.asarray(content, dtype=np.uint8).tobytes()
            _attach(spec, mesh, path, suffix, data)
        elif _has_own_normals(mesh):
            # The compiler ignores the corners' normals of a mesh given by arrays; it keeps those
            # of the same mesh in a file.
            _attach(spec, mesh, path, ".obj", store_as_wavefront(mesh))


def store_as_wavefront(mesh: Any) -> bytes:
    """The arrays of a mesh as the content of an OBJ file, which the mesh then needs."""
    data = _wavefront(mesh)
    for name in _BUFFERS:
        setattr(mesh, name, [])
    return data


def _has_own_normals(mesh: Any) -> bool:
    """Whether normals belong to corners otherwise than points do."""
    if not len(mesh.usernormal) or not len(mesh.userfacenormal):
        return False
    if len(mesh.usernormal) < len(mesh.uservert):
        return True
    corners, normals = (_array(values, np.int32) for values in (mesh.userface, mesh.userfacenormal))
    return not np.array_equal(corners, normals)


def _attach(spec: mujoco.MjSpec, mesh: Any, path: str, suffix: str, data: bytes) -> None:
    mesh.file = f"{path.strip('/').replace('/', '_')}{suffix}"
    spec.assets[mesh.file] = data


def _wavefront(mesh: Any) -> bytes:
    """The mesh as OBJ text with nine digits, which give every single-precision number back."""
    texcoords = _array(mesh.usertexcoord, np.float64).reshape(-1, 2)
    # The decoder turns texture coordinates upside down.
    texcoords[:, 1] = 1.0 - texcoords[:, 1]
    corners = _array(mesh.userface, np.int64)
    normals = _array(mesh.userfacenormal if len(mesh.usernormal) else (), np.int64)
    pictures = _array(mesh.userfacetexcoord, np.int64)
    if len(mesh.usernormal) and not len(normals):
        # With the two tangents of a point behind its normal, there are three of each.
        normals = corners * (len(mesh.usernormal) // len(mesh.uservert))
    if len(texcoords) and not len(pictures):
        pictures = corners
    columns = [ids for ids in (corners, pictures, normals) if len(ids)] or [corners]
    corner = _CORNERS[len(pictures) > 0, len(normals) > 0]
    text = "".join(
        (
            _rows("v %.9g %.9g %.9g\n", _array(mesh.uservert, np.float64)),
            _rows("vn %.9g %.9g %.9g\n", _array(mesh.usernormal, np.float64)),
            _rows("vt %.9g %.9g\n", texcoords),
            _rows(f"f {corner} {corner} {corner}\n", np.stack(columns, axis=-1) + 1),
        )
    )
    return text.removesuffix("\n").encode()


def _rows(form: str, values: NDArray[Any]) -> str:
    """Lines of a form, which takes that many numbers each: one call formats all of them."""
    return form * (values.size // form.count("%")) % tuple(values.ravel().tolist())


def _array(values: Any, dtype: Any) -> NDArray[Any]:
    return np.fromiter(values, dtype, len(values))
