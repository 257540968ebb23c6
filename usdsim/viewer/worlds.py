"""Worlds on a page: the watched one, ghosts of the next, and points for thousands more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import number, whole
from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_to_wxyz
from usdsim.render import ShownWorld
from usdsim.render.worlds.looks import world_looks
from usdsim.render.worlds.sizes import WorldSizes, parts_by_size
from usdsim.render.worlds.visible import engine_bodies, visible_worlds

from .clocks import engine_poses
from .crowd import Crowd
from .scenery import GHOST, PageParts, Scenery
from .sending import Sender

__all__ = ["ShownWorlds", "WorldsOnPage"]

Array = NDArray[np.float64]

_UNMOVED = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ShownWorlds:
    """Worlds that are shown, in the order of their indices from the watched one on.

    Attributes:
        watched: index of the world that is watched.
        ghosts: how many more with all their parts, translucent where they lie in one place.
        points: how many more with a point for each body.
        spacing: distance at which worlds are put side by side [m].
        worlds: indices of those that are shown instead, all alike; the first is watched.
        places: of each of `worlds` [m].

    Raises:
        InvalidValueError: a number is negative, not finite, or no number.
    """

    watched: int = 0
    ghosts: int = 0
    points: int = 0
    spacing: float = 0.0
    worlds: tuple[int, ...] = ()
    places: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        for name in ("watched", "ghosts", "points"):
            whole(name, getattr(self, name))
        number("spacing", self.spacing, above=False)


class WorldsOnPage:
    """Moving parts of worlds on a page, and where they were sent last.

    Args:
        api: the page's scene.
        shown: what is drawn of the watched world.
        engine: what simulates the worlds; None: this is the only one.
        triangles: of all meshes together, at most; more are decimated.
        picked: called with the frame of what is clicked.
        dragged: called with the frame and each event of a drag with the control key held.

    Attributes:
        scenery: the worlds that are drawn with all their parts.
        bodies: of the engine, for each frame of `scene`; None: no engine.
        last: poses of frames as last sent, position [m] and wxyz, shape (worlds, frames, 7).
    """

    def __init__(
        self,
        api: Any,
        shown: ShownWorld,
        engine: Engine | None,
        triangles: int,
        picked: Callable[[int], None],
        dragged: Callable[[int, Any], None],
    ):
        self._scene = scene = shown.scene
        self._engine, self._choice = engine, ShownWorlds()
        self.bodies = None if engine is None else engine_bodies(scene, engine, shown.env_paths)
        self._seen = None
        if engine is not None:
            self._seen = visible_worlds(shown.stage, engine, shown.env_paths)
            self._looks = world_looks(shown.stage, engine)
            names = self._seen.parts.paths
            self._sizes = WorldSizes(self._seen.parts, names, engine)
        self._looks_seen = 0
        self._page = parts = self._page_parts(shown)
        self._sized, self._of_page = False, np.arange(len(parts.frame))
        self._has_size = np.ones((1, len(parts.frame)), np.bool_)
        self.scenery = Scenery(api, scene, parts, triangles, picked, dragged)
        self.last: Array = np.zeros((0, 0, 7))
        self._crowd = Crowd(api, scene)
        self._sender = Sender(self._send)

    def _page_parts(self, shown: ShownWorld) -> PageParts:
        """Parts of all worlds; of colliders, those of the first."""
        scene, seen = self._scene, self._seen
        still = scene.model.nbody
        self._own_looks = seen is not None and not shown.colliders
        if seen is not None and self.bodies is not None and not shown.colliders:
            of_body = np.zeros(seen.num_bodies + 1, np.intp)
            of_body[self.bodies] = np.arange(len(self.bodies))
            of_body[0], of_body[-1] = 0, still
            parts, frame = seen.parts, of_body[seen.frame]
            changing = np.isin(np.arange(len(frame)), seen.capsules.parts)
        else:
            parts, frame = scene.parts, scene.parts.frame.astype(np.intp)
            frame[shown.in_environments & (frame == 0)] = still
            changing = scene.soft.among(parts)
        soft = [mesh >= 0 and parts.meshes[mesh].two_sided for mesh in parts.mesh]
        return PageParts(parts, frame, changing | np.array(soft, np.bool_))

    def show(self, choice: ShownWorlds) -> None:
        """Show other worlds."""
        count = 1 if self._engine is None else self._engine.num_envs
        shown = min(1 + choice.ghosts + choice.points, count)
        self._choice = choice
        self._worlds = (choice.watched + np.arange(shown)) % count
        whole = min(1 + choice.ghosts, shown)
        offsets = _side_by_side(shown, choice.spacing)
        if choice.worlds:
            self._worlds = np.array(choice.worlds)
            whole = shown = len(self._worlds)
            offsets = np.array(choice.places)
        self.last = self._read(None)
        places = self._find_places()[:, 0, :3] + offsets
        # Where worlds lie in one place, what is behind the watched one has to be seen.
        opacity = 1.0 if len(np.unique(places[:whole], axis=0)) == whole else GHOST
        self._looks_seen = 0 if self._engine is None else self._looks.version
        with self._sender.lock:
            self._sender.drop()
            self._whole, self._offsets, self._places = whole, offsets, self._find_places()
            poses = self._with_places(self.last)[:whole]
            self._size(whole)
            self.scenery.show(poses, offsets[:whole], self._colours(whole), opacity)
            self._crowd.show(shown - whole)

    def _size(self, count: int) -> None:
        """Give parts the sizes that they have in the worlds that are drawn, a part for each."""
        if not self._sized:
            return
        sizes, page = self._sizes.sizes, self._page
        own = sizes[self._worlds[:count] % len(sizes)]
        parts, rows, self._has_size = parts_by_size(page.parts, own)
        self._of_page = rows
        self.scenery.become(PageParts(parts, page.frame[rows], page.changing[rows]))

    def _colours(self, count: int) -> Array:
        """Colours of parts in the worlds that are drawn, shape (count, S, 4)."""
        if self._seen is not None and self._own_looks:
            rgba = self._looks.flat_colours(self._seen)
            found = rgba[self._worlds[:count] % len(rgba)][:, self._of_page]
            found[..., 3] *= self._has_size
            return found
        self._drawn = self._scene.parts
        flat = self._drawn.flat_rgba
        return np.broadcast_to(flat, (count, *flat.shape))

    @property
    def offsets(self) -> Array:
        """Places of the worlds with all their parts beside the first [m], shape (n, 3)."""
        places = self._places[:, 0, :3] + self._offsets
        found: Array = (places - places[0])[: self._whole]
        return found

    def follow(self, poses: Array | None = None, seen: bool = True) -> None:
        """Queue the present poses of everything, without waiting until they are shown.

        Args:
            poses: of the engine's bodies in the shown worlds, where they are shown elsewhere,
                position [m] and wxyz, shape (worlds, bodies, 7).
            seen: whether anybody looks; else the page stays behind until `catch_up`.
        """
        if self._engine is not None and self._own_looks:
            resized = self._sizes.changed()
            self._sized |= resized
            if resized or self._looks_seen != self._looks.version:
                self.show(self._choice)
        elif self._engine is None and self._drawn is not self._scene.parts:
            self.show(self._choice)
        self.last = self._read(poses)
        if seen:
            self._sender.post(self.last)

    def catch_up(self) -> None:
        """Show the latest poses of everything, and wait for it."""
        self._sender.post(self.last)
        self._sender.finish()

    def remove(self) -> None:
        """Take everything from the page."""
        self.close()
        self.scenery.remove()
        self._crowd.remove()

    def close(self) -> None:
        """Send nothing more."""
        self._sender.close()

    def _send(self, poses: Array) -> None:
        whole = self._whole
        drawn = self._with_places(poses)[:whole]
        self.scenery.follow(drawn, self._offsets[:whole])
        self._crowd.follow(poses[whole:], self._offsets[whole:])

    def _find_places(self) -> Array:
        """Poses of the shown worlds' environments to the first one, shape (worlds, 1, 7)."""
        if self._seen is None:
            return np.array([[_UNMOVED]])
        places = self._seen.places[self._worlds]
        return np.concatenate([places[:, :3], quat_to_wxyz(places[:, 3:])], axis=1)[:, None]

    def _with_places(self, poses: Array) -> Array:
        """Poses of frames, and behind them those of the environments."""
        return np.concatenate([poses, self._places], axis=1)

    def _read(self, given: Array | None) -> Array:
        if self._engine is not None and self.bodies is not None:
            if given is not None:
                poses = given[:, self.bodies]
            else:
                poses = engine_poses(self._engine, self.bodies, self._worlds)
            poses[:, 0] = _UNMOVED
            return poses
        data = self._scene.data
        return np.concatenate([data.xpos, data.xquat], axis=1)[None]


def _side_by_side(count: int, spacing: float) -> Array:
    """Places of worlds on a square, the first in its own place [m], shape (n, 3)."""
    across = max(int(np.ceil(np.sqrt(count))), 1)
    index = np.arange(count)
    return spacing * np.stack([index // across, index % across, 0 * index], axis=1).astype(float)
