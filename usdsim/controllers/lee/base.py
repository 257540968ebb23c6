"""Lee controllers' common part: gains, mass and inertia, and the wrench of a goal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import MISSING
from math import pi
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from usdsim.controllers.goals import checked_goals
from usdsim.core.arguments import number, table
from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError
from usdsim.math.tensors import euler_xyz_from_quat

from .geometry import compute_body_torque, total_inertia, yaw_rate_to_body_angvel

__all__ = ["Craft", "Gains", "LeeControllerBase", "LeeControllerBaseCfg"]

Gains = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Least and largest gains along or about x, y and z."""


class Craft(NamedTuple):
    """State of multirotors at a moment, one row each."""

    position: Tensor
    """Position of the root in world [m], shape (num_envs, 3)."""
    quat: Tensor
    """Orientation of the root in world, unit quaternions xyzw, shape (num_envs, 4)."""
    velocity: Tensor
    """Velocity of its centre of mass in world [m/s], shape (num_envs, 3)."""
    spin: Tensor
    """Angular velocity in its axes [rad/s], shape (num_envs, 3)."""
    gravity: Tensor
    """Acceleration of gravity in world [m/s^2], shape (num_envs, 3)."""


class LeeControllerBase(ABC):
    """Base of controllers from set points of multirotors to forces and torques on their roots.

    Mass and inertia are those of all bodies together, as they are when the controller is made and
    with each reset. Gains are in the middle of their ranges until the first reset, and drawn
    uniformly with each.

    Args:
        cfg: ranges of gains, and limits.
        asset: the multirotor, or any articulation whose root the wrench is brought to.
        num_envs: number of its instances.
        device: where tensors live.

    Raises:
        InvalidValueError: a range of gains is missing, or no numbers >= 0 in order; the largest
            inclination is not between 0 and pi / 2; the largest yaw rate is missing or negative.

    Attributes:
        cfg: the configuration.
        robot: the asset.
        num_envs: number of instances.
        device: where tensors live.
        mass: masses [kg], shape (num_envs,).
        robot_inertia: inertias about the centres of mass in the roots' axes [kg m^2], shape
            (num_envs, 3, 3).
    """

    gains: ClassVar[tuple[str, ...]] = ("K_rot", "K_angvel")
    """Gains by name: ``cfg.K_rot_range`` has the range of those in ``K_rot_current``, shape
    (num_envs, 3)."""

    def __init__(self, cfg: LeeControllerBaseCfg, asset: Any, num_envs: int, device: Any):
        self.cfg, self.robot = cfg, asset
        self.num_envs, self.device = num_envs, device
        self._check()
        for name in self.gains:
            span = torch.tensor(getattr(cfg, f"{name}_range"), dtype=torch.float32, device=device)
            setattr(self, f"{name}_range", span.repeat(num_envs, 1, 1))
            setattr(self, f"{name}_current", span.mean(dim=0).repeat(num_envs, 1))
        self._weigh(slice(None))

    def reset(self) -> None:
        """Start over in all environments; see `reset_idx`."""
        self.reset_idx(None)

    def reset_idx(self, env_ids: Any = None) -> None:
        """Draw gains anew, and take mass and inertia as they are now.

        Args:
            env_ids: environments, as indices, a slice or a mask; None: all.
        """
        rows = slice(None) if env_ids is None else env_ids
        for name in self.gains:
            least, most = getattr(self, f"{name}_range")[rows].unbind(dim=1)
            drawn = least + (most - least) * torch.rand_like(least)
            getattr(self, f"{name}_current")[rows] = drawn
        self._weigh(rows)

    def compute(self, command: Tensor) -> Tensor:
        """Forces and torques on the roots, in their axes [N, N m], shape (num_envs, 6).

        The force is along z alone, as rotors push: the part of the force needed that is along it.

        Args:
            command: what to follow, as the class says, shape (num_envs, 4).

        Raises:
            ShapeError: the command has another shape.
            InvalidValueError: it is no numbers.
        """
        command = checked_goals("command", command, (self.num_envs, 4), self.device)
        craft = self._craft()
        lift, orientation, rates = self._goal(command, craft)
        torque = compute_body_torque(
            orientation,
            rates,
            craft.quat,
            craft.spin,
            self.robot_inertia,
            self._gain("K_rot"),
            self._gain("K_angvel"),
            self.cfg.max_yaw_rate,
        )
        none = torch.zeros_like(lift)
        return torch.cat([torch.stack([none, none, lift], dim=1), torque], dim=1)

    @abstractmethod
    def _goal(self, command: Tensor, craft: Craft) -> tuple[Tensor, Tensor, Tensor]:
        """Force along z [N], orientation xyzw, and angular velocity in the body's axes [rad/s]."""

    def _gain(self, name: str) -> Tensor:
        """Present gains of a name, shape (num_envs, 3)."""
        gain: Tensor = getattr(self, f"{name}_current")
        return gain

    def _read(self, name: str) -> Tensor:
        """A quantity of the asset, as a tensor on the controller's device."""
        values = getattr(self.robot.data, name)
        found: Tensor = getattr(values, "torch", values).to(self.device)
        return found

    def _craft(self) -> Craft:
        names = ("root_pos_w", "root_quat_w", "root_lin_vel_w", "root_ang_vel_b", "gravity_w")
        return Craft(*map(self._read, names))

    def _weigh(self, rows: Any) -> None:
        """Take mass and inertia of some environments from the asset."""
        inertias = self._read("body_inertia")
        mass, inertia = total_inertia(
            self._read("body_mass"),
            inertias.reshape(*inertias.shape[:2], 3, 3),
            self._read("body_com_pos_w"),
            self._read("body_link_quat_w"),
            self._read("root_quat_w"),
        )
        if not hasattr(self, "mass"):
            self.mass, self.robot_inertia = mass, inertia
        self.mass[rows], self.robot_inertia[rows] = mass[rows], inertia[rows]

    def _check(self) -> None:
        cfg, title = self.cfg, type(self.cfg).__name__
        for name in self.gains:
            what = f"{title}.{name}_range"
            span = table(what, getattr(cfg, f"{name}_range"), (2, 3))
            if (span[0] > span[1]).any() or (span < 0.0).any():
                raise InvalidValueError(what, span.tolist(), "least and largest gains >= 0")
        number(f"{title}.max_yaw_rate", cfg.max_yaw_rate)
        largest = number(f"{title}.max_inclination_angle_rad", cfg.max_inclination_angle_rad)
        if largest >= pi / 2:
            raise InvalidValueError(
                f"{title}.max_inclination_angle_rad", largest, "an angle below pi / 2 [rad]"
            )


def turning(rate: Tensor, craft: Craft) -> tuple[Tensor, Tensor]:
    """Present yaw [rad], shape (n,), and a yaw rate in the body's axes [rad/s], shape (n, 3)."""
    roll, pitch, yaw = euler_xyz_from_quat(craft.quat)
    return yaw, yaw_rate_to_body_angvel(rate, roll, pitch)


class LeeControllerBaseCfg(DeclaredConfiguration):
    """Configuration of Lee controllers: gains of the attitude, and limits.

    A range whose ends are the same is a gain that stays.
    """

    class_type: type[Any] = LeeControllerBase
    """Class of the controller."""
    K_rot_range: Gains = MISSING  # type: ignore[assignment]
    """Least and largest stiffness of the attitude about body x, y and z [N m]."""
    K_angvel_range: Gains = MISSING  # type: ignore[assignment]
    """Least and largest damping of the attitude about body x, y and z [N m s/rad]."""
    max_inclination_angle_rad: float = pi / 3
    """Largest angle that the thrust is asked to lean from the vertical [rad]."""
    max_yaw_rate: float = MISSING  # type: ignore[assignment]
    """Largest yaw rate that is followed [rad/s]."""
