"""Assets of an editable world: meshes and height fields, and all by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import InvalidValueError, UnsupportedError

from .elements import Field, Named, WorldPart, refused, world_parts
from .fields import number
from .looks import Material, Texture
from .values import Case, LiveList, Value, Variant, vector

__all__ = [
    "AffineTransform",
    "AssetSpecs",
    "HFieldSource",
    "HFieldSourceType",
    "LinearTransform",
    "MeshAsset",
    "MeshData",
    "MeshSource",
]

_SKY = mujoco.mjtTexture.mjTEXTURE_SKYBOX


class HFieldSourceType(Variant):
    """Heights of a height field: a file, or numbers row by row from -y to +y."""

    path = Case("path", content_type=None)
    buffer = Case("hfield", "name")


class LinearTransform(Variant):
    """Linear map of a mesh. MuJoCo has scales along the axes."""

    scale = Case("value")
    linear = Case("value")


@dataclass
class AffineTransform(Value):
    """Map of a mesh: a linear one, then a translation."""

    linear: LinearTransform | None = None
    """Linear map; None: the identity."""
    translation: Any = None
    """Translation [m]; None: none."""


@dataclass
class MeshData(Value):
    """Vertices and triangles of a mesh."""

    vertices: Any = field(default_factory=lambda: np.empty((0, 3), np.float32))
    """Points [m], shape (n, 3)."""
    triangles: Any = None
    """Indices of points, shape (m, 3); None: the convex hull."""
    texcoord: Any = None
    """Texture coordinates of the points, shape (n, 2)."""
    normal: Any = None
    """Normals at the points, shape (n, 3)."""
    tangents: Any = None
    """Tangents, which are computed where they are needed."""
    name: str = ""
    """Name of the data."""

    @property
    def vertex_count(self) -> int:
        """Number of points."""
        return len(np.asarray(self.vertices).reshape(-1, 3))

    @property
    def triangle_count(self) -> int:
        """Number of triangles."""
        return 0 if self.triangles is None else len(np.asarray(self.triangles).reshape(-1, 3))


class MeshSource(Variant):
    """Shape of a mesh: a file, or numbers."""

    path = Case("path", using_meshes=None)
    buffer = Case("data")


def _mesh_source(owner: Any) -> MeshSource:
    mesh = owner.element
    if mesh.file:
        return MeshSource.path(mesh.file, set())
    faces = np.array(mesh.userface, np.uint32).reshape(-1, 3)
    return MeshSource.buffer(
        MeshData(
            np.array(mesh.uservert, np.float32).reshape(-1, 3),
            faces if len(faces) else None,
            _rows(mesh.usertexcoord, 2),
            _rows(mesh.usernormal, 3),
            name=mesh.name,
        )
    )


def _rows(values: Any, width: int) -> Any:
    rows = np.array(values, np.float32).reshape(-1, width)
    return rows if len(rows) else None


def _flat(values: Any) -> list[float]:
    return [] if values is None else np.asarray(values, np.float64).ravel().tolist()


def _set_mesh_source(owner: Any, value: MeshSource) -> None:
    mesh, said = owner.element, value.value
    if value.variant == "path":
        if said["using_meshes"]:
            raise UnsupportedError("using_meshes: a mesh here is the whole of its file.")
        mesh.file = str(said["path"])
        return
    data = said["data"]
    mesh.file = ""
    mesh.uservert = _flat(data.vertices)
    mesh.userface = [] if data.triangles is None else np.ravel(data.triangles).astype(int).tolist()
    mesh.usertexcoord, mesh.usernormal = _flat(data.texcoord), _flat(data.normal)


def _mesh_transform(owner: Any) -> AffineTransform:
    mesh = owner.element
    scale = np.array(mesh.scale, np.float32)
    # A reference point is taken off before the scale.
    shift = -scale * np.array(mesh.refpos, np.float32)
    linear = None if (scale == 1.0).all() else LinearTransform.scale(scale)
    return AffineTransform(linear, shift if shift.any() else None)


def _set_mesh_transform(owner: Any, value: AffineTransform) -> None:
    said, mesh = value.linear, owner.element
    scale = np.ones(3)
    if said is not None:
        matrix = np.asarray(said.value, np.float64)
        if said.variant == "linear":
            if not np.allclose(matrix, np.diag(np.diag(matrix))):
                raise UnsupportedError(f"{owner!r}: meshes have scales along their axes only.")
            matrix = np.diag(matrix)
        scale = vector(matrix, 3, f"scale of {owner!r}")
    if not scale.all():
        raise InvalidValueError(f"scale of {owner!r}", scale, "numbers other than 0")
    mesh.scale = scale
    shift = np.zeros(3) if value.translation is None else np.asarray(value.translation)
    mesh.refpos = -vector(shift, 3, f"translation of {owner!r}") / scale


class MeshAsset(WorldPart):
    """Mesh for geoms to refer to."""

    source = Field(_mesh_source, _set_mesh_source, MeshSource)
    transform = Field(_mesh_transform, _set_mesh_transform, AffineTransform)

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_mesh()


def _heights(owner: Any) -> HFieldSourceType:
    hfield = owner.element
    if hfield.file:
        return HFieldSourceType.path(hfield.file, hfield.content_type or None)
    return HFieldSourceType.buffer(np.array(hfield.userdata, np.float32), hfield.name)


def _set_heights(owner: Any, value: HFieldSourceType) -> None:
    hfield, said = owner.element, value.value
    if value.variant == "path":
        hfield.file, hfield.content_type = str(said["path"]), said["content_type"] or ""
        return
    hfield.file = ""
    hfield.userdata = np.asarray(said["hfield"], np.float32).ravel().tolist()


_BASE = 1e-3
"""Depth of the solid below the lowest height [m], which MuJoCo wants to be positive."""


def _hfield_size(first: int, count: int) -> Field:
    """Field of the half sizes, or of the height, of a height field."""

    def read(owner: Any) -> Any:
        numbers = [float(v) for v in owner.element.size[first : first + count]]
        return LiveList(numbers) if count > 1 else numbers[0]

    def write(owner: Any, value: Any) -> None:
        numbers = vector(np.atleast_1d(value), count, f"size of {owner!r}")
        owner.element.size[first : first + count] = numbers

    return Field(read, write)


class HFieldSource(WorldPart):
    """Height field for geoms to refer to. Its lowest height counts as 0, its highest as 1."""

    ncol = number("ncol", int)
    nrow = number("nrow", int)
    size = _hfield_size(0, 2)
    height_scale = _hfield_size(2, 1)
    source_type = Field(_heights, _set_heights, HFieldSourceType)

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_hfield(size=[1, 1, 1, _BASE])


def _of_kind(kind: type[WorldPart], attribute: str) -> Field:
    """Field of all assets of a kind by name."""

    def read(owner: Any) -> Named:
        return Named(world_parts(owner.home, kind, attribute))

    def write(owner: Any, values: dict[str, WorldPart]) -> None:
        named, values = read(owner), dict(values)
        for old in [old for old in named if named[old] is not values.get(old)]:
            del named[old]
        named.update(values)

    return Field(read, write, Mapping)


def _skies(owner: Any) -> list[Any]:
    return [t for t in owner.home.spec.textures if t.type == _SKY]


def _set_sky(owner: Any, value: str | None) -> None:
    for texture in _skies(owner):
        if texture.name != value:
            raise UnsupportedError(f"A world has one sky, here the texture {texture.name!r}.")
    if value is not None and not _skies(owner):
        raise InvalidValueError("skybox", value, "a texture of type TextureType.Skybox")


class AssetSpecs(WorldPart):
    """Assets of an editable world, by name."""

    meshes = _of_kind(MeshAsset, "meshes")
    materials = _of_kind(Material, "materials")
    textures = _of_kind(Texture, "textures")
    hfields = _of_kind(HFieldSource, "hfields")
    skybox = Field(lambda owner: next((t.name for t in _skies(owner)), None), _set_sky, str | None)
    gaussian_clouds = refused({}, "splats belong to another renderer")
