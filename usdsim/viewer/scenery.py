"""Scenery of a view: drawable parts as instanced meshes on the page, one per body and colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply
from usdsim.render import DrawableScene
from usdsim.render.decimation import decimated
from usdsim.render.tessellation import part_triangles

__all__ = ["Scenery"]

Array = NDArray[np.float64]

_FLAT = (0, 6)
"""Planes and boxes have edges."""
_STILL = 1e-6
"""Motion below which nothing is sent again [m], of quaternions half of it."""
GHOST = 0.25
"""Opacity of worlds that are shown besides the watched one."""


class _ColourGroup:
    """Parts of one body and colour as one mesh in the body's frame."""

    def __init__(self, frame: int, points: Array, faces: Any, options: dict[str, Any]):
        self.frame, self.points, self.faces, self.options = frame, points, faces, options
        self.handle: Any = None
        self.sent: Array | None = None


class Scenery:
    """All that is seen of some worlds, on a page.

    Args:
        api: the page's scene.
        scene: what is drawn.
        triangles: of all meshes together, at most; more are decimated.
        picked: called with the frame of what is clicked, or None for what is fixed to the world.
        dragged: called with the frame and each event of a drag with the control key held.
    """

    def __init__(
        self,
        api: Any,
        scene: DrawableScene,
        triangles: int,
        picked: Callable[[int], None],
        dragged: Callable[[int, Any], None],
    ):
        self._api, self._scene, self._picked, self._dragged = api, scene, picked, dragged
        self._groups = list(_groups(scene, triangles))
        self._strings: Any = None
        self._soft: dict[int, Any] = {}

    def show(self, poses: Array, offsets: Array, opacity: float = GHOST) -> None:
        """Draw worlds, the first as it is and the others as ghosts.

        Args:
            poses: of frames, position [m] and wxyz, shape (worlds, frames, 7).
            offsets: of the worlds [m], shape (worlds, 3).
            opacity: of the others.
        """
        with self._api_atomic():
            for number, group in enumerate(self._groups):
                if group.handle is not None:
                    group.handle.remove()
                own = self._own(group, poses, offsets)
                group.handle = self._api.add_batched_meshes_simple(
                    f"/parts/{number}",
                    group.points.astype(np.float32),
                    group.faces.astype(np.uint32),
                    batched_wxyzs=own[:, 3:],
                    batched_positions=own[:, :3],
                    batched_opacities=np.where(np.arange(len(own)) > 0, opacity, 1.0),
                    lod="off",
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
                group.handle.opacity = min(opacity, group.options.get("opacity") or 1.0)

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
        if frame > 0:
            group.handle.on_drag("left", modifier="cmd/ctrl")(lambda e: self._dragged(frame, e))

    def _add_soft(self, mesh: int) -> Any:
        parts = self._scene.parts
        index = int(np.flatnonzero(parts.mesh == mesh)[0])
        surface = parts.meshes[mesh]
        return self._api.add_mesh_simple(
            f"/soft/{mesh}", surface.points, surface.faces.astype(np.uint32), side="double",
            color=_colour(parts.rgba[index]),
        )  # fmt: skip


def _groups(scene: DrawableScene, triangles: int) -> Sequence[_ColourGroup]:
    parts = scene.parts
    total = sum(len(parts.meshes[m].faces) for m in parts.mesh[parts.mesh >= 0])
    share = min(1.0, triangles / max(total, 1))
    changing = range(*scene.strings.indices(len(parts.kind)))
    soft = {mesh for mesh, _ in scene.soft_points()}
    found: dict[Any, list[tuple[Array, Any]]] = {}
    for index in range(len(parts.kind)):
        mesh = int(parts.mesh[index])
        if index in changing or mesh in soft:
            continue
        points, faces = part_triangles(parts, index)
        if share < 1.0 and mesh >= 0:
            points, faces = decimated(points, faces, max(round(share * len(faces)), 12))
        local = parts.local[index]
        both = mesh >= 0 and parts.meshes[mesh].two_sided
        key = (int(parts.frame[index]), _colour(parts.rgba[index]), float(parts.rgba[index, 3]),
               int(parts.kind[index]) in _FLAT, both)  # fmt: skip
        found.setdefault(key, []).append((quat_apply(local[3:], points) + local[:3], faces))
    return [_joined(key, meshes) for key, meshes in found.items()]


def _joined(key: Any, meshes: list[tuple[Array, Any]]) -> _ColourGroup:
    frame, colour, alpha, flat, both = key
    first = np.cumsum([0, *(len(points) for points, _ in meshes)])
    faces = [faces + start for (_, faces), start in zip(meshes, first, strict=False)]
    options = {
        "batched_colors": colour,
        "opacity": None if alpha >= 1.0 else alpha,
        "flat_shading": flat,
        "side": "double" if both else "front",
    }
    return _ColourGroup(
        frame, np.concatenate([points for points, _ in meshes]), np.concatenate(faces), options
    )


def _colour(rgba: Array) -> tuple[int, int, int]:
    red, green, blue = (rgba[:3].clip(0.0, 1.0) * 255.0).round().astype(int).tolist()
    return red, green, blue
