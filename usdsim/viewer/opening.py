"""Opening view of a page: its lights, its first camera, and a grid where there is no ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from usdsim.render import frame_points
from usdsim.render.drawable import DrawableScene

__all__ = ["set_up"]

_FOVY = 40.0
"""Angle between the top and bottom of a new page's view [deg]."""


def set_up(server: Any, scene: DrawableScene) -> None:
    """Light a page, and let it open with all that moves in view.

    Args:
        server: of the page.
        scene: what is shown.
    """
    server.scene.set_up_direction("+z")
    # Browsers without a GPU draw shadows at a frame per second.
    server.scene.configure_default_lights(cast_shadow=False)
    server.scene.configure_environment_map(None)
    server.scene.add_light_hemisphere("/sky", intensity=1.5)
    points = scene.points
    camera = server.initial_camera
    camera.position = frame_points(points, fovy=_FOVY, aspect=1.0)[:3]
    camera.look_at = (points.min(axis=0) + points.max(axis=0)) / 2.0
    camera.fov = np.radians(_FOVY)
    if not (scene.parts.frame == 0).any():
        # Nothing stands still: the grid marks the height of what lies lowest.
        size = 10.0 * float(np.linalg.norm(np.ptp(points, axis=0)))
        low = (0.0, 0.0, float(points[:, 2].min()))
        server.scene.add_grid(
            "/floor", size, size, position=low, cell_size=size / 40.0, section_size=size / 8.0
        )
