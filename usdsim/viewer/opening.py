"""Opening view of a page: its lights, its first camera, and grids that show motion."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.render import frame_points
from usdsim.render.drawable import DrawableScene
from usdsim.render.framing import box_sphere

__all__ = ["aim", "roams", "room", "set_up"]

Array = NDArray[np.float64]

_FOVY = 40.0
"""Angle between the top and bottom of a new page's view [deg]."""
_PLANE, _FREE = 0, 0
"""Types of a geom and of a joint in MuJoCo's numbering."""
_ABOVE = 3e-4
"""Height of a grid over the ground whose motion it shows, by the size of the grid."""


def set_up(server: Any, scene: DrawableScene) -> None:
    """Light a page, and draw grids on level ground, against which motion is seen.

    Args:
        server: of the page.
        scene: what is shown.
    """
    server.scene.set_up_direction("+z")
    # Browsers without a GPU draw shadows at a frame per second.
    server.scene.configure_default_lights(cast_shadow=False)
    server.scene.configure_environment_map(None)
    server.scene.add_light_hemisphere("/sky", intensity=0.4)
    points = scene.points
    size = 10.0 * float(np.linalg.norm(np.ptp(points, axis=0)))
    heights = _levels(scene)
    if not (scene.parts.frame == 0).any():
        # Nothing stands still: the grid marks the height of what lies lowest.
        heights = [float(points[:, 2].min())]
    for number, height in enumerate(heights):
        server.scene.add_grid(
            f"/floor/{number}", size, size, position=(0.0, 0.0, height + _ABOVE * size),
            cell_size=size / 40.0, section_size=size / 8.0, infinite_grid=True,
            fade_distance=2.0 * size, cell_color=(150, 150, 150), section_color=(110, 110, 110),
        )  # fmt: skip


def aim(server: Any, scene: DrawableScene, offsets: Array) -> tuple[Array, Array]:
    """Aim new pages so that all that moves is in view.

    Args:
        server: of the page.
        scene: what is shown of a world.
        offsets: where worlds are beside the one of the scene [m], shape (n, 3).

    Returns:
        Where the camera is, and what it looks at, in world [m].
    """
    points = (scene.points + offsets[:, None]).reshape(-1, 3)
    camera = server.initial_camera
    camera.position = frame_points(points, fovy=_FOVY, aspect=1.0)[:3]
    camera.look_at, _ = box_sphere(points)
    camera.fov = np.radians(_FOVY)
    return camera.position, camera.look_at


def roams(scene: DrawableScene) -> bool:
    """Whether all that moves hangs on one free body, which may leave views that stand still."""
    model = scene.model
    roots = model.body_rootid[model.jnt_bodyid]
    return len(set(roots.tolist())) == 1 and _FREE in model.jnt_type


def room(scene: DrawableScene) -> float:
    """Distance at which worlds side by side do not reach into each other at first [m]."""
    return float(np.ceil(15.0 * np.ptp(scene.points[:, :2], axis=0).max()) / 10.0)


def _levels(scene: DrawableScene) -> list[float]:
    """Heights of level planes that stand still, in world [m]."""
    parts = scene.parts
    planes = np.flatnonzero((parts.frame == 0) & (parts.kind == _PLANE) & (parts.rgba[:, 3] > 0.0))
    upright = np.abs(parts.local[planes][:, 3:5]).max(axis=1, initial=0.0) < 1e-6
    return sorted(set(parts.local[planes[upright], 2].tolist()))
