"""Curriculum terms: weights of rewards, parameters of terms, levels of terrain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from usdsim.core.errors import InvalidValueError
from usdsim.envs.managers.base import ManagerTermBase
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.tensors import tensor

from .entities import ROBOT, data_of

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = ["modify_env_param", "modify_reward_weight", "modify_term_cfg", "terrain_levels_vel"]


def modify_reward_weight(
    env: ManagerBasedRLEnv,
    env_ids: Sequence[int] | torch.Tensor,
    term_name: str,
    weight: float,
    num_steps: int,
) -> float:
    """Give a reward term another weight, after so many decisions; returns the weight in force.

    Args:
        env: the environment.
        env_ids: not used.
        term_name: the term.
        weight: the other weight.
        num_steps: number of decisions.
    """
    term = env.reward_manager.get_term_cfg(term_name)
    if env.common_step_counter > num_steps:
        term.weight = weight
    return term.weight


class modify_env_param(ManagerTermBase):
    """Change something below the environment, at an address such as ``cfg.episode_length_s``.

    Parameters: ``address``, attributes and keys joined by dots; ``modify_fn``, called with the
    environment, the indices, the value and ``modify_params``, which returns the new value or
    `NO_CHANGE`.
    """

    NO_CHANGE = object()
    """Result of ``modify_fn`` where the value stays."""

    def __call__(
        self,
        env: ManagerBasedRLEnv,
        env_ids: Sequence[int] | torch.Tensor,
        address: str,
        modify_fn: Callable[..., Any],
        modify_params: dict[str, Any] | None = None,
    ) -> Any:
        """Change it; returns the value in force, if it is a number."""
        holder, key = self._holder(env, address)
        value = holder[key] if isinstance(holder, dict | list) else getattr(holder, key)
        new = modify_fn(env, env_ids, value, **(modify_params or {}))
        if new is not self.NO_CHANGE:
            if isinstance(holder, dict | list):
                holder[key] = new
            else:
                setattr(holder, str(key), new)
            value = new
        return float(value) if isinstance(value, int | float) else None

    def _holder(self, env: Any, address: str) -> tuple[Any, Any]:
        holder: Any = env
        *path, last = address.split(".")
        for part in path:
            holder = self._entry(holder, part, address)
        self._entry(holder, last, address)
        return holder, int(last) if isinstance(holder, list) else last

    @staticmethod
    def _entry(holder: Any, part: str, address: str) -> Any:
        try:
            if isinstance(holder, dict):
                return holder[part]
            if isinstance(holder, list | tuple):
                return holder[int(part)]
            return getattr(holder, part)
        except (AttributeError, KeyError, IndexError, ValueError) as error:
            raise InvalidValueError(
                "address of a curriculum term", address, f"a path that has {part!r}"
            ) from error


class modify_term_cfg(modify_env_param):
    """Like `modify_env_param`, of a term: ``rewards.alive.weight``, ``events.push.params.x``.

    Observations have their group before the term: ``observations.policy.pose.params``.
    """

    def _holder(self, env: Any, address: str) -> tuple[Any, Any]:
        kind = address.partition(".")[0]
        manager = getattr(env, f"{kind.removesuffix('s')}_manager", None)
        levels = 2 if kind == "observations" else 1
        _, *names = address.split(".", 1 + levels)
        if manager is None or len(names) <= levels:
            raise InvalidValueError(
                "address of a curriculum term",
                address,
                "rewards, terminations, events, or observations and a group, then term and field",
            )
        holder, key = super()._holder(manager.get_term_cfg(*names[:levels]), names[levels])
        return holder, key


def terrain_levels_vel(
    env: ManagerBasedRLEnv,
    env_ids: Sequence[int] | torch.Tensor,
    asset_cfg: SceneEntityCfg = ROBOT,
    command_name: str = "base_velocity",
) -> torch.Tensor:
    """Give robots that walked far harder terrain, and those that did not half their way easier.

    Far is more than half a piece of terrain; little is less than half of what was commanded.

    Args:
        env: the environment.
        env_ids: environments about to be reset.
        asset_cfg: the robot.
        command_name: the velocity command.

    Returns:
        Mean level.
    """
    terrain = env.scene.terrain
    ids = torch.as_tensor(env_ids, device=env.device)
    command = env.command_manager.get_command(command_name)[ids, :2].norm(dim=1)
    position = tensor(data_of(env, asset_cfg).root_pos_w)[ids, :2]
    walked = (position - tensor(env.scene.env_origins)[ids, :2]).norm(dim=1)
    lived = env.episode_length_buf[ids] > 0  # Nobody has walked before the first episode.
    up = (walked > 0.5 * float(terrain.cfg.terrain_generator.size[0])) & lived
    down = (walked < 0.5 * command * env.max_episode_length_s) & lived & ~up
    terrain.update_env_origins(ids, up, down)
    return tensor(terrain.terrain_levels).float().mean()
