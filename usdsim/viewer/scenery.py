"""Scenery of a view: drawable parts as instanced meshes on the page, one per body and colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply
from usdsim.render import DrawableScene
from usdsim.render.decimation import decimated
from usdsim.render.parts import Parts
from usdsim.render.tessellation import part_triangles

__all__ = ["PageParts", "Scenery"]

Array = NDArray[np.float64]

_FLAT = (0, 6)
"""Planes and boxes have edges."""
_STILL = 1e-6
"""Motion below which nothing is sent again [m], of quaternions half of it."""
GHOST = 0.25
"""Opacity of worlds that are shown besides the watched one."""


@dataclass(frozen=True, eq=False)
class PageParts:
    """Parts that a page shows, and to which of its frames they are fixed."""

    parts: Parts
    """Their shapes."""
    frame: NDArray[np.integer]
    """Frames of poses, 0: the world, shape (S,)."""
    changing: NDArray[np.bool_]
    """Whether a part is drawn by others, as its shape changes, shape (S,)."""


class _ColourGroup:
    """Parts of one body and colour as one mesh in the body's frame."""

    def __init__(self, frame: int, points: Array, faces: Any, options: dict[str, Any], rgba: Array):
        self.frame, self.points, self.faces, self.options = frame, points, faces, options
        self.rgba = rgba
        self.handle: Any = None
        self.sent: Array | None = None

    @property
    def alpha(self) -> float | None:
        """Opacity that all worlds have; None: it differs, or there is nothing to see through."""
        alphas = self.rgba[:, 3]
        return float(alphas[0]) if alphas[0] < 1.0 and (alphas == alphas[0]).all() else None

    def looks(self, opacity: float) -> dict[str, Any]:
        """Colours and opacities of the worlds, of all but the first with a factor."""
        colours = (self.rgba[:, :3].clip(0.0, 1.0) * 255.0).round().astype(np.uint8)
        alphas = np.ones(len(colours)) if self.alpha is not None else self.rgba[:, 3].clip(0.0, 1.0)
        return {
            "batched_colors": colours,
            "batched_opacities": alphas * np.where(np.arange(len(colours)) > 0, opacity, 1.0),
            "opacity": self.alpha,
        }


class Scenery:
    """All that is seen of some worlds, on a page.

    Args:
        api: the page's scene.
        scene: what is drawn of the watched world.
        shown: parts of all worlds.
        triangles: of all meshes together, at most; more are decimated.
        picked: called with the frame of what is clicked, or None for what is fixed to the world.
        dragged: called with the frame and each event of a drag with the control key held.
    """

    def __init__(
        self,
        api: Any,
        scene: DrawableScene,
        shown: PageParts,
        triangles: int,
        picked: Callable[[int], None],
        dragged: Callable[[int, Any], None],
    ):
        self._api, self._scene, self._picked, self._dragged = api, scene, picked, dragged
        self._shown, self._meshes = shown, list(_triangles(shown, triangles))
        self._groups: list[_ColourGroup] = []
        self._strings: Any = None
        self._soft: dict[int, Any] = {}

    def show(self, poses: Array, offsets: Array, rgba: Array, opacity: float = GHOST) -> None:
        """Draw worlds, the first as it is and the others as ghosts.

        Args:
            poses: of frames, position [m] and wxyz, shape (worlds, frames, 7).
            offsets: of the worlds [m], shape (worlds, 3).
            rgba: colours of the parts in each world, shape (worlds, S, 4).
            opacity: of the others.
        """
        with self._api_atomic():
            for group in self._groups:
                group.handle.remove()
            self._groups = [*_groups(self._shown, self._meshes, rgba)]
            for number, group in enumerate(self._groups):
                own = self._own(group, poses, offsets)
                group.handle = self._api.add_batched_meshes_simple(
                    f"/parts/{number}",
                    group.points.astype(np.float32),
                    group.faces.astype(np.uint32),
                    batched_wxyzs=own[:, 3:],
                    batched_positions=own[:, :3],
                    lod="off",
                    **group.looks(opacity),
                    **group.options,
                )
                group.sent = own
                self._listen(group)

    def follow(self, poses: Array, offsets: Array) -> None:
        """Move what moved, with the arguments of `show`."""
        with self._api_atomic():
            for group in self._groups:
                if group.frame == 0:
                    continue
                own = self._own(group, poses, offsets)
                if group.sent is not None and np.abs(own - group.sent).max() < _STILL:
                    continue
                group.sent = own
                group.handle.batched_positions = own[:, :3]
                group.handle.batched_wxyzs = own[:, 3:]

    def fade(self, opacity: float) -> None:
        """Choose the opacity of what moves."""
        for group in self._groups:
            if group.frame > 0:
                group.handle.opacity = min(opacity, group.alpha or 1.0)

    def follow_soft(self) -> None:
        """Move cables, tendons and soft bodies of the drawn scene."""
        scene = self._scene
        for mesh, points in scene.soft_points():
            if mesh not in self._soft:
                self._soft[mesh] = self._add_soft(mesh)
            self._soft[mesh].vertices = points.astype(np.float32)

    def remove(self) -> None:
        """Take everything from the page."""
        for handle in (*(group.handle for group in self._groups), *self._soft.values()):
            handle.remove()

    # -- inside --------------------------------------------------------------------------------

    def _api_atomic(self) -> Any:
        return self._api._owner.atomic()

    def _own(self, group: _ColourGroup, poses: Array, offsets: Array) -> Array:
        """Poses of a group in each world, shape (n, 7); of what is fixed to the world, one."""
        if group.frame == 0:
            return poses[:1, 0]
        own = poses[:, group.frame].copy()
        own[:, :3] += offsets
        return own

    def _listen(self, group: _ColourGroup) -> None:
        frame = group.frame
        group.handle.on_click(lambda _: self._picked(frame))
        if 0 < frame < self._scene.model.nbody:
            group.handle.on_drag("left", modifier="cmd/ctrl")(lambda e: self._dragged(frame, e))

    def _add_soft(self, mesh: int) -> Any:
        parts = self._scene.parts
        index = int(np.flatnonzero(parts.mesh == mesh)[0])
        surface = parts.meshes[mesh]
        return self._api.add_mesh_simple(
            f"/soft/{mesh}", surface.points, surface.faces.astype(np.uint32), side="double",
            color=_colour(parts.flat_rgba[index]),
        )  # fmt: skip


def _triangles(shown: PageParts, triangles: int) -> Iterator[tuple[int, Array, Any]]:
    """Parts that keep their shapes, and their triangles in the frames they are fixed to."""
    parts = shown.parts
    total = sum(len(parts.meshes[m].faces) for m in parts.mesh[parts.mesh >= 0])
    share = min(1.0, triangles / max(total, 1))
    for index in np.flatnonzero(~shown.changing).tolist():
        points, faces = part_triangles(parts, index)
        if share < 1.0 and parts.mesh[index] >= 0:
            points, faces = decimated(points, faces, max(round(share * len(faces)), 12))
        local = parts.local[index]
        yield index, quat_apply(local[3:], points) + local[:3], faces


def _groups(
    shown: PageParts, meshes: Sequence[tuple[int, Array, Any]], rgba: Array
) -> Iterator[_ColourGroup]:
    """Parts of one frame that look alike in all worlds, without those that none of them shows."""
    found: dict[Any, list[tuple[int, Array, Any]]] = {}
    for item in meshes:
        index = item[0]
        frame = int(shown.frame[index])
        looks = rgba[:, index] if frame else rgba[:1, index]
        if looks[:, 3].any():
            flat = int(shown.parts.kind[index]) in _FLAT
            found.setdefault((frame, flat, looks.tobytes()), []).append(item)
    for (frame, flat, _), items in found.items():
        first = np.cumsum([0, *(len(points) for _, points, _ in items)])
        faces = [faces + start for (_, _, faces), start in zip(items, first, strict=False)]
        options = {"flat_shading": flat, "side": "front"}
        index = items[0][0]
        yield _ColourGroup(
            frame,
            np.concatenate([points for _, points, _ in items]),
            np.concatenate(faces),
            options,
            rgba[:, index] if frame else rgba[:1, index],
        )


def _colour(rgba: Array) -> tuple[int, int, int]:
    red, green, blue = (rgba[:3].clip(0.0, 1.0) * 255.0).round().astype(int).tolist()
    return red, green, blue
