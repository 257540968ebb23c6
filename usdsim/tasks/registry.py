"""Task registry: names of tasks, and what they are made of."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from usdsim.core.errors import UnknownNameError
from usdsim.core.functions import find_function

from .agents import PpoCfg

__all__ = ["TASKS", "Task", "find_task", "make_env", "register_tasks"]


@dataclass(frozen=True)
class Task:
    """A task: environment, configuration and agent, imported when asked for."""

    name: str
    """Name of the task."""
    summary: str
    """Goal of the task."""
    module: str
    """Module below `usdsim.tasks` with the classes."""
    env: str
    """Class of the environment: that of the module, or ``ManagerBasedRLEnv``."""
    cfg: str
    """Class of the configuration."""
    measure: str
    """Function of the module from the environment to a number each, which says how well it goes."""
    policy: str = ""
    """The shipped policy, below the folder of assets; empty: there is none."""

    def env_cfg(self, **changes: Any) -> Any:
        """The configuration, with other values of some attributes; ``num_envs`` is the scene's."""
        made = getattr(self._module, self.cfg)()
        if "num_envs" in changes:
            made.scene.num_envs = changes.pop("num_envs")
        for name, value in changes.items():
            if not hasattr(made, name):
                raise UnknownNameError("attribute", name, vars(made), f"task {self.name!r}")
            setattr(made, name, value)
        return made

    def agent_cfg(self) -> PpoCfg:
        """Configuration of the agent that learns it."""
        agent: PpoCfg = self._module.AGENT.copy()
        return agent

    def measures(self) -> dict[str, Callable[[Any], Any]]:
        """Measures that evaluations report besides returns: the task's own by its name."""
        return {self.measure: getattr(self._module, self.measure)}

    def metadata(self, env: Any) -> dict[str, Any]:
        """Metadata of a policy that was learned in an environment of the task."""
        known: dict[str, Any] = {"task": self.name, "num_envs": env.num_envs}
        if hasattr(self._module, "deployment"):
            known["deployment"] = self._module.deployment(env)
        return known

    def make(self, render_mode: str | None = None, **changes: Any) -> Any:
        """The environment; see `env_cfg` for what may be changed."""
        return getattr(self._module, self.env)(self.env_cfg(**changes), render_mode=render_mode)

    @property
    def _module(self) -> Any:
        return importlib.import_module(f"usdsim.tasks.{self.module}")


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "cartpole",
            "Balance a pole on a cart, by managers.",
            "cartpole",
            "ManagerBasedRLEnv",
            "CartpoleEnvCfg",
            "pole_angle",
            "cartpole/policy.npz",
        ),
        Task(
            "cartpole-direct",
            "Balance a pole on a cart, by one class.",
            "cartpole_direct",
            "CartpoleEnv",
            "CartpoleDirectEnvCfg",
            "pole_angle",
            "cartpole/policy.npz",
        ),
        Task(
            "drone-hover",
            "Fly a quadrotor to a point, and stay there.",
            "drone",
            "ManagerBasedRLEnv",
            "DroneHoverEnvCfg",
            "goal_distance",
            "quadrotor/policy.npz",
        ),
        Task(
            "drone-waypoint",
            "Fly a quadrotor from point to point.",
            "drone",
            "ManagerBasedRLEnv",
            "DroneWaypointEnvCfg",
            "goal_distance",
            "quadrotor/waypoint.npz",
        ),
        Task(
            "quadruped-flat",
            "Walk with a commanded velocity on flat ground.",
            "quadruped",
            "ManagerBasedRLEnv",
            "QuadrupedFlatEnvCfg",
            "velocity_error",
            "quadruped/policy.npz",
        ),
        Task(
            "quadruped-rough",
            "Walk with a commanded velocity on ground that gets harder.",
            "quadruped_rough",
            "ManagerBasedRLEnv",
            "QuadrupedRoughEnvCfg",
            "velocity_error",
        ),
        Task(
            "ant",
            "Run along x as fast as possible.",
            "ant",
            "ManagerBasedRLEnv",
            "AntEnvCfg",
            "forward_speed",
            "ant/run.npz",
        ),
        Task(
            "arm-reach",
            "Bring the hand of an arm to poses.",
            "arm",
            "ManagerBasedRLEnv",
            "ArmReachEnvCfg",
            "hand_distance",
            "arm7/reach.npz",
        ),
        Task(
            "arm-lift",
            "Grasp a cube and carry it to a place.",
            "arm",
            "ManagerBasedRLEnv",
            "ArmLiftEnvCfg",
            "cube_distance",
            "arm7/policy.npz",
        ),
        Task(
            "cloth-pull",
            "Pull a cloth to a place by one edge.",
            "cloth",
            "ManagerBasedRLEnv",
            "ClothPullEnvCfg",
            "cloth_distance",
            "cloth_pull.npz",
        ),
    )
}
"""The shipped tasks by name."""


def find_task(name: str) -> Task:
    """A task by name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return TASKS[name]


def make_env(name: str, render_mode: str | None = None, **changes: Any) -> Any:
    """The environment of a task.

    Args:
        name: of a shipped task, see `Task.make`, or the import path ``package.module:function`` of
            a function of `changes` to an environment.
        render_mode: of a shipped task.
        **changes: other values of the configuration's attributes, or arguments of the function.

    Raises:
        UnknownNameError: there is no such task, or it has no such attribute.
        InvalidValueError: the function cannot be imported.
    """
    if ":" in name:
        return find_function(name, "task")(**changes)
    return find_task(name).make(render_mode, **changes)


def register_tasks() -> list[str]:
    """Register the tasks with Gymnasium, for ``gymnasium.make("usdsim/cartpole-v0")``.

    Returns:
        The names there.
    """
    from usdsim.envs.spaces import gymnasium

    names = []
    for task in TASKS.values():
        name = f"usdsim/{task.name}-v0"
        names.append(name)
        if name not in gymnasium.registry:
            gymnasium.register(
                name, entry_point=task.make, disable_env_checker=True, order_enforce=False
            )
    return names
