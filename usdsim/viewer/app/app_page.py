"""Page of an application: the viewer, and what an application shows in it besides worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.render import Marks
from usdsim.scene import SceneData, SceneModel
from usdsim.viewer.mark_meshes import MarkMeshes
from usdsim.viewer.viewer import Viewer
from usdsim.viewer.worlds import ShownWorlds

__all__ = ["AppPage"]

_POINT = 0.02
"""Size of the points that lidars see [m]."""
_BLUE = (40, 160, 255)


class AppPage:
    """Page that browsers open, which sends what has changed only.

    Args:
        model: the model that is shown.
        data: its worlds.
        port: of the page.

    Attributes:
        viewer: shows the worlds.
    """

    def __init__(self, model: SceneModel, data: SceneData, port: int):
        self.viewer = Viewer(model, data, port=port)
        self._gizmos = MarkMeshes(self.viewer.server.scene, "gizmos")
        self._points: Any = None
        self._guides = (False, False)
        self._placed: ShownWorlds | None = None

    def place(self, worlds: Sequence[int], places: Sequence[Sequence[float]]) -> None:
        """Show worlds of the engine, each in its place [m]."""
        wanted = ShownWorlds(
            worlds[0] if worlds else 0, worlds=tuple(worlds), places=tuple(map(tuple, places))
        )
        if wanted == self._placed:
            return
        self._placed = wanted
        self.viewer.server.scene.set_global_visibility(bool(worlds))
        if worlds:
            self.viewer.choose(wanted)

    def guide(self, colliders: bool, joints: bool) -> None:
        """Show colliders and joints where that is not what was wanted before."""
        before, self._guides = self._guides, (colliders, joints)
        if colliders != before[0]:
            self.viewer.show_colliders(colliders)
        if joints != before[1]:
            self.viewer.guide(("joints",) if joints else ())

    def draw(self, marks: Marks) -> None:
        """Draw marks in place of those before."""
        self._gizmos.show(marks)

    def show_points(self, points: NDArray[np.float32] | None) -> None:
        """Show points [m], shape (n, 3), in place of those before; None: none."""
        if points is not None:
            colours = np.tile(np.array([_BLUE], np.uint8), (len(points), 1))
            self._points = self.viewer.server.scene.add_point_cloud(
                "/lidars", points, colours, point_size=_POINT
            )
        elif self._points is not None:
            self._points.remove()
            self._points = None
