"""Task registry: names of tasks, and what they are made of."""

from __future__ import annotations

from typing import Any

from usdsim.core.errors import UnknownNameError

from .task import OwnTask, Task

__all__ = ["TASKS", "Task", "find_task", "make_env", "register_tasks"]


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "cartpole",
            "Balance a pole on a cart, by managers.",
            "usdsim.tasks.cartpole",
            "ManagerBasedRLEnv",
            "CartpoleEnvCfg",
            "pole_angle",
            "cartpole/policy.npz",
        ),
        Task(
            "cartpole-direct",
            "Balance a pole on a cart, by one class.",
            "usdsim.tasks.cartpole_direct",
            "CartpoleEnv",
            "CartpoleDirectEnvCfg",
            "pole_angle",
            "cartpole/policy.npz",
        ),
        Task(
            "drone-hover",
            "Fly a quadrotor to a point, and stay there.",
            "usdsim.tasks.drone",
            "ManagerBasedRLEnv",
            "DroneHoverEnvCfg",
            "goal_distance",
            "quadrotor/policy.npz",
        ),
        Task(
            "drone-waypoint",
            "Fly a quadrotor from point to point.",
            "usdsim.tasks.drone",
            "ManagerBasedRLEnv",
            "DroneWaypointEnvCfg",
            "goal_distance",
            "quadrotor/waypoint.npz",
        ),
        Task(
            "quadruped-flat",
            "Walk with a commanded velocity on flat ground.",
            "usdsim.tasks.quadruped",
            "ManagerBasedRLEnv",
            "QuadrupedFlatEnvCfg",
            "velocity_error",
            "quadruped/policy.npz",
        ),
        Task(
            "quadruped-rough",
            "Walk with a commanded velocity on ground that gets harder.",
            "usdsim.tasks.quadruped_rough",
            "ManagerBasedRLEnv",
            "QuadrupedRoughEnvCfg",
            "velocity_error",
        ),
        Task(
            "ant",
            "Run along x as fast as possible.",
            "usdsim.tasks.ant",
            "ManagerBasedRLEnv",
            "AntEnvCfg",
            "forward_speed",
            "ant/run.npz",
        ),
        Task(
            "arm-reach",
            "Bring the hand of an arm to poses.",
            "usdsim.tasks.arm",
            "ManagerBasedRLEnv",
            "ArmReachEnvCfg",
            "hand_distance",
            "arm7/reach.npz",
        ),
        Task(
            "arm-lift",
            "Grasp a cube and carry it to a place.",
            "usdsim.tasks.arm",
            "ManagerBasedRLEnv",
            "ArmLiftEnvCfg",
            "cube_distance",
            "arm7/policy.npz",
        ),
        Task(
            "cloth-pull",
            "Pull a cloth to a place by one edge.",
            "usdsim.tasks.cloth",
            "ManagerBasedRLEnv",
            "ClothPullEnvCfg",
            "cloth_distance",
            "cloth_pull.npz",
        ),
    )
}
"""The shipped tasks by name."""


def find_task(name: str) -> Task:
    """A task by name, or by import path; see `OwnTask`.

    Raises:
        UnknownNameError: there is none.
        InvalidValueError: it cannot be imported.
    """
    if ":" in name:
        return OwnTask(name)
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return TASKS[name]


def make_env(name: str, render_mode: str | None = None, **changes: Any) -> Any:
    """The environment of a task.

    Args:
        name: of a shipped task, or the import path of another; see `OwnTask`.
        render_mode: what `render` returns.
        **changes: other values of the configuration's attributes, or arguments of a function.

    Raises:
        UnknownNameError: there is no such task, or it has no such attribute.
        InvalidValueError: it cannot be imported.
    """
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
