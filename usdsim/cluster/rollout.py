"""Rollouts as a job: episodes of a policy on a stage, kept as Parquet.

Episode e of a job starts from a state drawn with the seed and e alone, and worlds do not depend on
each other, so that an episode is the same to the bit in whatever block and on whatever machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, SimulationError
from usdsim.learning.libraries import library
from usdsim.render.png import png_bytes
from usdsim.scene import Camera, SceneData, SceneModel, load_model
from usdsim.usd.edits import StageEdits

from .datasets.rows import Rows, write_rows
from .functions import Policy, find_function, find_policy
from .job import Job
from .randomization import Randomization

__all__ = ["Observer", "RolloutJob"]

Array = NDArray[np.float64]

Observer = Callable[[SceneModel, SceneData], None]
"""Looks at worlds while they are simulated."""

_COUNTS = ("episodes", "steps", "substeps", "episodes_per_block")
_SPREADS = ("position_noise", "velocity_noise")


@dataclass(frozen=True, kw_only=True)
class RolloutJob(Job):
    """Episodes of a policy on one stage or robot file, a Parquet file per block.

    A row is one decision: ``episode``, ``step``, ``time`` [s], ``observation`` (positions, then
    velocities of all degrees of freedom, then the sensors of the model), ``action`` (controls),
    ``failed``, whether the world has diverged by then, and, where they are asked for, ``reward``,
    ``success`` of the whole episode, and ``image.<camera>``, PNG files of what cameras saw.
    """

    kind: ClassVar[str] = "rollout"

    model: str
    """Stage or robot file."""
    episodes: int
    """Number of episodes."""
    steps: int
    """Decisions of an episode."""
    policy: str
    """Import path ``package.module:function`` of a `Policy`, or a network file, ``.npz`` or
    TorchScript."""
    policy_options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of the policy's function, such as gains of a controller."""
    substeps: int = 1
    """Time steps of the engine per decision."""
    episodes_per_block: int = 64
    """Episodes that are stepped together and written into one file."""
    seed: int = 0
    """Of the initial states and of the randomisation."""
    keyframe: str = ""
    """Keyframe that episodes start from; empty: the authored state."""
    position_noise: float = 0.0
    """Standard deviation of initial positions of hinges and slides [rad or m]."""
    velocity_noise: float = 0.0
    """Standard deviation of initial velocities [rad/s or m/s]."""
    randomize: dict[str, list[float]] = field(default_factory=dict)
    """Lowest and highest factor on parameters of elements; see `Randomization`."""
    edits: dict[str, Any] = field(default_factory=dict)
    """Values of attributes of the stage, by ``/prim/path.attribute:name``."""
    reward: str = ""
    """Import path of a function of observations, actions and the observations that follow, a row
    per episode each, to rewards, shape (episodes,); empty: none."""
    success: str = ""
    """Import path of a function of all columns by name, shape (episodes, steps, ...), to whether
    episodes succeeded, shape (episodes,); empty: none."""
    cameras: list[str] = field(default_factory=list)
    """Cameras of the model whose images are kept."""
    image_size: list[int] = field(default_factory=lambda: [64, 64])
    """Width and height of images [pixels]."""

    def check(self) -> None:
        """Refuse missing packages, a model or policy that does not load, and empty jobs."""
        library("pyarrow.parquet")
        for name in _COUNTS:
            if getattr(self, name) < 1:
                raise InvalidValueError(f"{name} of the rollout job", getattr(self, name), "1 up")
        for name in _SPREADS:
            if not 0.0 <= getattr(self, name) < np.inf:
                raise InvalidValueError(f"{name} of the rollout job", getattr(self, name), "0 up")
        self.trial()

    def trial(self) -> None:
        """Make one decision, and refuse what that shows to be wrong with the job.

        Raises:
            UsdsimError: the model, policy, reward, success, randomisation or cameras.
        """
        if self.success:
            find_function(self.success, "success of the rollout job")
        brief = replace(self, steps=1, substeps=1, success="")
        brief.simulate(np.arange(1))

    def num_blocks(self) -> int:
        """Number of files."""
        return -(-self.episodes // self.episodes_per_block)

    def run_block(self, block: int) -> dict[str, Any]:
        """Step the episodes of a block and write their file."""
        first = block * self.episodes_per_block
        numbers = np.arange(first, min(first + self.episodes_per_block, self.episodes))
        rows = self.simulate(numbers)
        path = Path(self.out) / f"episodes-{block:06}.parquet"
        sizes = {"positions": self._model.num_dof_pos, "velocities": self._model.num_dof_vel}
        document = {"usdsim": version("usdsim"), "sizes": sizes, **self.document()}
        write_rows(path, rows, document)
        found = {"file": path.name, "episodes": len(numbers), "failed": _last(rows, "failed")}
        if self.success:
            found["succeeded"] = _last(rows, "success")
        return found

    def simulate(self, numbers: NDArray[np.int64], observer: Observer | None = None) -> Rows:
        """Run episodes by number, without writing anything.

        Args:
            numbers: of the episodes.
            observer: called at the start and after each decision.

        Returns:
            Columns of the rows, episode after episode; see the class.
        """
        columns = self.episode_columns(numbers, observer)
        return {name: values.reshape(-1, *values.shape[2:]) for name, values in columns.items()}

    def episode_columns(self, numbers: NDArray[np.int64], observer: Observer | None = None) -> Rows:
        """The same as `simulate` gives, in columns of shape (episodes, steps, ...)."""
        data = self._start(numbers)
        watch = observer or (lambda model, data: None)
        watch(self._model, data)
        step = float(self._model.low.opt.timestep) * self.substeps
        kept: dict[str, list[NDArray[Any]]] = {"observation": [], "action": [], "failed": []}
        failed = np.zeros(len(numbers), dtype=bool)
        observation = self._observe(data)
        for decision in range(self.steps):
            for name, camera in self._cameras.items():
                kept.setdefault(f"image.{name}", []).append(_pngs(camera.render(data)))
            controls = self._controls(observation, decision * step)
            data.actuator_ctrls = controls
            try:
                self._model.step_n(data, self.substeps)
            except SimulationError as error:
                failed[list(error.worlds)] = True
            after = self._observe(data)
            watch(self._model, data)
            for name, value in (("observation", observation), ("action", controls),
                                ("failed", failed.copy())):  # fmt: skip
                kept[name].append(value)
            if self.reward:
                rewards = self._reward(observation.copy(), controls, after.copy())
                kept.setdefault("reward", []).append(
                    _per_episode("reward", self.reward, rewards, len(numbers), np.float64)
                )
            observation = after
        rows = {
            "episode": np.repeat(numbers[:, None], self.steps, axis=1),
            "step": np.tile(np.arange(self.steps), (len(numbers), 1)),
            "time": np.tile(np.arange(self.steps) * step, (len(numbers), 1)),
            **{name: np.stack(values, axis=1) for name, values in kept.items()},
        }
        if self.success:
            given = find_function(self.success, "success of the rollout job")(dict(rows))
            each = _per_episode("success", self.success, given, len(numbers), np.bool_)
            rows["success"] = np.repeat(each[:, None], self.steps, axis=1)
        return rows

    # -- what the job names --------------------------------------------------------------------

    @cached_property
    def _model(self) -> SceneModel:
        model = load_model(self.model)
        if not self.edits:
            return model
        edits = StageEdits(model.stage)
        for key, value in self.edits.items():
            path, _, name = key.partition(".")
            edits.set(path, name, json.dumps(value))
        return load_model(edits.stage)

    @cached_property
    def _policy(self) -> Policy:
        return find_policy(self.policy, self.policy_options)

    @cached_property
    def _reward(self) -> Any:
        return find_function(self.reward, "reward of the rollout job")

    @cached_property
    def _randomization(self) -> Randomization:
        return Randomization(self._model, self.randomize)

    @cached_property
    def _cameras(self) -> dict[str, Camera]:
        found = {name: self._model.cameras[name] for name in self.cameras}
        for camera in found.values():
            camera.set_render_target("image", *self.image_size)
        return found

    def _start(self, numbers: NDArray[np.int64]) -> SceneData:
        """Worlds in the initial states of these episodes."""
        model = self._model
        data = SceneData(model, batch=(len(numbers),))
        if self.keyframe:
            model.get_keyframe(self.keyframe).apply(data)
        draws = [np.random.default_rng([self.seed, number]) for number in numbers.tolist()]
        single = [
            (int(joint.dof_pos_index), int(joint.dof_vel_index))
            for joint in model.joints
            if joint.num_dof_pos == joint.num_dof_vel == 1
        ]
        if single and (self.position_noise or self.velocity_noise):
            at_pos, at_vel = (list(index) for index in zip(*single, strict=True))
            noise = np.array([rng.standard_normal((2, len(single))) for rng in draws])
            positions, velocities = data.dof_pos, data.dof_vel
            positions[:, at_pos] += self.position_noise * noise[:, 0]
            velocities[:, at_vel] += self.velocity_noise * noise[:, 1]
            data.dof_pos, data.dof_vel = positions, velocities
        self._randomization.apply(data, draws)
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


def _last(rows: Rows, name: str) -> int:
    """Number of episodes whose last row has a flag."""
    steps = int(rows["step"].max()) + 1
    return int(rows[name].reshape(-1, steps)[:, -1].sum())


def _per_episode(what: str, path: str, values: Any, count: int, kind: Any) -> NDArray[Any]:
    found = np.asarray(values)
    if found.shape != (count,) or not np.isfinite(found.astype(np.float64)).all():
        raise InvalidValueError(
            f"{what} of {path!r}", f"shape {found.shape}", f"finite values of shape ({count},)"
        )
    return found.astype(kind)


def _pngs(images: NDArray[np.uint8]) -> NDArray[Any]:
    return np.array([png_bytes(image) for image in images], dtype=object)
