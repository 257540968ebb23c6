"""Display of worlds on the stage, without changing what is authored there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.engine import Engine
from usdsim.parser.description import SceneDescription
from usdsim.render.engine_reader import EngineReader
from usdsim.sim.environments.variants import renamed
from usdsim.sim.poses.recorder import Recorder
from usdsim.sim.poses.writeback import PoseWriter

__all__ = ["Display"]


class Display:
    """Poses of bodies in a layer over the session layer of a stage.

    Args:
        stage: the stage.
    """

    def __init__(self, stage: Usd.Stage):
        self._stage = stage
        self._layer: Sdf.Layer | None = None
        self._writers: dict[int, PoseWriter] = {}

    def scene_of(self, engine: Engine, paths: Sequence[str], env_id: int) -> SceneDescription:
        """The simulated scene under the prim paths of one environment.

        Raises:
            InvalidValueError: there is no such environment.
        """
        if not 0 <= env_id < engine.num_envs:
            raise InvalidValueError("env_id", env_id, f"0 to {engine.num_envs - 1}")
        scene = engine.compiled.scene
        if env_id == 0 or not paths:
            return scene
        parts = {name: getattr(scene, name) for name in ("bodies", "deformables", "elements")}
        return replace(scene, **renamed(parts, paths[0], paths[env_id]))

    def show(self, engine: Engine, scene: SceneDescription, env_id: int) -> None:
        """Move the prims of a scene's bodies to where they are in a world.

        Raises:
            StageError: the stage has no session layer.
        """
        if self._layer is None:
            session = self._stage.GetSessionLayer()
            if session is None:
                raise StageError(
                    "The stage was opened without a session layer, so that there is no place to "
                    "show poses without changing it. Open it with one, or record instead."
                )
            self._layer = Sdf.Layer.CreateAnonymous("poses.usda")
            session.subLayerPaths.insert(0, self._layer.identifier)
        if env_id not in self._writers:
            with Usd.EditContext(self._stage, self._layer):
                self._writers[env_id] = PoseWriter(self._stage, scene)
        reader = EngineReader(engine, env_id)
        self._writers[env_id].write(reader.body_poses(), reader.deformable_points())

    def hide(self) -> None:
        """Remove the poses from the stage, which shows what is authored again."""
        self._writers.clear()
        if self._layer is not None:
            self._stage.GetSessionLayer().subLayerPaths.remove(self._layer.identifier)
            self._layer = None

    def recorder(
        self,
        engine: Engine,
        paths: Sequence[str],
        env_id: int,
        path: str | os.PathLike[str],
        fps: float | None,
    ) -> Recorder:
        """A recorder of one world: its environment, and what all share.

        Raises:
            InvalidValueError: there is no such environment.
        """
        scene = self.scene_of(engine, paths, env_id)
        self.hide()
        reader = EngineReader(engine, env_id)
        others = [*paths[:env_id], *paths[env_id + 1 :]]
        return Recorder(self._stage, scene, path, reader=reader, fps=fps, leave_out=others)
