"""Rollouts as a job: episodes of a policy on a stage, kept as Parquet.

Episode e of a job starts from a state drawn with the seed and e alone, and worlds do not depend on
each other, so that an episode is the same to the bit in whatever block and on whatever machine.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, SimulationError, UnsupportedError
from usdsim.core.transaction import replacing
from usdsim.scene import SceneData, SceneModel, load_model

from .job import Job

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Policy", "RolloutJob", "read_episode", "replay_episode"]

Array = NDArray[np.float64]
Policy = Callable[[Array, float], Array]
"""Observations, shape (episodes, num_observations), and the time [s] to controls, shape
(episodes, num_ctrls)."""

_JOB = b"usdsim.job"


@dataclass(frozen=True, kw_only=True)
class RolloutJob(Job):
    """Episodes of a policy on one stage or robot file, a Parquet file per block.

    A row is one decision: ``episode``, ``step``, ``time`` [s], ``observation`` (positions, then
    velocities of all degrees of freedom, then the sensors of the model), ``action`` (controls), and
    ``failed``, whether the world has diverged by then.
    """

    kind: ClassVar[str] = "rollout"

    model: str
    """Stage or robot file."""
    episodes: int
    """Number of episodes."""
    steps: int
    """Decisions of an episode."""
    policy: str
    """Import path ``package.module:function`` of a `Policy`."""
    substeps: int = 1
    """Time steps of the engine per decision."""
    episodes_per_block: int = 64
    """Episodes that are stepped together and written into one file."""
    seed: int = 0
    """Of the initial states."""
    keyframe: str = ""
    """Keyframe that episodes start from; empty: the authored state."""
    position_noise: float = 0.0
    """Standard deviation of initial positions of hinges and slides [rad or m]."""
    velocity_noise: float = 0.0
    """Standard deviation of initial velocities [rad/s or m/s]."""

    def check(self) -> None:
        """Refuse missing packages, a model or policy that does not load, and empty jobs."""
        _parquet()
        for name in ("episodes", "steps", "substeps", "episodes_per_block"):
            if getattr(self, name) < 1:
                raise InvalidValueError(f"{name} of the rollout job", getattr(self, name), "1 up")
        for name in ("position_noise", "velocity_noise"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise InvalidValueError(f"{name} of the rollout job", getattr(self, name), "0 up")
        data = self._start(np.arange(1))
        self._controls(self._observe(data), 0.0)

    def num_blocks(self) -> int:
        """Number of files."""
        return -(-self.episodes // self.episodes_per_block)

    def run_block(self, block: int) -> dict[str, Any]:
        """Step the episodes of a block and write their file."""
        first = block * self.episodes_per_block
        numbers = np.arange(first, min(first + self.episodes_per_block, self.episodes))
        columns = self.simulate(numbers)
        path = Path(self.out) / f"episodes-{block:06}.parquet"
        pyarrow, parquet = _parquet()
        table = _table(pyarrow, columns, {"usdsim": version("usdsim"), **self.document()})
        with replacing(path) as staged:
            parquet.write_table(table, staged, compression="zstd")
        failed = columns["failed"].reshape(-1, self.steps)[:, -1]
        return {"file": path.name, "episodes": len(numbers), "failed": int(failed.sum())}

    def simulate(self, numbers: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Run episodes by number, without writing anything.

        Returns:
            Columns of the rows, episode after episode; see the class.
        """
        data = self._start(numbers)
        count, step = len(numbers), float(self._model.low.opt.timestep) * self.substeps
        observations, actions, failures = [], [], []
        failed = np.zeros(count, dtype=bool)
        for decision in range(self.steps):
            observation = self._observe(data)
            controls = self._controls(observation, decision * step)
            observations.append(observation)
            actions.append(controls)
            data.actuator_ctrls = controls
            try:
                self._model.step_n(data, self.substeps)
            except SimulationError as error:
                failed[list(error.worlds)] = True
            failures.append(failed.copy())
        index = np.arange(self.steps)
        return {
            "episode": np.repeat(numbers, self.steps),
            "step": np.tile(index, count),
            "time": np.tile(index * step, count),
            "observation": np.stack(observations, axis=1).reshape(count * self.steps, -1),
            "action": np.stack(actions, axis=1).reshape(count * self.steps, -1),
            "failed": np.stack(failures, axis=1).reshape(-1),
        }

    @cached_property
    def _model(self) -> SceneModel:
        return load_model(self.model)

    @cached_property
    def _policy(self) -> Policy:
        module, _, name = self.policy.partition(":")
        try:
            policy: Policy = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise InvalidValueError(
                "policy of the rollout job",
                self.policy,
                "package.module:function",
                f"It cannot be imported: {error}.",
            ) from error
        return policy

    def _start(self, numbers: NDArray[np.int64]) -> SceneData:
        """Worlds in the initial states of these episodes."""
        model = self._model
        data = SceneData(model, batch=(len(numbers),))
        if self.keyframe:
            model.get_keyframe(self.keyframe).apply(data)
        single = [
            (int(joint.dof_pos_index), int(joint.dof_vel_index))
            for joint in model.joints
            if joint.num_dof_pos == joint.num_dof_vel == 1
        ]
        if single and (self.position_noise or self.velocity_noise):
            at_pos, at_vel = (list(index) for index in zip(*single, strict=True))
            draws = [np.random.default_rng([self.seed, number]) for number in numbers.tolist()]
            noise = np.array([rng.standard_normal((2, len(single))) for rng in draws])
            positions, velocities = data.dof_pos, data.dof_vel
            positions[:, at_pos] += self.position_noise * noise[:, 0]
            velocities[:, at_vel] += self.velocity_noise * noise[:, 1]
            data.dof_pos, data.dof_vel = positions, velocities
        return data

    def _observe(self, data: SceneData) -> Array:
        sensors = [
            np.asarray(sensor.get_value(data), np.float64).reshape(data.shape[0], -1)
            for sensor in self._model.sensors
        ]
        return np.concatenate([data.dof_pos, data.dof_vel, *sensors], axis=1, dtype=np.float64)

    def _controls(self, observation: Array, time: float) -> Array:
        controls = np.asarray(self._policy(observation.copy(), time), dtype=np.float64)
        shape = (len(observation), self._model.num_ctrls)
        if controls.shape != shape or not np.isfinite(controls).all():
            raise InvalidValueError(
                f"controls of policy {self.policy!r} at {time:g} s",
                f"shape {controls.shape}, finite {bool(np.isfinite(controls).all())}",
                f"finite numbers of shape {shape}",
            )
        return controls


def read_episode(path: str | Path, episode: int) -> dict[str, NDArray[Any]]:
    """Rows of one episode: time [s], observations, actions, and whether it had failed.

    Raises:
        InvalidValueError: the file does not hold the episode.
    """
    _, parquet = _parquet()
    table = parquet.read_table(path, filters=[("episode", "==", episode)])
    if not table.num_rows:
        raise InvalidValueError(f"episode of {str(path)!r}", episode, "one that the file holds")
    return {
        name: np.stack(column) if column.dtype == object else column
        for name in table.column_names
        for column in [table[name].to_numpy()]
    }


def replay_episode(path: str | Path, episode: int) -> dict[str, NDArray[Any]]:
    """Simulate an episode of a file once more, from the job that the file carries.

    Returns:
        The same rows as `read_episode` gives, to the bit, with the same model and policy.
    """
    _, parquet = _parquet()
    document = json.loads(parquet.read_schema(path).metadata[_JOB])
    document.pop("usdsim")
    document.pop("kind")
    return RolloutJob(**document).simulate(np.array([episode]))


def _table(module: Any, columns: dict[str, NDArray[Any]], document: Any) -> pyarrow.Table:
    arrays = {
        name: module.array(values)
        if values.ndim == 1
        else module.FixedSizeListArray.from_arrays(module.array(values.ravel()), values.shape[1])
        for name, values in columns.items()
    }
    table = module.table(arrays)
    return table.replace_schema_metadata({_JOB: json.dumps(document).encode()})


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UnsupportedError(
            "Datasets need the package pyarrow: pip install usdsim[ray]."
        ) from error
    return pyarrow, pyarrow.parquet
