"""Mesh geometry: triangles, approximations, and sharing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import UsdsimError
from usdsim.math.inertia import MassProperties, mesh_mass, surface_mass
from usdsim.math.meshes import operations as meshes
from usdsim.math.meshes.adjacency import connected, twin_edges
from usdsim.math.meshes.convexity import are_convex, has_convex_edges, inner_hull_volume
from usdsim.math.meshes.hull import convex_hull
from usdsim.math.meshes.operations import is_flat
from usdsim.math.meshes.welding import weld
from usdsim.math.meshes.winding import is_wound_alike, turned
from usdsim.math.rotations import cross
from usdsim.parser.context import ParseContext
from usdsim.parser.description import HeightFieldDescription, MeshDescription
from usdsim.parser.prims import PrimView

from .facets import Surface, take_apart

__all__ = ["Mesh", "MeshLibrary", "joined"]

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

SINGLE = 2.0**-20
"""Distance of points, in parts of a mesh's extent, below which noise of single precision lies."""
FEWEST_FACES = 4
"""Faces that hang together by shared indices, on average; below it indices are not shared."""


def _content(points: Array, faces: Faces) -> int:
    """Digest of points and triangles."""
    return hash((points.tobytes(), faces.tobytes()))


@dataclass(slots=True, eq=False)
class Mesh:
    """Triangles in a prim's own frame and units, with what is computed from them."""

    points: Array
    faces: Faces
    digest: int
    cache: dict[str, MassProperties] = field(default_factory=dict)
    parts: dict[int, list[tuple[Array, Faces]]] = field(default_factory=dict)
    hull: tuple[Array, Faces] | None = None
    _flat: bool | None = None
    _closed: bool | None = None
    _outwards: bool | None = None
    _welded: NDArray[np.int64] | None = None
    _twin: NDArray[np.int64] | None = None
    _surfaces: dict[bytes, Surface] = field(default_factory=dict)
    _areas: dict[bytes, float] = field(default_factory=dict)

    def solid(self) -> MassProperties:
        """Mass properties at density 1 of what the triangles enclose; if open, of their hull."""
        if "solid" not in self.cache:
            closed = self.is_closed()
            self.cache["solid"] = (
                mesh_mass(1.0, self.points, self.faces) if closed else self.hull_solid()
            )
        return self.cache["solid"]

    def hull_solid(self) -> MassProperties:
        """Mass properties at density 1 of the convex hull."""
        if "hull" not in self.cache:
            own = self._bends_outwards()
            corners, faces = (self.points, self.faces) if own else self.convex()
            self.cache["hull"] = mesh_mass(1.0, corners, faces)
        return self.cache["hull"]

    def area(self, linear: Array) -> float:
        """Area of all triangles [m^2].

        Args:
            linear: from the mesh's units to metres, for column vectors, shape (3, 3).
        """
        known = linear.tobytes()
        if known not in self._areas:
            a, b, c = (self.points @ linear.T).take(self.faces.T, axis=0)
            x, y, z = cross(b - a, c - a).T
            self._areas[known] = 0.5 * float(np.sqrt(x * x + y * y + z * z).sum())
        return self._areas[known]

    def weighed(self, rule: str, linear: Array) -> MassProperties:
        """Mass properties at density 1 by a rule of the MuJoCo dialect.

        Args:
            rule: ``legacy``: tetrahedra under the triangles, whichever way those face;
                ``convex``: the hull; ``exact``: what the triangles enclose; ``shell``: the
                triangles themselves, with a density of area.
            linear: from the mesh's units to metres, for column vectors, shape (3, 3).
        """
        points = self.points @ linear.T
        if rule == "shell":
            return surface_mass(1.0, points, self.faces)
        if rule == "convex":
            corners, faces = self.convex()
            return mesh_mass(1.0, corners @ linear.T, faces)
        return mesh_mass(1.0, points, self.faces, signed=rule == "exact")

    def moved(self, linear: Array, pos: Array) -> Mesh:
        """The mesh in another frame, wound as before: column vectors become linear x + pos."""
        faces = self.faces[:, ::-1] if np.linalg.det(linear) < 0.0 else self.faces
        points = self.points @ linear.T + pos
        return Mesh(points, faces, _content(points, faces))

    def convex(self) -> tuple[Array, Faces]:
        """The convex hull; of flat meshes there is none, and the triangles come back."""
        if self.hull is None:
            try:
                self.hull = convex_hull(self.points)
            except UsdsimError:
                self.hull = (self.points, self.faces)
        return self.hull

    def decomposed(self, max_hulls: int) -> list[tuple[Array, Faces]]:
        """Convex parts, so many at most; its own pieces, where all are convex solids."""
        if max_hulls not in self.parts:
            pieces = self._pieces()
            self.parts[max_hulls] = (
                [(piece.points, piece.faces) for piece in pieces]
                if len(pieces) <= max_hulls and _are_convex_solids(pieces)
                else meshes.decompose(self.points, self.faces, max_hulls=max_hulls)
            )
        return self.parts[max_hulls]

    def is_flat(self) -> bool:
        """Whether all points lie in a plane."""
        if self._flat is None:
            self._flat = is_flat(self.points)
        return self._flat

    def is_convex(self) -> bool:
        """Whether the hull adds nothing."""
        if self._bends_outwards():
            return True
        if not self.is_closed():
            return False
        solid = self.solid().mass
        if inner_hull_volume(self.points) > (1.0 + 1e-3) * solid:
            return False
        # Solids within each other count twice, and may be more than their hull.
        return abs(self.hull_solid().mass - solid) <= 1e-3 * solid

    def _bends_outwards(self) -> bool:
        """Whether it is its own hull, as far as its edges tell."""
        if self._outwards is None:
            faces = self._joined()
            self._outwards = has_convex_edges(self.points, faces, self._twins())
        return self._outwards

    def surface(self, linear: Array, most: float = np.inf) -> Surface:
        """Surface of the triangles, in metres: what they are in front of.

        Args:
            linear: from the mesh's units to metres, for column vectors, shape (3, 3).
            most: solids from which on they are of no use; the same for all calls.
        """
        key = np.round(linear, 12).tobytes()
        if key not in self._surfaces:
            self._surfaces[key] = take_apart(self.moved(linear, np.zeros(3))._pieces(), most)
        return self._surfaces[key]

    def _pieces(self) -> list[Mesh]:
        """Components by shared indices, or by equal points where indices are not shared."""
        parts = self.components(welded=False)
        return self.components() if FEWEST_FACES * len(parts) > len(self.faces) else parts

    def components(self, *, welded: bool = True) -> list[Mesh]:
        """The mesh taken apart where its triangles do not touch.

        Args:
            welded: triangles touch where points are equal; otherwise where they share indices.
        """
        joined = self._joined() if welded else self.faces.astype(np.int64)
        links = np.hstack([joined[:, :2].T, joined[:, 1:].T])
        owner = connected(int(joined.max(initial=0)) + 1, links)[joined[:, 0]]
        order = np.argsort(owner, kind="stable")
        labels, counts = np.unique(owner, return_counts=True)
        piece = np.repeat(np.arange(len(labels)), counts)[:, None]
        used, corners = np.unique(piece * len(self.points) + self.faces[order], return_inverse=True)
        above, place = np.divmod(used, len(self.points))
        points, faces = self.points[place], corners.reshape(-1, 3)
        convex: Sequence[bool | None] = [None]
        if len(labels) > 1:
            convex = are_convex(points, faces, above).tolist()
        starts = np.searchsorted(above, np.arange(len(labels) + 1))
        faces = (faces - starts[piece]).astype(np.int32)
        ends = np.cumsum(counts)
        return [
            Mesh(
                points[starts[i] : starts[i + 1]],
                faces[ends[i] - counts[i] : ends[i]],
                hash((self.digest, label)),
                _outwards=convex[i],
            )
            for i, label in enumerate(labels.tolist())
        ]

    def _joined(self) -> NDArray[np.int64]:
        """Triangles by points that differ."""
        if self._welded is None:
            first, place = weld(self.points)
            self._welded = first[place][self.faces]
        return self._welded

    def _twins(self) -> NDArray[np.int64]:
        """The reversed edge of each edge, see `twin_edges`."""
        if self._twin is None:
            self._twin = twin_edges(self._joined())
        return self._twin

    def is_closed(self) -> bool:
        """Whether every edge belongs to two triangles, of points that single precision tells apart.

        Where it is only so if points are joined that are nearly equal, such as the poles of a
        turned profile, they are joined for good. Triangles that show their backs to the outside
        while their neighbours do not are turned for good.
        """
        if self._closed is None:
            twin = self._twins()
            self._closed = bool(len(twin)) and bool(twin.min() >= 0 or _has_pairs(self._joined()))
            if not self._closed and len(self.points):
                step = SINGLE * max(float(np.ptp(self.points, axis=0).max()), 1e-300)
                first, place = weld(np.round(self.points / step))
                nearly = first[place][self.faces]
                self._closed = _has_pairs(nearly)
                if self._closed:
                    self._welded, self._twin = nearly, None
            if self._closed and self._twins().min() < 0:
                turn = turned(self._joined())[:, None]
                self.faces = np.where(turn, self.faces[:, ::-1], self.faces)
                self._welded = np.where(turn, self._joined()[:, ::-1], self._joined())
                self._twin = None
                self._closed = is_wound_alike(self._joined())
        return self._closed


def _has_pairs(faces: NDArray[np.int64]) -> bool:
    """Whether every edge of triangles belongs to an even number of them."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    numbers = edges[:, 0] * (int(faces.max(initial=0)) + 1) + edges[:, 1]
    _, counts = np.unique(numbers, return_counts=True)
    return bool(len(counts)) and bool((counts % 2 == 0).all())


def _are_convex_solids(pieces: Sequence[Mesh]) -> bool:
    """Whether each piece is closed and convex, and none is the wall of a hollow in another."""
    if not all(piece._bends_outwards() for piece in pieces):
        return False
    sides = {bool(np.linalg.det(piece.points[piece.faces]).sum() > 0.0) for piece in pieces}
    return len(sides) == 1


def joined(parts: Sequence[Mesh]) -> Mesh:
    """Several meshes of one frame as one."""
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    points = np.vstack([part.points for part in parts])
    faces = np.vstack([part.faces + start for part, start in zip(parts, starts, strict=False)])
    return Mesh(points, faces.astype(np.int32), hash(tuple(part.digest for part in parts)))


class MeshLibrary:
    """Meshes by content: equal ones are read, measured and described once.

    Attributes:
        found: descriptions by key.
        fields: height fields by key.
    """

    def __init__(self, context: ParseContext):
        self._context = context
        self.found: dict[str, MeshDescription] = {}
        self.fields: dict[str, HeightFieldDescription] = {}
        self._by_prim: dict[str, Mesh | None] = {}
        self._by_content: dict[int, Mesh] = {}
        self._by_source: dict[int, Mesh] = {}
        self._keys: dict[tuple[int, bytes, int | None], str] = {}

    def read(self, view: PrimView) -> Mesh | None:
        """Triangles of a mesh prim; None if it has none, which is reported."""
        prim = view.prim
        source = prim.GetPrimInPrototype().GetPath() if prim.IsInstanceProxy() else prim.GetPath()
        key = str(source)
        if key not in self._by_prim:
            self._by_prim[key] = self._load(view)
        return self._by_prim[key]

    def add(
        self,
        path: str,
        points: Array,
        faces: Sequence[Sequence[int]] | Faces,
        *,
        linear: Array,
        digest: int | None = None,
        part: str = "",
        max_vertices: int | None = None,
    ) -> str:
        """Describe triangles after a linear map, and return the key.

        Args:
            path: prim path of the first user.
            points: in the prim's units, shape (n, 3).
            faces: shape (m, 3).
            linear: from prim units to metres, for column vectors, shape (3, 3).
            digest: identifies the content; None: the points and triangles do.
            part: which of the prim's several shapes this is, for the key.
            max_vertices: corners the convex hull may have.
        """
        triangles = np.ascontiguousarray(np.asarray(faces, dtype=np.int32))
        if digest is None:
            digest = _content(points, triangles)
        identity = (digest, np.round(linear, 12).tobytes(), max_vertices)
        key = self._keys.get(identity)
        if key is not None:
            return key
        if np.linalg.det(linear) < 0.0:
            triangles = triangles[:, ::-1].copy()
        key = self._keys[identity] = path + part
        overrides = {} if max_vertices is None else {"maxhullvert": max_vertices}
        self.found[key] = MeshDescription(
            path=key, points=points @ linear.T, faces=triangles, overrides=overrides
        )
        return key

    def add_field(self, key: str, elevation: Array, half_extents: Array, base: float) -> str:
        """Describe a height field, and return the key.

        Args:
            key: what to call it.
            elevation: above the lowest node [m], shape (rows along y, columns along x).
            half_extents: along x and y [m], shape (2,).
            base: depth below the lowest node [m].
        """
        height = float(elevation.max())
        self.fields[key] = HeightFieldDescription(
            path=key, elevation=elevation / height, size=np.array([*half_extents, height, base])
        )
        return key

    def _load(self, view: PrimView) -> Mesh | None:
        points = view.array("points", 3)
        counts = view.value("faceVertexCounts")
        indices = view.value("faceVertexIndices")
        if points is None and view.raw("points") is not None:
            return None  # Reported as not a number.
        if points is None or counts is None or indices is None or 0 in (len(points), len(counts)):
            self._context.report.repaired(
                "degenerate-mesh", view.path,
                "has no faces: left out; a collider needs points and faces",
            )  # fmt: skip
            return None
        if points.ndim != 2 or points.shape[1] != 3:
            view.invalid("points", f"of shape {points.shape}", "an array of 3 numbers per point")
            return None
        if not np.isfinite(points).all():
            view.invalid("points", "not finite", "finite numbers", code="not-a-number")
            return None
        left = view.value("orientation", "rightHanded") == "leftHanded"
        polygons = [np.asarray(v) for v in (counts, indices, view.value("holeIndices", ()))]
        source = hash((left, points.tobytes(), *(array.tobytes() for array in polygons)))
        if source in self._by_source:
            return self._by_source[source]
        try:
            faces = meshes.triangulate(*polygons, left_handed=left)
        except (UsdsimError, TypeError, ValueError) as error:
            self._refuse(view, f"is not a valid mesh: {error}")
            return None
        if len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
            wrong = faces.min() if faces.min() < 0 else faces.max()
            self._refuse(view, f"uses point {wrong}, but has points 0 to {len(points) - 1} only")
            return None
        digest = _content(points, faces)
        if digest not in self._by_content:
            self._by_content[digest] = Mesh(points, faces.astype(np.int32), digest)
        self._by_source[source] = self._by_content[digest]
        return self._by_source[source]

    def _refuse(self, view: PrimView, message: str) -> None:
        self._context.report.error("invalid-mesh", view.path, message)
