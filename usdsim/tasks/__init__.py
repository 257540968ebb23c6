"""Shipped tasks for reinforcement learning: cart and pole, drone, quadruped, ant, arm."""

from __future__ import annotations

from .registry import TASKS, find_task, make_env, register_tasks
from .task import OwnTask, Task

__all__ = ["TASKS", "OwnTask", "Task", "find_task", "make_env", "register_tasks"]
