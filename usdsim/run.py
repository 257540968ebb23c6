"""Real-time loop of physics and pictures: the scene door's `render_loop`."""

from usdsim.scene.run import render_loop

__all__ = ["render_loop"]
