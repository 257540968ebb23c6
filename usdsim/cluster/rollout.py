"""Rollouts as a job: episodes of a policy on a stage or in a task, kept as Parquet.

Episode e of a stage starts from a state drawn with the seed and e alone, and worlds do not depend
on each other, so that it is the same to the bit in whatever block and on whatever machine. Episodes
of a task share the random numbers of their block, and are the same to the bit on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.core import __version__
from usdsim.core.arguments import number, whole
from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library
from usdsim.core.functions import find_function
from usdsim.sim import Recorder
from usdsim.tasks import find_task

from .datasets.rows import Rows, block_file, write_rows
from .functions import find_policy, per_episode
from .job import Job
from .stage_episodes import StageEpisodes
from .task_episodes import TaskEpisodes

__all__ = ["Observer", "RolloutJob"]

Observer = Callable[[Callable[[str | Path, int], Recorder]], None]
"""Looks at worlds while they are simulated; gets a function of a path and an episode to a recorder
of that episode's world."""

_COUNTS = ("episodes", "substeps", "episodes_per_block")
_SPREADS = ("position_noise", "velocity_noise")
_OF_MODELS: dict[str, Any] = {
    "substeps": 1, "keyframe": "", "position_noise": 0.0, "velocity_noise": 0.0, "randomize": {},
    "edits": {}, "reward": "", "image_size": [64, 64],
}  # fmt: skip
"""Fields that say nothing about a task, and what they are then."""


@dataclass(frozen=True, kw_only=True)
class RolloutJob(Job):
    """Episodes of a policy on one stage or robot file, or in a task, a Parquet file per block.

    A row is one decision: ``episode``, ``step``, ``time`` [s], ``observation`` (positions, then
    velocities of all degrees of freedom, then the sensors of the model), ``action`` (controls),
    ``failed``, whether the world has diverged by then, and, where they are asked for, ``reward``,
    ``success`` of the whole episode, and ``image.<camera>``, PNG files of what cameras saw.

    Rows of a task have what its policy sees as ``observation``, other groups as
    ``observation.<group>``, ``reward``, ``failed``, whether the task has ended the episode by then,
    ``truncated``, whether time has, images as above, and states of its assets before the decision,
    relative to the environment's origin, ``state.articulation.robot.joint_position`` and the like.
    """

    kind: ClassVar[str] = "rollout"

    model: str = ""
    """Stage or robot file."""
    task: str = ""
    """Instead of a model: a task of `usdsim.tasks` by name, or the import path of a function of
    ``num_envs``, ``seed`` and `task_options` to an environment."""
    task_options: dict[str, Any] = field(default_factory=dict)
    """Other values of attributes of the task's configuration."""
    episodes: int
    """Number of episodes."""
    steps: int = 0
    """Decisions of an episode; 0, of a task alone: as many as it allows."""
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
    """Seed of the initial states and of the randomisation."""
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
    """Cameras of the model, or of the scene of the task, whose images are kept."""
    image_size: list[int] = field(default_factory=lambda: [64, 64])
    """Width and height of images of a model's cameras [pixels]; those of a task have theirs."""

    def check(self) -> None:
        """Refuse missing packages, a model, task or policy that does not load, and empty jobs."""
        library("pyarrow.parquet")
        self.check_fields()
        self.trial()

    def check_fields(self) -> None:
        """Refuse what is seen to be wrong with a field before anything is simulated."""
        self._check_source()
        self._check_names()
        for name in _COUNTS:
            whole(f"{name} of the rollout job", getattr(self, name), 1)
        whole("steps of the rollout job", self.steps, 0 if self.task else 1)
        for name in _SPREADS:
            number(f"{name} of the rollout job", getattr(self, name), above=False)

    def check_machine(self) -> None:
        """Refuse a machine where a policy or function of the job cannot be imported."""
        super().check_machine()
        self._check_names()

    def _check_names(self) -> None:
        """Refuse a policy, task or function that cannot be found."""
        find_policy(self.policy, self.policy_options)
        if self.task:
            find_task(self.task)
        for what, path in (("reward", self.reward), ("success", self.success)):
            if path:
                find_function(path, f"{what} of the rollout job")

    def trial(self) -> None:
        """Make one decision, and refuse what that shows to be wrong with the job.

        Raises:
            UsdsimError: the model, task, policy, reward, success, randomisation or cameras.
        """
        brief = replace(self, steps=1, substeps=1, success="")
        brief.adopt(self)
        brief.simulate(np.arange(1))
        self.adopt(brief)

    def num_blocks(self) -> int:
        """Number of files."""
        return -(-self.episodes // self.episodes_per_block)

    def block_episodes(self, block: int) -> NDArray[np.int64]:
        """Numbers of the episodes of a block."""
        first = block * self.episodes_per_block
        return np.arange(first, min(first + self.episodes_per_block, self.episodes))

    def run_block(self, block: int) -> dict[str, Any]:
        """Step the episodes of a block and write their file."""
        numbers = self.block_episodes(block)
        columns = self.episode_columns(numbers)
        path = Path(self.out) / block_file(block)
        document = {"usdsim": __version__, "sizes": self._episodes.sizes, **self.document()}
        write_rows(path, _flat(columns), document)
        found = {"file": path.name, "episodes": len(numbers)}
        found["failed"] = int(columns["failed"][:, -1].sum())
        if self.success:
            found["succeeded"] = int(columns["success"][:, -1].sum())
        return found

    def holds(self, block: int, result: dict[str, Any]) -> bool:
        """Whether the file of a block is still there."""
        return (Path(self.out) / block_file(block)).is_file()

    def simulate(self, numbers: NDArray[np.int64], observer: Observer | None = None) -> Rows:
        """Run episodes by number, without writing anything.

        Args:
            numbers: of the episodes.
            observer: called at the start and after each decision.

        Returns:
            Columns of the rows, episode after episode; see the class.
        """
        return _flat(self.episode_columns(numbers, observer))

    def episode_columns(self, numbers: NDArray[np.int64], observer: Observer | None = None) -> Rows:
        """The same as `simulate` gives, in columns of shape (episodes, steps, ...).

        Episodes of a task end by themselves: ``running`` says which decisions belong to them.
        """
        columns = self._episodes.columns(numbers, observer or (lambda recorder: None))
        shape = columns["time"].shape
        rows = {
            "episode": np.broadcast_to(numbers[:, None], shape),
            "step": np.broadcast_to(np.arange(shape[1]), shape),
            **columns,
        }
        if self.success:
            given = find_function(self.success, "success of the rollout job")(dict(rows))
            each = per_episode("success", self.success, given, len(numbers), np.bool_)
            rows["success"] = np.broadcast_to(each[:, None], shape)
        return rows

    def beside(self, episode: int) -> NDArray[np.int64]:
        """Episodes that are simulated together with one to get it again to the bit.

        Worlds of a stage do not depend on each other; those of a task share where they begin.
        """
        if not self.task:
            return np.array([episode])
        return self.block_episodes(episode // self.episodes_per_block)

    def adopt(self, other: RolloutJob) -> None:
        """Take over the model that other rollouts have loaded, where it is the same."""
        like = other.__dict__.get("_episodes")
        if isinstance(like, StageEpisodes) and self.model:
            self.__dict__["_episodes"] = StageEpisodes(self, like)

    @cached_property
    def _episodes(self) -> StageEpisodes | TaskEpisodes:
        return TaskEpisodes(self) if self.task else StageEpisodes(self)

    def _check_source(self) -> None:
        """Refuse a job of both a model and a task, or of neither."""
        if bool(self.model) == bool(self.task):
            raise InvalidValueError(
                "model and task of the rollout job", (self.model, self.task), "one of the two"
            )
        allowed = _OF_MODELS if self.task else {"task_options": {}}
        for name, nothing in allowed.items():
            if getattr(self, name) != nothing:
                raise InvalidValueError(
                    f"{name} of the rollout job", getattr(self, name),
                    f"{nothing!r}: a {'task' if self.task else 'model'} has none",
                )  # fmt: skip


def _flat(columns: Rows) -> Rows:
    """Rows, episode after episode; what was simulated after the end of one is left out."""
    columns = dict(columns)
    running = columns.pop("running", np.ones(columns["time"].shape, bool))
    return {name: values[running] for name, values in columns.items()}
