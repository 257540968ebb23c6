"""Page display: what a page shows of a source: worlds, marks, names of bodies, and cameras."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import whole
from usdsim.engine.base import Engine
from usdsim.render import Marks, ShownWorld
from usdsim.render.drawable import FADED, DrawableScene
from usdsim.render.sources import find_engine

from .clocks import Clock
from .following import Following, place_of
from .labels import BodyLabels
from .mark_meshes import MarkMeshes
from .opening import aim, set_up
from .worlds import ShownWorlds, WorldsOnPage

__all__ = ["PageDisplay"]


class PageDisplay:
    """The drawn worlds of a source on a page.

    Args:
        clock: the source.
        guides: marks that are drawn at first, names of `GUIDES`.
        triangles: of all meshes together, at most; more are decimated.

    Raises:
        InvalidValueError: there is no such guide.
        StageError: the source has no stage.

    Attributes:
        shown: the watched world as it is drawn.
        engine: what simulates the worlds; None: a recording is shown.
        worlds: the worlds on the page, once it is open.
        choice: which worlds they are.
        poses: of the engine's bodies in the shown worlds, position [m] and wxyz, shape
            (worlds, bodies, 7); None: where they are simulated.
    """

    shown: ShownWorld
    engine: Engine | None
    worlds: WorldsOnPage

    def __init__(self, clock: Clock, guides: Sequence[str], triangles: int):
        self._triangles = triangles
        self._cameras = Following()
        self.choice = ShownWorlds()
        self.poses: NDArray[np.float64] | None = None
        self._make(clock, guides, False)

    def open(
        self,
        server: Any,
        picked: Callable[[int], None],
        dragged: Callable[[int, Any], None],
    ) -> None:
        """Draw everything on a page.

        Args:
            server: of the page.
            picked: called with the frame of what is clicked.
            dragged: called with the frame and each event of a drag with the control key held.
        """
        self._server, self._called = server, (picked, dragged)
        set_up(server, self.scene)
        self._marks = MarkMeshes(server.scene, "all")
        self._names = BodyLabels(server.scene)
        self._draw()
        self.aim()

    @property
    def scene(self) -> DrawableScene:
        """The drawn parts of the watched world."""
        return self.shown.scene

    @property
    def bodies(self) -> dict[str, NDArray[np.float64]]:
        """Positions [m] and wxyz of bodies of the watched world as last sent, by prim path."""
        last = self.worlds.last[0]
        return {path: last[index].copy() for path, index in self.scene.bodies.items()}

    def remake(self, clock: Clock, colliders: bool) -> None:
        """Draw another source, or colliders instead of what is seen, with the same marks."""
        guides = self.shown.guides
        self.worlds.remove()
        self._make(clock, guides, colliders)
        self._draw()
        self.guide(guides)

    def show(self, choice: ShownWorlds) -> None:
        """Show other worlds.

        Raises:
            InvalidValueError: there is no such world.
        """
        last = 0 if self.engine is None else self.engine.num_envs - 1
        for world in (choice.watched, *choice.worlds):
            whole("world", world, 0, last)
        self.choice = choice
        self.shown.follow(choice.watched)
        self.worlds.show(choice)

    def guide(self, names: Sequence[str]) -> None:
        """Choose the marks that are drawn; see `GUIDES`."""
        self.shown.guide(names)
        self.worlds.scenery.fade(FADED if self.scene.faded else 1.0)

    def show_names(self, shown: bool) -> None:
        """Write the names of bodies beside them."""
        self._names.show(self.scene.bodies if shown else ())

    def aim(self) -> None:
        """Aim new pages so that all that moves is in view."""
        view = aim(self._server, self.scene, self.worlds.offsets)
        self._cameras.open(*view, place_of(None, self.worlds.last[0]))

    def follow(self, followed: str | None, *marks: Marks) -> None:
        """Send where everything is.

        Args:
            followed: path of the body that cameras go along with; empty: the middle of all; None:
                cameras stay.
            *marks: what is drawn besides the marks of the scene.
        """
        scene, clients = self.scene, self._server.get_clients()
        if self.engine is None or self._changing or self.shown.has_marks:
            self.shown.move()
        self.worlds.follow(self.poses, seen=bool(clients))
        if self._changing:
            self.worlds.scenery.follow_soft()
        self._marks.show(Marks.joined([scene.marks, scene.string_marks(), *marks]))
        last = self.worlds.last[0]
        self._names.follow(scene.bodies, last)
        place = None if followed is None else place_of(scene.bodies.get(followed), last)
        self._cameras.move(clients, place)

    def _make(self, clock: Clock, guides: Sequence[str], colliders: bool) -> None:
        self.shown = ShownWorld(clock.source, clock.data, guides=guides, floor=False,
                                colliders=colliders)  # fmt: skip
        if self.choice.watched:
            self.shown.follow(self.choice.watched)
        self.shown.move()
        self.engine = find_engine(clock.source, clock.data)
        self._changing = bool(self.scene.soft_points()) or self.scene.strings.stop > 0

    def _draw(self) -> None:
        self.worlds = WorldsOnPage(
            self._server.scene, self.shown, self.engine, self._triangles, *self._called
        )
        self.worlds.show(self.choice)
