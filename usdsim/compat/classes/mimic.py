"""Environments whose demonstrations can be taken apart and put together anew, as in MimicGen.

What they are asked for is defined by programs; the configurations say how demonstrations are cut.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import torch

from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import UnsupportedError
from usdsim.envs import ManagerBasedRLEnv
from usdsim.math.tensors import make_pose, matrix_from_quat

__all__ = [
    "DataGenConfig",
    "ManagerBasedRLMimicEnv",
    "MimicEnvCfg",
    "SubTaskConfig",
    "SubTaskConstraintConfig",
    "SubTaskConstraintCoordinationScheme",
    "SubTaskConstraintType",
]


class DataGenConfig(DeclaredConfiguration):
    """Generation of demonstrations: their number, and those they are made of."""

    name: str = "demo"
    """Name of the data."""
    generation_guarantee: bool = True
    """Whether trials go on until as many succeeded."""
    generation_keep_failed: bool = False
    """Whether those that failed are kept."""
    max_num_failures: int = 50
    """Number of failures to give up at."""
    seed: int = 1
    """Seed of what is random."""
    source_dataset_path: str | None = None
    """File of the demonstrations there are."""
    generation_path: str | None = None
    """File of those that are made."""
    generation_num_trials: int = 10
    """Number of trials, or of successes."""
    task_name: str | None = None
    """Name of the task."""
    generation_select_src_per_subtask: bool = False
    """Whether a demonstration is chosen for each part, rather than for all."""
    generation_select_src_per_arm: bool = False
    """Whether one is chosen for each arm."""
    generation_transform_first_robot_pose: bool = False
    """Whether the first pose of the robot is transformed."""
    generation_interpolate_from_last_target_pose: bool = True
    """Whether parts begin at the last target, rather than at the pose reached."""
    use_skillgen: bool = False
    """Whether planners join the parts."""
    use_navigation_controller: bool = False
    """Whether a controller walks between them."""


class SubTaskConfig(DeclaredConfiguration):
    """A part of a demonstration, relative to one object."""

    object_ref: str | None = None
    """Name of the object."""
    subtask_term_signal: str | None = None
    """Name of the signal at its end; None: it is the last part."""
    selection_strategy: str = "random"
    """Way of choosing the demonstration."""
    selection_strategy_kwargs: dict[str, Any] = {}  # noqa: RUF012
    """Parameters of that."""
    first_subtask_start_offset_range: tuple[int, int] = (0, 0)
    """Steps by which the start of the first part moves."""
    subtask_start_offset_range: tuple[int, int] = (0, 0)
    """Steps by which the start moves."""
    subtask_term_offset_range: tuple[int, int] = (0, 0)
    """Steps by which the end moves."""
    action_noise: float = 0.03
    """Standard deviation of noise of actions."""
    num_interpolation_steps: int = 5
    """Steps from the part before to this one."""
    num_fixed_steps: int = 0
    """Steps to stay at its first pose."""
    apply_noise_during_interpolation: bool = False
    """Whether there is noise on the way, too."""
    description: str = ""
    """Text on what is done."""
    next_subtask_description: str = ""
    """Text on what is done next."""


class SubTaskConstraintType(IntEnum):
    """Dependence of parts of several arms."""

    SEQUENTIAL = 0
    """One after the other."""
    COORDINATION = 1
    """Together."""
    _SEQUENTIAL_FORMER = 2
    _SEQUENTIAL_LATTER = 3


class SubTaskConstraintCoordinationScheme(IntEnum):
    """Transformation of parts that are done together."""

    REPLAY = 0
    """Not at all."""
    TRANSFORM = 1
    """As one body."""
    TRANSLATE = 2
    """As one body that does not turn."""


class SubTaskConstraintConfig(DeclaredConfiguration):
    """A dependence between parts."""

    eef_subtask_constraint_tuple: Any = (("", 0), ("", 0))
    """The two parts, as name of the end effector and index."""
    constraint_type: SubTaskConstraintType | None = None
    """Kind of the dependence."""
    sequential_min_time_diff: int = -1
    """Steps between the ends of parts in sequence; -1: the second begins after the first."""
    coordination_scheme: SubTaskConstraintCoordinationScheme = (
        SubTaskConstraintCoordinationScheme.REPLAY
    )
    """Transformation of both together."""
    coordination_scheme_pos_noise_scale: float = 0.0
    """Noise of positions [m]."""
    coordination_scheme_rot_noise_scale: float = 0.0
    """Noise of rotations [rad]."""
    coordination_synchronize_start: bool = False
    """Whether both begin at the same step."""


class MimicEnvCfg(DeclaredConfiguration):
    """Attributes that the configuration of such an environment has besides."""

    datagen_config: DataGenConfig = DataGenConfig()
    """Generation of demonstrations: their number, and those they are made of."""
    subtask_configs: dict[str, list[SubTaskConfig]] = {}  # noqa: RUF012
    """Parts of a demonstration by name of the end effector."""
    task_constraint_configs: list[SubTaskConstraintConfig] = []  # noqa: RUF012
    """Dependences between parts of several end effectors."""
    mimic_recorder_config: Any = None
    """Configuration of a recorder of what is made; None: that of the environment."""


class ManagerBasedRLMimicEnv(ManagerBasedRLEnv):
    """An environment that tells poses of end effectors and objects, and the actions towards them.

    Derived classes define all but `get_object_poses` and `serialize`, as far as they are used.
    """

    def get_robot_eef_pose(
        self, eef_name: str, env_ids: Sequence[int] | None = None
    ) -> torch.Tensor:
        """Poses of an end effector as matrices, shape (num_envs, 4, 4)."""
        raise self._undefined()

    def target_eef_pose_to_action(
        self,
        target_eef_pose_dict: dict[str, torch.Tensor],
        gripper_action_dict: dict[str, torch.Tensor],
        action_noise_dict: dict[str, float] | None = None,
        env_id: int = 0,
    ) -> torch.Tensor:
        """The action that leads to poses, shape (action_dim,)."""
        raise self._undefined()

    def action_to_target_eef_pose(self, action: torch.Tensor) -> dict[str, torch.Tensor]:
        """Poses to which actions lead, by name of the end effector, shape (num_envs, 4, 4)."""
        raise self._undefined()

    def actions_to_gripper_actions(self, actions: torch.Tensor) -> dict[str, torch.Tensor]:
        """Columns of grippers among actions, by name of the end effector."""
        raise self._undefined()

    def get_subtask_start_signals(
        self, env_ids: Sequence[int] | None = None
    ) -> dict[str, torch.Tensor]:
        """Whether each part began, by its name, shape (num_envs,)."""
        raise self._undefined()

    def get_subtask_term_signals(
        self, env_ids: Sequence[int] | None = None
    ) -> dict[str, torch.Tensor]:
        """Whether each part ended, by its name, shape (num_envs,)."""
        raise self._undefined()

    def get_navigation_state(self, env_ids: Sequence[int] | None = None) -> dict[str, torch.Tensor]:
        """Whether the robot walks, and whether it arrived, by name."""
        raise self._undefined()

    def _undefined(self) -> UnsupportedError:
        name = inspect.stack()[1].function
        return UnsupportedError(
            f"{type(self).__name__} does not define {name}. Define it, as what was called needs it."
        )

    def get_object_poses(self, env_ids: Sequence[int] | None = None) -> dict[str, torch.Tensor]:
        """Poses of rigid objects and articulations, relative to their environments.

        Args:
            env_ids: indices of environments; None: all.

        Returns:
            Matrices by name of the object, shape (num_envs, 4, 4).
        """
        rows = slice(None) if env_ids is None else env_ids
        state = self.scene.get_state(is_relative=True)
        poses = {}
        for group in ("rigid_object", "articulation"):
            for name, values in state[group].items():
                pose = values["root_pose"][rows]
                poses[name] = make_pose(pose[:, :3], matrix_from_quat(pose[:, 3:]))
        return poses

    def serialize(self) -> dict[str, Any]:
        """Description to make the environment again, as files of demonstrations keep it."""
        return {"env_name": self.spec.id, "type": 2, "env_kwargs": {}}
