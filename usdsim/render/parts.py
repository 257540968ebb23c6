"""Drawable parts: shapes, meshes, materials and textures, apart from who draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.dialects.mjc_arrays import elevations, face_rows, texture_pixels, vertex_rows
from usdsim.math.meshes.height_fields import height_field_shell
from usdsim.math.rotations import quat_from_wxyz

__all__ = [
    "HIGHEST_GROUP",
    "UNPAINTED",
    "Parts",
    "SurfaceMesh",
    "Textures",
    "drawable_parts",
    "hidden_marks",
    "with_marks",
]

Array = NDArray[np.float64]

_T = mujoco.mjtGeom
_HFIELD, _MESH, _SDF = int(_T.mjGEOM_HFIELD), int(_T.mjGEOM_MESH), int(_T.mjGEOM_SDF)
_COLUMNS = ("kind", "frame", "local", "size", "rgba", "mesh", "material")
"""Arrays with a row for each part."""
UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""Colour of what leaves it to its material."""
HIGHEST_GROUP = 2
"""The engine draws what is in groups up to this one."""
_GLOSS = (0.5, 64.0, 0.0)
"""Gloss of a material that does not say it."""
_USABLE = 0.8
"""Cosine to its face up to which the normal of a vertex is used."""
_RGB = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)
_SKY = int(mujoco.mjtTexture.mjTEXTURE_SKYBOX)


@dataclass(frozen=True, eq=False)
class SurfaceMesh:
    """Triangles in the frame of the parts that show them."""

    points: NDArray[np.float32]
    """Vertices [m], shape (n, 3)."""
    faces: NDArray[np.int32]
    """Indices of vertices, counter-clockwise from outside, shape (m, 3)."""
    normals: NDArray[np.float32] | None = None
    """Outward normals at the corners of faces, shape (m, 3, 3); None: those of the faces."""
    uvs: NDArray[np.float32] | None = None
    """Texture coordinates at the corners of faces, v down, shape (m, 3, 2); None: it has none."""
    two_sided: bool = False
    """Whether it is seen from inside too."""

    @cached_property
    def ball(self) -> Array:
        """Centre and radius of a ball around it [m], shape (4,)."""
        if not len(self.points):
            return np.zeros(4)
        centre = (self.points.min(axis=0) + self.points.max(axis=0)) / 2.0
        radius = np.linalg.norm(self.points - centre, axis=1).max()
        return np.array([*centre, max(float(radius), 1e-9)])


@dataclass(frozen=True, eq=False)
class Textures:
    """Pictures and the materials that use them. M materials."""

    images: tuple[NDArray[np.uint8], ...]
    """Red, green and blue, top row first, shape (height, width, 3) each."""
    sky: int
    """Index of the picture of the sky, its six faces below one another; -1: there is none."""
    image: NDArray[np.int32]
    """Pictures of materials, -1: none, shape (M,)."""
    repeat: Array
    """Repetitions over a part, or over a metre where `uniform`, shape (M, 2)."""
    uniform: NDArray[np.bool_]
    """Shape (M,)."""
    gloss: Array
    """Specular reflection, its exponent, and emission, shape (M, 3)."""

    @cached_property
    def means(self) -> Array:
        """Mean colours of materials' pictures, and white for the material -1, shape (M + 1, 3)."""
        found = np.ones((len(self.image) + 1, 3))
        for material in np.flatnonzero(self.image >= 0):
            found[material] = self.images[self.image[material]].mean(axis=(0, 1)) / 255.0
        return found

    def with_images(self, images: Sequence[NDArray[np.uint8]]) -> Textures:
        """The same, and behind them a material for each of more pictures, once over a part."""
        more, first = len(images), len(self.images)
        return Textures(
            images=(*self.images, *images),
            sky=self.sky,
            image=np.append(self.image, np.arange(first, first + more)).astype(np.int32),
            repeat=np.concatenate([self.repeat, np.ones((more, 2))]),
            uniform=np.append(self.uniform, np.zeros(more, np.bool_)),
            gloss=np.concatenate([self.gloss, np.tile(_GLOSS, (more, 1))]),
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """All that can be seen of a scene. S parts, each fixed to a frame."""

    paths: tuple[str, ...]
    """Prim paths."""
    kind: NDArray[np.int32]
    """Types, numbered as the engine's geoms, shape (S,)."""
    frame: NDArray[np.int32]
    """Bodies of the drawable scene they are fixed to, 0: the world, shape (S,)."""
    local: Array
    """Poses in those frames [m, xyzw], shape (S, 7)."""
    size: Array
    """Half extents or radii as the engine has them [m], shape (S, 3)."""
    rgba: Array
    """Colours, shape (S, 4)."""
    mesh: NDArray[np.int32]
    """Indices in `meshes`, -1: none, shape (S,)."""
    material: NDArray[np.int32]
    """Materials of `textures`, -1: none, shape (S,)."""
    meshes: tuple[SurfaceMesh, ...]
    """Geometry of parts that are meshes."""
    textures: Textures
    """Materials and pictures."""

    def selected(self, rows: NDArray[np.intp]) -> Parts:
        """Some of the parts, each as often as it is named."""
        chosen: dict[str, Any] = {name: getattr(self, name)[rows] for name in _COLUMNS}
        return replace(self, paths=tuple(self.paths[k] for k in rows), **chosen)

    def extended(self, paths: Sequence[str], **columns: ArrayLike) -> Parts:
        """These parts and others behind them, which are fixed to the world.

        Args:
            paths: prim paths of the others.
            **columns: their arrays, or what is the same for all of them.
        """
        joined: dict[str, Any] = {}
        for name in _COLUMNS:
            own = getattr(self, name)
            more = np.broadcast_to(columns.get(name, 0), (len(paths), *own.shape[1:]))
            joined[name] = np.concatenate([own, more.astype(own.dtype)])
        return replace(self, paths=(*self.paths, *paths), **joined)

    @property
    def flat_rgba(self) -> Array:
        """Colours with the mean of the textures, for who draws none, shape (S, 4)."""
        return self.flattened(self.rgba, self.material)

    def flattened(self, rgba: Array, material: NDArray[np.int32]) -> Array:
        """The same of other colours and materials, shape (..., S, 4) and (..., S)."""
        flat = np.array(
            np.broadcast_to(rgba, (*np.broadcast_shapes(rgba.shape[:-1], material.shape), 4))
        )
        flat[..., :3] *= self.textures.means[material]
        return flat

    @property
    def balls(self) -> Array:
        """Centres in the parts' frames and radii of balls around them [m]; radius 0: endless."""
        return self.balls_of(self.size)

    def balls_of(self, size: Array) -> Array:
        """The same for other half extents or radii of what is no mesh [m], shape (S, 3)."""
        found = np.zeros((len(self.kind), 4))
        x, y, z = size.T
        found[:, 3] = np.choose(
            self.kind.clip(0, 7),
            [
                np.where((x > 0.0) & (y > 0.0), np.hypot(x, y), 0.0),
                0.0 * x,
                x,
                x + y,
                np.maximum(np.maximum(x, y), z),
                np.hypot(x, y),
                np.sqrt(x**2 + y**2 + z**2),
                0.0 * x,
            ],
        )
        for index in np.flatnonzero(self.mesh >= 0):
            found[index] = self.meshes[self.mesh[index]].ball
        return found


def drawable_parts(model: mujoco.MjModel, paths: Sequence[str], shown: NDArray[np.bool_]) -> Parts:
    """The geoms of a model that are shown, as parts.

    Args:
        model: the engine's model of what is seen.
        paths: prim paths of all geoms.
        shown: which of them are shown, shape (ngeom,).
    """
    ids = np.flatnonzero(shown)
    kind = model.geom_type[ids].astype(np.int32)
    material = model.geom_matid[ids].astype(np.int32)
    rgba = model.geom_rgba[ids].astype(np.float64)
    plain = (material >= 0) & np.isclose(rgba, UNPAINTED).all(axis=1)
    rgba[plain] = model.mat_rgba[material[plain]]
    meshes: list[SurfaceMesh] = []
    index: dict[tuple[int, int], int] = {}
    mesh = np.full(len(ids), -1, np.int32)
    for k, (geom, form) in enumerate(zip(ids, kind, strict=True)):
        if form not in (_MESH, _SDF, _HFIELD):
            continue
        key = (int(form == _HFIELD), int(model.geom_dataid[geom]))
        if key not in index:
            index[key] = len(meshes)
            meshes.append((_hfield if key[0] else _surface)(model, key[1]))
        mesh[k] = index[key]
    kind[mesh >= 0] = _MESH
    turn = quat_from_wxyz(model.geom_quat[ids])
    return Parts(
        paths=tuple(paths[i] for i in ids.tolist()),
        kind=kind,
        frame=model.geom_bodyid[ids].astype(np.int32),
        local=np.concatenate([model.geom_pos[ids], turn], axis=1),
        size=model.geom_size[ids].astype(np.float64),
        rgba=rgba,
        mesh=mesh,
        material=material,
        meshes=tuple(meshes),
        textures=_textures(model),
    )


def with_marks(parts: Parts, room: int) -> Parts:
    """Parts with room for marks behind them, which are hidden."""
    pos, quat, size = hidden_marks(room)
    return parts.extended(
        [""] * room,
        kind=int(_T.mjGEOM_SPHERE),
        local=np.concatenate([pos, quat], axis=1),
        size=size,
        rgba=0.0,
        mesh=-1,
        material=-1,
    )


def hidden_marks(room: int) -> tuple[Array, Array, Array]:
    """Positions, orientations and sizes of marks out of sight."""
    pos, quat = np.full((room, 3), -1e6), np.zeros((room, 4))
    quat[:, 3] = 1.0
    return pos, quat, np.full((room, 3), 1e-6)


def _surface(model: mujoco.MjModel, index: int) -> SurfaceMesh:
    faces = face_rows(model, index)
    points = model.mesh_vert[vertex_rows(model, index)].astype(np.float32)
    triangles = model.mesh_face[faces].astype(np.int32)
    normals = model.mesh_normal[model.mesh_facenormal[faces] + model.mesh_normaladr[index]]
    flat = _face_normals(points, triangles)
    usable = np.einsum("fci,fi->fc", normals, flat) >= _USABLE
    normals = np.where(usable[..., None], normals, flat[:, None]).astype(np.float32)
    uvs = None
    at = int(model.mesh_texcoordadr[index])
    if at >= 0:
        uvs = model.mesh_texcoord[model.mesh_facetexcoord[faces] + at].astype(np.float32)
    return SurfaceMesh(points, triangles, normals, uvs)


def _face_normals(points: NDArray[np.float32], faces: NDArray[np.int32]) -> Array:
    corners = points[faces].astype(np.float64)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    found: Array = cross / np.maximum(np.linalg.norm(cross, axis=1, keepdims=True), 1e-30)
    return found


def _hfield(model: mujoco.MjModel, index: int) -> SurfaceMesh:
    *half, top, base = model.hfield_size[index]
    heights = elevations(model, index) * top
    shell, sides = height_field_shell(heights, half, base)
    foot = np.arange(heights.size, len(shell), dtype=np.int32)
    bottom = np.stack([np.full_like(foot, foot[0]), np.roll(foot, -1), foot], axis=1)
    points, faces = shell.astype(np.float32), np.concatenate([sides, bottom])
    uvs = points[:, :2] / half * (0.5, -0.5) + 0.5
    return SurfaceMesh(points, faces, None, uvs[faces].astype(np.float32))


def _textures(model: mujoco.MjModel) -> Textures:
    images = []
    for index in range(model.ntex):
        pixels = texture_pixels(model, index)
        colours = pixels.shape[2] >= 3
        images.append(pixels[..., :3] if colours else np.repeat(pixels[..., :1], 3, axis=2))
    skies = np.flatnonzero(model.tex_type == _SKY)
    image = model.mat_texid[:, _RGB].astype(np.int32)
    flat = model.tex_type == int(mujoco.mjtTexture.mjTEXTURE_2D)
    image = np.array([i if i >= 0 and flat[i] else -1 for i in image], np.int32)
    gloss = np.stack([model.mat_specular, 128.0 * model.mat_shininess, model.mat_emission], axis=1)
    return Textures(
        images=tuple(images),
        sky=int(skies[0]) if len(skies) else -1,
        image=image,
        repeat=model.mat_texrepeat.astype(np.float64),
        uniform=model.mat_texuniform.astype(np.bool_),
        gloss=gloss.astype(np.float64),
    )
