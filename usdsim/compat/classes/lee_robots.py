"""Quantities of robots that Lee controllers read, also of ones made up; inertia of a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from usdsim.controllers.lee import LeeControllerBase
from usdsim.controllers.lee.geometry import total_inertia
from usdsim.math.tensors import quat_apply, quat_mul
from usdsim.sim import SimulationContext

__all__ = ["aggregate_inertia_about_robot_com", "read_quantity"]

_READ = LeeControllerBase._read


def _gravity(robot: Any) -> Any:
    """Gravity of the simulation in world [m/s^2], one row per instance."""
    pull = torch.tensor(SimulationContext.instance().cfg.gravity, dtype=torch.float32)  # type: ignore[union-attr]
    return pull.expand(len(robot.data.root_pos_w), 3)


def _centres(robot: Any) -> Any:
    """Centres of mass in world [m], shape (num_envs, num_bodies, 3)."""
    of = robot.data
    return of.body_link_pos_w + quat_apply(of.body_link_quat_w, of.body_com_pos_b)


_OTHERS: dict[str, Callable[[Any], Any]] = {
    "body_mass": lambda robot: robot.root_view.get_masses(),
    "body_inertia": lambda robot: robot.root_view.get_inertias(),
    "body_com_pos_w": _centres,
    "gravity_w": _gravity,
}
"""Sources of quantities of robots whose data do not have them."""


def read_quantity(controller: LeeControllerBase, name: str) -> Tensor:
    """A quantity of a controller's robot on its device, from what the robot has."""
    if name in _OTHERS and not hasattr(controller.robot.data, name):
        made: Tensor = _OTHERS[name](controller.robot).to(controller.device)
        return made
    return _READ(controller, name)


def aggregate_inertia_about_robot_com(
    body_inertias_local: Tensor,
    body_inv_mass_local: Tensor,
    body_com_pos_b: Tensor,
    body_com_quat_b: Tensor,
    body_pos_b: Tensor,
    body_quat_b: Tensor,
    eps: float = 1e-12,
) -> tuple[Tensor, Tensor, Tensor]:
    """Mass [kg], inertia about the centre of mass [kg m^2], and that centre in the root's axes [m].

    Args:
        body_inertias_local: inertias of links about their centres of mass, in the axes of
            `body_com_quat_b`, shape (N, B, 9) or (N, B, 3, 3).
        body_inv_mass_local: inverse masses [1/kg], shape (N, B); those that are not positive are of
            links that there are not.
        body_com_pos_b: centres of mass in the links' frames [m], shape (N, B, 3).
        body_com_quat_b: axes of the inertias in those frames, xyzw, shape (N, B, 4).
        body_pos_b: links in the root's frame [m], shape (N, B, 3).
        body_quat_b: their orientations there, xyzw, shape (N, B, 4).
        eps: least total mass [kg] that is divided by.

    Returns:
        Shapes (N,), (N, 3, 3) and (N, 3).
    """
    there = body_inv_mass_local > 0.0
    masses = torch.where(there, 1.0 / body_inv_mass_local, torch.zeros_like(body_inv_mass_local))
    centres = body_pos_b + quat_apply(body_quat_b, body_com_pos_b)
    weights = masses / (masses.sum(dim=1, keepdim=True) + eps)
    root = torch.zeros_like(body_quat_b[:, 0])
    root[:, 3] = 1.0
    mass, inertia = total_inertia(
        masses,
        body_inertias_local.reshape(*masses.shape, 3, 3),
        centres,
        quat_mul(body_quat_b, body_com_quat_b),
        root,
    )
    return mass, inertia, (weights[..., None] * centres).sum(dim=1)
