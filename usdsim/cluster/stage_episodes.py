"""Episodes on a stage or robot file: initial states, controls and what is observed."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import SimulationError
from usdsim.core.functions import find_function
from usdsim.scene import Camera, SceneData, SceneModel, load_model
from usdsim.sim import EngineReader, Recorder
from usdsim.usd.edits import StageEdits

from .datasets.rows import png_column
from .functions import acted, find_policy, per_episode
from .randomization import Randomization

if TYPE_CHECKING:
    from .datasets.rows import Rows
    from .functions import Policy
    from .rollout import Observer, RolloutJob

__all__ = ["StageEpisodes"]

Array = NDArray[np.float64]


class StageEpisodes:
    """Episodes of a policy on the model of a job.

    Args:
        job: names the model, and all that belongs to it.
        like: episodes whose model is taken over where it is the same; None: it is loaded.
    """

    def __init__(self, job: RolloutJob, like: StageEpisodes | None = None):
        self._job = job
        if like is not None and (like._job.model, like._job.edits) == (job.model, job.edits):
            self._model = like._model

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of positions and velocities, with which observations begin."""
        return {"positions": self._model.num_dof_pos, "velocities": self._model.num_dof_vel}

    def columns(self, numbers: NDArray[np.int64], watch: Observer) -> Rows:
        """Simulate episodes; columns of shape (episodes, steps, ...)."""
        job, data = self._job, self._start(numbers)

        def recorder(path: str | Path, episode: int) -> Recorder:
            reader = EngineReader(data.engine, int(np.flatnonzero(numbers == episode)[0]))
            return Recorder(self._model.stage, self._model.description, path, reader=reader)

        watch(recorder)
        step = float(self._model.low.opt.timestep) * job.substeps
        kept: dict[str, list[NDArray[Any]]] = {"observation": [], "action": [], "failed": []}
        failed = np.zeros(len(numbers), dtype=bool)
        observation = self._observe(data)
        for decision in range(job.steps):
            for name, camera in self._cameras.items():
                kept.setdefault(f"image.{name}", []).append(png_column(camera.render(data)))
            controls = acted(
                self._policy, job.policy, observation, decision * step, self._model.num_ctrls
            )
            data.actuator_ctrls = controls
            try:
                self._model.step_n(data, job.substeps)
            except SimulationError as error:
                failed[list(error.worlds)] = True
            after = self._observe(data)
            watch(recorder)
            for name, value in (("observation", observation), ("action", controls),
                                ("failed", failed.copy())):  # fmt: skip
                kept[name].append(value)
            if job.reward:
                rewards = self._reward(observation.copy(), controls, after.copy())
                kept.setdefault("reward", []).append(
                    per_episode("reward", job.reward, rewards, len(numbers), np.float64)
                )
            observation = after
        return {
            "time": np.tile(np.arange(job.steps) * step, (len(numbers), 1)),
            **{name: np.stack(values, axis=1) for name, values in kept.items()},
        }

    # -- what the job names --------------------------------------------------------------------

    @cached_property
    def _model(self) -> SceneModel:
        model = load_model(self._job.model)
        if not self._job.edits:
            return model
        edits = StageEdits(model.stage)
        for key, value in self._job.edits.items():
            path, _, name = key.partition(".")
            edits.set(path, name, json.dumps(value))
        return load_model(edits.stage)

    @cached_property
    def _policy(self) -> Policy:
        return find_policy(self._job.policy, self._job.policy_options)

    @cached_property
    def _reward(self) -> Any:
        return find_function(self._job.reward, "reward of the rollout job")

    @cached_property
    def _randomization(self) -> Randomization:
        return Randomization(self._model, self._job.randomize)

    @cached_property
    def _cameras(self) -> dict[str, Camera]:
        found = {name: self._model.cameras[name] for name in self._job.cameras}
        for camera in found.values():
            camera.set_render_target("image", *self._job.image_size)
        return found

    def _start(self, numbers: NDArray[np.int64]) -> SceneData:
        """Worlds in the initial states of these episodes."""
        job, model = self._job, self._model
        data = SceneData(model, batch=(len(numbers),))
        if job.keyframe:
            model.get_keyframe(job.keyframe).apply(data)
        draws = [np.random.default_rng([job.seed, number]) for number in numbers.tolist()]
        single = [
            (int(joint.dof_pos_index), int(joint.dof_vel_index))
            for joint in model.joints
            if joint.num_dof_pos == joint.num_dof_vel == 1
        ]
        if single and (job.position_noise or job.velocity_noise):
            at_pos, at_vel = (list(index) for index in zip(*single, strict=True))
            noise = np.array([rng.standard_normal((2, len(single))) for rng in draws])
            positions, velocities = data.dof_pos, data.dof_vel
            positions[:, at_pos] += job.position_noise * noise[:, 0]
            velocities[:, at_vel] += job.velocity_noise * noise[:, 1]
            data.dof_pos, data.dof_vel = positions, velocities
        self._randomization.apply(data, draws)
        return data

    def _observe(self, data: SceneData) -> Array:
        sensors = self._model.get_sensor_values(range(self._model.num_sensors), data)
        return np.concatenate([data.dof_pos, data.dof_vel, sensors], axis=1, dtype=np.float64)
