"""Shipped tasks for reinforcement learning: cart and pole, drone, quadruped, ant, arm."""

from __future__ import annotations

from .registry import TASKS, Task, find_task, make_env, register_tasks

__all__ = ["TASKS", "Task", "find_task", "make_env", "register_tasks"]
