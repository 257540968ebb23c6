"""End effectors of task space actions: pose, velocity and Jacobian of a frame on a body."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import torch

from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs.mdp.entities import articulated, only
from usdsim.envs.tensors import tensor
from usdsim.math.quaternion_order import identity_rot, rot_quat
from usdsim.math.tensors import (
    combine_frame_transforms,
    matrix_from_quat,
    quat_apply,
    quat_apply_inverse,
    quat_inv,
    subtract_frame_transforms,
)

__all__ = ["EndEffector", "EndEffectorOffsetCfg"]


class EndEffectorOffsetCfg(DeclaredConfiguration):
    """Pose of an end effector in the frame of its body."""

    pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Position [m]."""
    rot: tuple[float, float, float, float] = field(default_factory=identity_rot)
    """Orientation, xyzw, unless `usdsim.math.quaternion_order.set_quaternion_order` chose
    another."""


class EndEffector:
    """A frame fixed to a body of an articulation, and the joints that move it.

    All quantities are those of the frame in that of the articulation's root.

    Args:
        asset: the articulation.
        body_name: expression that matches the body.
        joint_names: expressions for the joints.
        offset: pose of the frame in that of the body; None: the same.

    Attributes:
        body: index of the body.
        joint_ids: indices of the joints.
        dofs: columns of the joints in Jacobians and mass matrices.

    Raises:
        InvalidValueError: the name does not match one body, or the asset has no joints.
    """

    def __init__(
        self, asset: Any, body_name: str, joint_names: Any, offset: EndEffectorOffsetCfg | None
    ):
        self._data = articulated(asset).data
        self.body, _ = only("body_name", body_name, asset.find_bodies)
        self.joint_ids = [int(i) for i in asset.find_joints(joint_names)[0]]
        self.dofs = [i + asset.num_base_dofs for i in self.joint_ids]
        self._row = self.body - 1 if asset.is_fixed_base else self.body
        given = offset or EndEffectorOffsetCfg()
        rows, device = (asset.num_instances, 1), asset.device
        self._offset = (
            torch.tensor([given.pos], device=device).repeat(rows),
            torch.tensor([rot_quat(given.rot).tolist()], device=device).repeat(rows),
        )

    def pose(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Position [m] and orientation, xyzw, shape (num_envs, 3) and (num_envs, 4)."""
        return combine_frame_transforms(*self._body_pose(), *self._offset)

    def velocity(self) -> torch.Tensor:
        """Linear [m/s] and angular velocity [rad/s] relative to the root, shape (num_envs, 6)."""
        data = self._data
        turn = tensor(data.root_quat_w)
        body = tensor(data.body_link_vel_w)[:, self.body]
        root = tensor(data.root_link_vel_w)
        arm = quat_apply(turn, self.pose()[0])
        away = body[:, :3] + torch.linalg.cross(body[:, 3:], self._lever_w())
        carried = root[:, :3] + torch.linalg.cross(root[:, 3:], arm)
        linear = quat_apply_inverse(turn, away - carried)
        angular = quat_apply_inverse(turn, body[:, 3:] - root[:, 3:])
        return torch.cat([linear, angular], dim=1)

    def jacobian(self) -> torch.Tensor:
        """Jacobian of the joints, linear rows first, shape (num_envs, 6, joints)."""
        data = self._data
        jacobian = tensor(data.body_link_jacobian_w)[:, self._row][:, :, self.dofs]
        turn = matrix_from_quat(quat_inv(tensor(data.root_quat_w)))
        linear, angular = turn @ jacobian[:, :3], turn @ jacobian[:, 3:]
        # The end effector moves with the link's origin, and about it.
        lever = self.pose()[0] - self._body_pose()[0]
        arms = lever.unsqueeze(1).expand(-1, angular.shape[2], 3)
        linear = linear + torch.linalg.cross(angular.mT, arms).mT
        return torch.cat([linear, angular], dim=1)

    # -- inside --------------------------------------------------------------------------------

    def _body_pose(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Pose of the body in the root's frame."""
        data = self._data
        return subtract_frame_transforms(
            tensor(data.root_pos_w), tensor(data.root_quat_w),
            tensor(data.body_pos_w)[:, self.body], tensor(data.body_quat_w)[:, self.body],
        )  # fmt: skip

    def _lever_w(self) -> torch.Tensor:
        """Arm from the body's origin to the end effector, world axes [m], (num_envs, 3)."""
        return quat_apply(tensor(self._data.body_quat_w)[:, self.body], self._offset[0])
