"""Soft bodies, cables and tendons as drawable meshes and capsules that follow each frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_arrays import element_corners
from usdsim.math.rotations import quat_along
from usdsim.math.transforms import IDENTITY_POSE

from .parts import HIGHEST_GROUP, UNPAINTED, Parts, SurfaceMesh

__all__ = ["Capsules", "SoftParts"]

Array = NDArray[np.float64]

_CAPSULE, _MESH = int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_MESH)
_PULLEY = -2


@dataclass(frozen=True, eq=False)
class Capsules:
    """Pieces of cables and tendons among the parts, and between which points they are. C pieces."""

    parts: NDArray[np.intp]
    """Indices among the parts, shape (C,)."""
    radii: Array
    """Half of the width of each [m], shape (C,)."""
    pairs: NDArray[np.intp]
    """Vertices at the ends of pieces of cables, which come first, shape (cables, 2)."""
    tendons: NDArray[np.intp]
    """Tendons of the other pieces, shape (C - cables,)."""
    ordinals: NDArray[np.intp]
    """Numbers of the pieces within their tendons, shape (C - cables,)."""

    def of(self, rows: NDArray[np.bool_]) -> Capsules:
        """Selection of these parts."""
        cables = len(self.pairs)
        strings = rows[cables:]
        return Capsules(
            self.parts[rows],
            self.radii[rows],
            self.pairs[rows[:cables]],
            self.tendons[strings],
            self.ordinals[strings],
        )

    def ends(self, read: Callable[[str], NDArray[np.generic]]) -> Array:
        """Ends of all pieces in world [m], the same twice where there is none, shape (W, C, 2, 3).

        Args:
            read: fields of the engine's data in W worlds, by their names.
        """
        found = [np.asarray(read("flexvert_xpos"), np.float64)[:, self.pairs]]
        if len(self.tendons):
            found.append(self._strings(read))
        return np.concatenate(found, axis=1)

    def _strings(self, read: Callable[[str], NDArray[np.generic]]) -> Array:
        first, count = (
            np.asarray(read(f"ten_wrap{name}"), np.intp)[:, self.tendons] for name in ("adr", "num")
        )
        worlds = len(first)
        points = np.asarray(read("wrap_xpos"), np.float64).reshape(worlds, -1, 3)
        kinds = np.asarray(read("wrap_obj")).reshape(worlds, -1)
        at = first + np.minimum(self.ordinals, np.maximum(count - 2, 0))
        after = np.minimum(at + 1, points.shape[1] - 1)
        world = np.arange(worlds)[:, None]
        joined = (self.ordinals < count - 1) & (kinds[world, at] != _PULLEY)
        joined &= kinds[world, after] != _PULLEY
        begin = points[world, at]
        end = np.where(joined[..., None], points[world, after], begin)
        return np.stack([begin, end], axis=2)


class SoftParts:
    """Deformable parts: what has no fixed shape or place on a body.

    Args:
        model: the engine's model of what is seen.
        names: of its flexes and tendons, by kind.
    """

    def __init__(self, model: mujoco.MjModel, names: dict[str, list[str]]):
        self._model, self._names = model, names
        shown = np.flatnonzero(model.flex_group <= HIGHEST_GROUP)
        self._surfaces = [int(i) for i in shown if model.flex_dim[i] > 1]
        self._cables = [int(i) for i in shown if model.flex_dim[i] == 1]
        self._tendons = [
            int(i)
            for i in np.flatnonzero(model.tendon_group <= HIGHEST_GROUP)
            if model.tendon_rgba[i, 3] > 0.0
        ]
        # A wrapped object counts twice, and the string between its points is one more.
        self._strings = [2 * int(model.tendon_num[i]) for i in self._tendons]
        links = [int(model.flex_elemnum[i]) for i in self._cables]
        self._owners = [("flex", i) for i in (*self._surfaces, *self._cables)]
        self._owners += [("tendon", i) for i in self._tendons]
        self._counts = [*[1] * len(self._surfaces), *links, *self._strings]

    def __len__(self) -> int:
        """Number of parts it adds."""
        return sum(self._counts)

    def among(self, parts: Parts) -> NDArray[np.bool_]:
        """Mask of the parts that are these, after `added_to`, shape (S,)."""
        return np.arange(len(parts.kind)) >= self._first

    def added_to(self, parts: Parts) -> Parts:
        """Parts with these behind them; where they are is said by `place`."""
        count = len(self)
        self._first, self._first_mesh = len(parts.kind), len(parts.meshes)
        self.pieces = self._find_pieces()
        """Pieces of cables and tendons."""
        if not count:
            return parts
        surfaces = len(self._surfaces)
        kind, mesh = np.full(count, _CAPSULE), np.full(count, -1)
        kind[:surfaces], mesh[:surfaces] = _MESH, self._first_mesh + np.arange(surfaces)
        paths, colours, materials = (
            np.repeat([of(kind, i) for kind, i in self._owners], self._counts, axis=0)
            for of in (lambda kind, i: self._names[kind][i], self._colour, self._material)
        )
        extended = parts.extended(
            paths.tolist(),
            kind=kind,
            local=IDENTITY_POSE,
            size=1e-6,
            rgba=colours,
            mesh=mesh,
            material=materials,
        )
        meshes = (*parts.meshes, *(self._mesh(i) for i in self._surfaces))
        return replace(extended, meshes=meshes)

    @property
    def surfaces(self) -> dict[int, int]:
        """Flexes of the engine that are meshes of the parts, by the index of the mesh."""
        return {self._first_mesh + k: flex for k, flex in enumerate(self._surfaces)}

    def meshes(self, data: mujoco.MjData) -> Iterator[tuple[int, Array]]:
        """Meshes of the parts and their vertices in world [m], shape (n, 3) each."""
        model = self._model
        for mesh, flex in self.surfaces.items():
            start = int(model.flex_vertadr[flex])
            points = data.flexvert_xpos[start : start + int(model.flex_vertnum[flex])]
            yield mesh, np.array(points)

    def _find_pieces(self) -> Capsules:
        model = self._model
        pairs: list[NDArray[np.integer]] = [np.zeros((0, 2), np.intp)]
        radii: list[float] = []
        for flex in self._cables:
            pairs.append(int(model.flex_vertadr[flex]) + element_corners(model, flex))
            radii += [float(model.flex_radius[flex])] * len(pairs[-1])
        for tendon, room in zip(self._tendons, self._strings, strict=True):
            radii += [float(model.tendon_width[tendon])] * room
        begin = self._first + len(self._surfaces)
        return Capsules(
            begin + np.arange(len(radii)),
            np.array(radii),
            np.concatenate(pairs).astype(np.intp),
            np.repeat(self._tendons, self._strings).astype(np.intp),
            np.concatenate([np.zeros(0), *map(np.arange, self._strings)]).astype(np.intp),
        )

    def capsules(self, data: mujoco.MjData) -> tuple[slice, Array, Array, Array] | None:
        """Capsules among the parts, and their positions, orientations xyzw and sizes in world."""
        pieces = self.pieces
        if not len(pieces.parts):
            return None
        first, last = pieces.ends(lambda field: getattr(data, field)[None])[0].transpose(1, 0, 2)
        along = last - first
        length = np.linalg.norm(along, axis=1)
        width = np.where(length > 0.0, pieces.radii, 0.0)
        size = np.stack([width, length / 2.0, width], axis=1)
        begin = int(pieces.parts[0])
        return slice(begin, begin + len(size)), (first + last) / 2.0, quat_along(along), size

    def _colour(self, kind: str, index: int) -> Array:
        rgba = getattr(self._model, f"{kind}_rgba")[index].astype(np.float64)
        material = self._material(kind, index)
        if material >= 0 and np.allclose(rgba, UNPAINTED):
            rgba = self._model.mat_rgba[material].astype(np.float64)
        return rgba

    def _material(self, kind: str, index: int) -> int:
        return int(getattr(self._model, f"{kind}_matid")[index])

    def _mesh(self, flex: int) -> SurfaceMesh:
        model = self._model
        if model.flex_dim[flex] == 2:
            faces = element_corners(model, flex)
        else:
            start, count = int(model.flex_shelldataadr[flex]), int(model.flex_shellnum[flex])
            faces = model.flex_shell[start : start + 3 * count].reshape(-1, 3)
        vertices = int(model.flex_vertnum[flex])
        return SurfaceMesh(
            np.zeros((vertices, 3), np.float32),
            np.ascontiguousarray(faces, np.int32),
            two_sided=True,
        )
