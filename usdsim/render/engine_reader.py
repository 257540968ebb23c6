"""Engine reader: body poses of one world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine import CompiledModel
from usdsim.engine.base import Engine
from usdsim.math.transforms import pose_rows

__all__ = ["EngineReader", "vertex_slices"]


def vertex_slices(compiled: CompiledModel) -> dict[str, slice]:
    """Vertices of bodies among those of the engine, by prim path.

    The flexible bodies of the MuJoCo dialect come after the deformable ones.
    """
    model = compiled.mj
    found = {body.path: body.vertices for body in compiled.deformables}
    for element in compiled.scene.elements:
        if element.kind == "flex":
            flex = compiled.names.index("flex", element.path)
            start = int(model.flex_vertadr[flex])
            found[element.path] = slice(start, start + int(model.flex_vertnum[flex]))
    return found


class EngineReader:
    """Reads what a `Recorder` or `PoseWriter` needs from one world.

    Args:
        engine: the engine, such as ``data.engine`` of a `SceneData`.
        world: index of the world.

    Raises:
        InvalidValueError: there is no such world.
    """

    def __init__(self, engine: Engine, world: int = 0):
        if not 0 <= world < engine.num_envs:
            raise InvalidValueError("world", world, f"0 to {engine.num_envs - 1}")
        self._engine = engine
        self._world = world
        compiled = engine.compiled
        self._ids = np.array(
            [compiled.names.index("body", body.path) for body in compiled.scene.bodies],
            dtype=np.int64,
        )
        self._parts = [*vertex_slices(compiled).values()]

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self._engine.time[self._world])

    def body_poses(self) -> NDArray[np.float64]:
        """Poses of all bodies in world [m, xyzw], in the scene's order, shape (bodies, 7)."""
        pos = self._engine.read("xpos")[self._world, self._ids]
        quat = self._engine.read("xquat")[self._world, self._ids]
        return pose_rows(pos, quat)

    def deformable_points(self) -> tuple[NDArray[np.float64], ...]:
        """Vertices in world [m] of each deformable body, each of shape (vertices, 3).

        The flexible bodies of the MuJoCo dialect come after the deformable ones.
        """
        if not self._parts:
            return ()
        points = self._engine.read("flexvert_xpos")[self._world]
        return tuple(np.array(points[part], dtype=np.float64) for part in self._parts)
