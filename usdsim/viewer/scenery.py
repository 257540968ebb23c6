"""Scenery of a view: drawable parts as instanced meshes on the page, one for bodies of a shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply
from usdsim.render import DrawableScene
from usdsim.render.parts import Parts
from usdsim.render.tessellation import decimated, part_triangles

from .pictured import has_picture, picture_glb
from .serving import colour_bytes, move_instances

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


class _Instanced:
    """One mesh in the frames of the bodies that have it, in each world.

    Attributes:
        frames: of the bodies, shape (k,).
        rows: of these bodies among all that move.
        rgba: colours, of each body in each world, shape (k, n, 4).
    """

    def __init__(self, points: NDArray[np.float32], faces: Any, flat: bool):
        self.points, self.faces = points, faces
        self.options = {"flat_shading": flat, "side": "front"}
        self.frames: list[int] = []
        self.rows = slice(0)
        self.rgba: Array = np.zeros((0, 0, 4))
        self.handle: Any = None

    def add(self, frame: int, rgba: Array) -> None:
        """Add a body, with colours in the worlds, shape (n, 4)."""
        self.frames.append(frame)
        self.rgba = np.concatenate([self.rgba.reshape(-1, *rgba.shape), rgba[None]])

    @property
    def alpha(self) -> float | None:
        """Opacity that all instances have; None: it differs, or there is nothing to see through."""
        alphas = self.rgba[..., 3].ravel()
        return float(alphas[0]) if alphas[0] < 1.0 and (alphas == alphas[0]).all() else None

    def looks(self, opacity: float) -> dict[str, Any]:
        """Colours and opacities of the instances, of all worlds but the first with a factor."""
        alphas = self.rgba[..., 3].clip(0.0, 1.0)
        if self.alpha is not None:
            alphas = np.ones_like(alphas)
        alphas[:, 1:] *= opacity
        return {
            "batched_colors": colour_bytes(self.rgba[..., :3]).reshape(-1, 3),
            "batched_opacities": alphas.ravel(),
            "opacity": self.alpha,
        }

    def draw(self, api: Any, name: str, poses: NDArray[np.float32], opacity: float) -> None:
        """Put it on a page, with poses of its instances, position [m] and wxyz, shape (n, 7)."""
        self.handle = api.add_batched_meshes_simple(
            name,
            self.points,
            self.faces.astype(np.uint32),
            batched_wxyzs=poses[:, 3:],
            batched_positions=poses[:, :3],
            lod="off",
            **self.looks(opacity),
            **self.options,
        )

    def fade(self, opacity: float) -> None:
        """Choose the opacity of all instances."""
        self.handle.opacity = min(opacity, self.alpha or 1.0)


class _Pictured(_Instanced):
    """One mesh with a texture, which has no other colours and hides what is behind it."""

    def __init__(self, glb: bytes):
        super().__init__(np.zeros((0, 3), np.float32), np.zeros((0, 3)), False)
        self._glb = glb

    def draw(self, api: Any, name: str, poses: NDArray[np.float32], opacity: float) -> None:
        """See `_Instanced.draw`."""
        self.handle = api.add_batched_glb(
            name, self._glb, batched_wxyzs=poses[:, 3:], batched_positions=poses[:, :3], lod="off"
        )

    def fade(self, opacity: float) -> None:
        """Stay as it is."""


class Scenery:
    """All that is seen of some worlds, on a page.

    Args:
        api: the page's scene.
        scene: what is drawn of the watched world.
        shown: parts of all worlds.
        triangles: of all meshes together, at most; more are decimated.
        picked: called with the frame of what is clicked, 0 for what is fixed to the world.
        dragged: called with the frame and each event of a drag with the control key held, in the
            first world.
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
        self._budget = triangles
        self.become(shown)
        self._groups: list[_Instanced] = []
        self._moving: list[_Instanced] = []
        self._frames: list[int] = []
        self._sent = np.zeros((0, 0, 7), np.float32)
        self._soft: dict[int, Any] = {}
        self._plain = False
        self._drawn: tuple[Array, Array, Array, float] | None = None

    @property
    def num_triangles(self) -> int:
        """Number of triangles of what moves in a world."""
        return sum(len(faces) for index, _, faces in self._meshes if self._shown.frame[index] > 0)

    def become(self, shown: PageParts) -> None:
        """Replace the parts by others, which `show` draws."""
        self._shown, self._meshes = shown, list(_triangles(shown, self._budget))

    def show(self, poses: Array, offsets: Array, rgba: Array, opacity: float = GHOST) -> None:
        """Draw worlds, the first as it is and the others as ghosts.

        Textures are drawn where nothing has to be seen through, else their mean colours.

        Args:
            poses: of frames, position [m] and wxyz, shape (worlds, frames, 7).
            offsets: of the worlds [m], shape (worlds, 3).
            rgba: colours of the parts in each world, shape (worlds, S, 4).
            opacity: of the others.
        """
        self._drawn = poses, offsets, rgba, opacity
        solid = not self._plain and (opacity == 1.0 or len(poses) == 1)
        with self._api_atomic():
            for group in self._groups:
                group.handle.remove()
            self._groups = list(_instanced(self._shown, self._meshes, rgba, solid))
            self._moving = [group for group in self._groups if group.frames[0] > 0]
            self._frames = []
            for group in self._moving:
                group.rows = slice(len(self._frames), len(self._frames) + len(group.frames))
                self._frames += group.frames
            self._sent = self._instances(poses, offsets)
            fixed = poses[:1, 0].astype(np.float32)
            for number, group in enumerate(self._groups):
                own = self._sent[group.rows].reshape(-1, 7) if group in self._moving else fixed
                group.draw(self._api, f"/parts/{number}", own, opacity)
                self._listen(group)

    def follow(self, poses: Array, offsets: Array) -> None:
        """Move what moved, with the arguments of `show`."""
        own = self._instances(poses, offsets)
        moved = np.abs(own - self._sent).max(axis=(1, 2)) >= _STILL
        with self._api_atomic():
            for group in self._moving:
                if moved[group.rows].any():
                    self._sent[group.rows] = own[group.rows]
                    move_instances(group.handle, own[group.rows].reshape(-1, 7))

    def fade(self, opacity: float) -> None:
        """Choose the opacity of what moves."""
        if self._plain != (opacity < 1.0) and self._drawn is not None:
            self._plain = opacity < 1.0
            if any(has_picture(self._shown.parts, index) for index, *_ in self._meshes):
                self.show(*self._drawn)
        for group in self._moving:
            group.fade(opacity)

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

    def _instances(self, poses: Array, offsets: Array) -> NDArray[np.float32]:
        """Poses of bodies in the worlds, those of a group one after the other."""
        own = poses[:, self._frames]
        own[..., :3] += offsets[:, None]
        return own.swapaxes(0, 1).astype(np.float32)

    def _api_atomic(self) -> Any:
        return self._api._owner.atomic()

    def _listen(self, group: _Instanced) -> None:
        """Tell of clicks and drags; instances of a body's worlds follow each other."""
        worlds = group.rgba.shape[1]

        def clicked(event: Any) -> None:
            self._picked(group.frames[(event.instance_index or 0) // worlds])

        def dragged(event: Any) -> None:
            body, world = divmod(event.instance_index or 0, worlds)
            if world == 0 and group.frames[body] < self._scene.model.nbody:
                self._dragged(group.frames[body], event)

        group.handle.on_click(clicked)
        if group.frames[0] > 0:
            group.handle.on_drag("left", modifier="cmd/ctrl")(dragged)

    def _add_soft(self, mesh: int) -> Any:
        parts = self._scene.parts
        index = int(np.flatnonzero(parts.mesh == mesh)[0])
        surface = parts.meshes[mesh]
        return self._api.add_mesh_simple(
            f"/soft/{mesh}", surface.points, surface.faces.astype(np.uint32), side="double",
            color=tuple(colour_bytes(parts.flat_rgba[index, :3]).tolist()),
        )  # fmt: skip


def _triangles(shown: PageParts, triangles: int) -> Iterator[tuple[int, Array, Any]]:
    """Parts that keep their shapes, and their triangles in the frames they are fixed to."""
    parts = shown.parts
    total = sum(len(parts.meshes[m].faces) for m in parts.mesh[parts.mesh >= 0])
    share = min(1.0, triangles / max(total, 1))
    for index in np.flatnonzero(~shown.changing).tolist():
        points, faces = part_triangles(parts, index)
        if share < 1.0 and parts.mesh[index] >= 0:
            points, faces = decimated(points, faces, share)
        local = parts.local[index]
        yield index, quat_apply(local[3:], points) + local[:3], faces


def _instanced(
    shown: PageParts, meshes: Sequence[tuple[int, Array, Any]], rgba: Array, solid: bool
) -> Iterator[_Instanced]:
    """Meshes of parts of one body that look alike in all worlds, of equal ones the first.

    Without parts that no world shows. What is fixed to the world is drawn once. Parts that are
    `solid` have their textures.
    """
    alike: dict[Any, list[tuple[int, Array, Any]]] = {}
    found: dict[tuple[Any, ...], _Instanced] = {}
    own = shown.parts.flat_rgba
    for item in meshes:
        index = item[0]
        frame = int(shown.frame[index])
        looks = rgba[:, index] if frame else rgba[:1, index]
        if solid and _keeps_picture(shown.parts, item, looks, own[index]):
            parts = shown.parts
            local, colour = parts.local[index].tobytes(), parts.rgba[index].tobytes()
            same = frame > 0, int(parts.mesh[index]), int(parts.material[index]), local, colour
            if same not in found:
                found[same] = _Pictured(picture_glb(parts, index))
            found[same].add(frame, looks)
        elif looks[:, 3].any():
            flat = int(shown.parts.kind[index]) in _FLAT
            alike.setdefault((frame, flat, looks.tobytes()), []).append(item)
    for (frame, flat, _), items in alike.items():
        first = np.cumsum([0, *(len(points) for _, points, _ in items)])
        faces = np.concatenate(
            [faces + start for (_, _, faces), start in zip(items, first, strict=False)]
        )
        points = np.concatenate([points for _, points, _ in items]).astype(np.float32)
        looks = rgba[:, items[0][0]] if frame else rgba[:1, items[0][0]]
        key = frame > 0, flat, looks[:, 3].tobytes(), points.tobytes(), faces.tobytes()
        found.setdefault(key, _Instanced(points, faces, flat)).add(frame, looks)
    yield from found.values()


def _keeps_picture(parts: Parts, item: tuple[int, Array, Any], looks: Array, own: Array) -> bool:
    """Whether a part is drawn with its texture: whole, and looking in all worlds as the stage's."""
    index, _, faces = item
    whole = has_picture(parts, index) and len(faces) == len(parts.meshes[parts.mesh[index]].faces)
    return whole and own[3] >= 1.0 and bool(np.allclose(looks, own, atol=1e-6))
