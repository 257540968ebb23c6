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
    lines = [*_vectors("v", mesh.uservert), *_vectors("vn", mesh.usernormal)]
    texcoords = _array(mesh.usertexcoord, np.float64).reshape(-1, 2)
    # The decoder turns texture coordinates upside down.
    texcoords[:, 1] = 1.0 - texcoords[:, 1]
    lines += [f"vt {u:.9g} {v:.9g}" for u, v in texcoords.tolist()]
    corners = _array(mesh.userface, np.int64) + 1
    normals = _array(mesh.userfacenormal if len(mesh.usernormal) else (), np.int64) + 1
    pictures = _array(mesh.userfacetexcoord, np.int64) + 1
    if len(mesh.usernormal) and not len(normals):
        normals = corners
    if len(texcoords) and not len(pictures):
        pictures = corners
    columns = [[str(i) for i in ids] or [""] * len(corners) for ids in (pictures, normals)]
    words = [f"{c}/{t}/{n}".rstrip("/") for c, t, n in zip(corners, *columns, strict=True)]
    lines += [
        f"f {a} {b} {c}" for a, b, c in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]
    return "\n".join(lines).encode()


def _vectors(word: str, values: Any) -> list[str]:
    rows = _array(values, np.float64).reshape(-1, 3).tolist()
    return [f"{word} " + " ".join(f"{x:.9g}" for x in row) for row in rows]


def _array(values: Any, dtype: Any) -> NDArray[Any]:
    return np.fromiter(values, dtype, len(values))
