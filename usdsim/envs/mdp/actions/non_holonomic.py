"""Non-holonomic actions: a base that drives the way it faces, and turns."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import torch

from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.mdp.entities import only
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import euler_xyz_from_quat

from .buffered import BufferedActions

__all__ = ["NonHolonomicAction", "NonHolonomicActionCfg"]


class NonHolonomicAction(BufferedActions):
    """Forward speed [m/s] and yaw rate [rad/s] of a base on two slides and a hinge.

    Targets of the joints' velocities are ``v cos(yaw)`` along x, ``v sin(yaw)`` along y and the yaw
    rate, with the yaw that the body has at each time step.

    Raises:
        InvalidValueError: the name of a joint or the body does not match exactly one.
    """

    def __init__(self, cfg: NonHolonomicActionCfg, env: Any):
        super().__init__(cfg, env)
        find_joints, find_bodies = self._asset.find_joints, self._asset.find_bodies
        found = [
            only(what, getattr(cfg, what), find_joints)
            for what in ("x_joint_name", "y_joint_name", "yaw_joint_name")
        ]
        self._joint_ids = [i for i, _ in found]
        self._body_id, _ = only("body_name", cfg.body_name, find_bodies)
        self._allocate(2)
        self._scale = torch.tensor([cfg.scale], device=self.device)
        self._offset = torch.tensor([cfg.offset], device=self.device)
        self._clip = self._limits([found[0][1], found[2][1]])

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, 2)."""
        self._raw_actions.copy_(actions)
        scaled = self._raw_actions * self._scale + self._offset
        self._processed_actions.copy_(self._clipped(scaled))

    def apply_actions(self) -> None:
        """Set the targets along the way that the body faces now."""
        quat = tensor(self._asset.data.body_quat_w)[:, self._body_id]
        yaw = euler_xyz_from_quat(quat)[2]
        speed, rate = self._processed_actions.unbind(1)
        targets = torch.stack((speed * yaw.cos(), speed * yaw.sin(), rate), dim=1)
        self._asset.set_joint_velocity_target(targets, joint_ids=self._joint_ids)


class NonHolonomicActionCfg(ActionTermCfg):
    """A base that drives the way it faces, and turns."""

    class_type: type[Any] = NonHolonomicAction
    """Class of the term."""
    body_name: str = MISSING  # type: ignore[assignment]
    """Expression for the body whose yaw counts."""
    x_joint_name: str = MISSING  # type: ignore[assignment]
    """Expression for the slide along x."""
    y_joint_name: str = MISSING  # type: ignore[assignment]
    """Expression for the slide along y."""
    yaw_joint_name: str = MISSING  # type: ignore[assignment]
    """Expression for the hinge about z."""
    scale: tuple[float, float] = (1.0, 1.0)
    """Factors of the actions."""
    offset: tuple[float, float] = (0.0, 0.0)
    """Forward speed [m/s] and yaw rate [rad/s] at action 0. Limits, by ``clip``, are those of the
    speed by the name of the slide along x, and of the rate by that of the hinge."""
