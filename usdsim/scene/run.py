"""The operations on data as functions."""

from __future__ import annotations

from usdsim.scene.data.scene_data import SceneData
from usdsim.scene.model.scene_model import SceneModel

__all__ = ["forward_kinematic", "reset", "step", "step_n"]


def step(model: SceneModel, data: SceneData) -> None:
    """Advance all worlds of `data` by one timestep; see `SceneModel.step`."""
    model.step(data)


def step_n(model: SceneModel, data: SceneData, n: int) -> None:
    """Advance all worlds of `data` by `n` timesteps; see `SceneModel.step_n`."""
    model.step_n(data, n)


def forward_kinematic(model: SceneModel, data: SceneData) -> None:
    """Compute what follows from positions and velocities; see `SceneModel.forward_kinematic`."""
    model.forward_kinematic(data)


def reset(model: SceneModel, data: SceneData) -> None:
    """Put all worlds of `data` back to their initial state; see `SceneData.reset`."""
    data.reset(model)
