"""Runs a loaded model, timed, with what the user asked to keep."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.cli.console import Console, counted
from usdsim.core.errors import InvalidValueError, SimulationError

from .controls import Control

if TYPE_CHECKING:
    from pxr import Usd

    from usdsim.scene import SceneData, SceneModel

    from .film import WorldFilm

__all__ = ["Rollout", "RolloutResult", "home_controls", "joint_columns"]

_CHUNKS = 200  # Progress is shown between chunks of steps.
_SAMPLES = 60.0  # Of joint positions per simulated second.


@dataclass
class RolloutResult:
    """Result of a run."""

    envs: int
    steps: int
    wall: float
    """Time spent stepping and keeping [s]."""
    times: NDArray[np.float64]
    """Times of the kept samples [s], shape (samples,)."""
    positions: NDArray[np.float64]
    """Joint positions of the kept world [m or rad], shape (samples, joints)."""
    failures: list[str] = field(default_factory=list)
    """Failures by world."""

    @property
    def env_steps_per_second(self) -> float:
        """Steps of all worlds per second of wall time."""
        return self.envs * self.steps / self.wall if self.wall else 0.0

    @property
    def extent(self) -> str:
        """Worlds and steps in words."""
        return f"{counted(self.envs, 'world')}, {counted(self.steps, 'step')}"

    def record(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {
            "envs": self.envs,
            "steps": self.steps,
            "wall_s": self.wall,
            "env_steps_per_second": self.env_steps_per_second,
            "failures": self.failures,
        }


@dataclass
class Rollout:
    """A run of all worlds of `data`, of which one is watched.

    Attributes:
        model: the model.
        data: its worlds, with a batch axis.
        control: controls at a time.
        world: the watched world.
        fps: frames per second of the recording; None: the stage's own rate.
    """

    model: SceneModel
    data: SceneData
    control: Control
    world: int = 0
    fps: float | None = None

    def run(
        self,
        steps: int,
        console: Console,
        *,
        stage: Usd.Stage | None = None,
        recording: Path | None = None,
        film: WorldFilm | None = None,
    ) -> RolloutResult:
        """Step all worlds.

        Args:
            steps: how many.
            console: shows progress.
            stage: the simulated stage; with `recording`.
            recording: the USD file to write the watched world's motion to.
            film: takes pictures of the watched world.
        """
        envs = self.data.shape[0]
        if not 0 <= self.world < envs:
            raise InvalidValueError("--world", self.world, f"0 to {envs - 1}")
        timestep = float(self.model.low.opt.timestep)
        every = max(1, round(1.0 / (_SAMPLES * timestep)))
        recorder = self._recorder(stage, recording)
        columns, _ = joint_columns(self.model)
        watched = self.data[self.world]
        samples: list[tuple[float, NDArray[np.floating[Any]]]] = []
        failures: list[str] = []

        def keep(now: float) -> None:
            samples.append((now, watched.dof_pos[columns]))

        started = time.perf_counter()
        show = _nothing if film is None else film.take
        record = _nothing if recorder is None else recorder.record
        keep(0.0)
        show(0.0)
        record()
        done = 0
        bounds = np.linspace(0, steps, min(steps, _CHUNKS) + 1).astype(int)[1:]
        for bound in console.progress(bounds.tolist(), counted(envs, "world")):
            for step in range(done, bound):
                self.data.actuator_ctrls = self.control(step * timestep)
                try:
                    self.model.step(self.data)
                except SimulationError as error:
                    failures.append(str(error))
                if (step + 1) % every == 0:
                    keep((step + 1) * timestep)
                show((step + 1) * timestep)
                record()
            done = bound
        wall = time.perf_counter() - started
        if recorder is not None:
            recorder.save()
        times, positions = zip(*samples, strict=True)
        return RolloutResult(
            envs, steps, wall, np.array(times), np.array(positions, np.float64), failures
        )

    def _recorder(self, stage: Usd.Stage | None, path: Path | None) -> Any:
        if stage is None or path is None:
            return None
        from usdsim.sim import EngineReader, Recorder

        path.parent.mkdir(parents=True, exist_ok=True)
        reader = EngineReader(self.data.engine, self.world)
        return Recorder(stage, self.model.description, path, reader=reader, fps=self.fps)


def _nothing(now: float = 0.0) -> None:
    """Neither show nor record."""


def home_controls(model: SceneModel, data: SceneData) -> NDArray[np.float64]:
    """Reset the worlds to the model's first keyframe, if it has one, and return their controls."""
    if model.low.nkey:
        model.keyframes[0].apply(data)
    return np.array(data.actuator_ctrls[0], dtype=np.float64)


def joint_columns(model: SceneModel) -> tuple[list[int], list[str]]:
    """Columns of `dof_pos` that are joints of one axis, and the names of these joints."""
    joints = [joint for joint in model.joints if joint.num_dof_pos == 1]
    names = [joint.name or joint.path.rpartition("/")[2] for joint in joints]
    return [joint.dof_pos_index for joint in joints], names
