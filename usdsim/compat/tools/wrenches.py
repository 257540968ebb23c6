"""Wrench composers made for an asset, and an asset that has nothing but poses."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from usdsim.math.transforms import IDENTITY_POSE
from usdsim.views.usable import usable
from usdsim.views.values import Values, broadcast
from usdsim.views.wrench import composer

__all__ = ["MockRigidObjectCollection", "WrenchComposer"]


class WrenchComposer(composer.WrenchComposer):
    """Collects forces and torques on the bodies of an asset.

    Args:
        asset: what has bodies, with ``data.body_link_pose_w`` and ``data.body_com_pose_w``.
    """

    def __init__(self, asset: Any):
        self._asset = asset
        super().__init__(asset.num_instances, asset.num_bodies, asset.device, self._poses)

    def _poses(self) -> tuple[wp.array, wp.array]:
        data, shape = self._asset.data, (self.num_instances, self.num_bodies)
        centres = np.ascontiguousarray(data.body_com_pose_w.numpy().reshape(*shape, 7)[..., :3])
        return (
            wp.array(data.body_link_pose_w, dtype=wp.transformf, device=self.device),
            wp.array(centres, dtype=wp.vec3f, device=self.device),
        )

    def compose_to_body_frame(self) -> None:
        """Nothing: outputs are composed when they are read."""


class _Poses:
    """Poses of the bodies, which are written as they are needed.

    Attributes:
        body_link_pose_w: links in world, transformf, shape (num_instances, num_bodies).
        body_com_pose_w: frames of the centres of mass in world, likewise.
    """

    def __init__(self, shape: tuple[int, int], device: str):
        still = np.tile(IDENTITY_POSE, (*shape, 1))
        self._shape, self._device = (*shape, 7), device
        self.set_body_link_pose_w(still)

    def set_body_link_pose_w(self, value: Values) -> None:
        """Place the links, and the centres of mass in their origins; xyzw."""
        self.body_link_pose_w = self.body_com_pose_w = self._made(value)

    def set_body_com_pose_w(self, value: Values) -> None:
        """Place the centres of mass."""
        self.body_com_pose_w = self._made(value)

    def _made(self, value: Values) -> Any:
        poses = np.array(broadcast("pose", value, self._shape), np.float32)
        return usable(wp.array(poses, dtype=wp.transformf, device=self._device))


class MockRigidObjectCollection:
    """Bodies that are where they are put, for composing wrenches without a simulation.

    Args:
        num_instances: number of instances.
        num_bodies: bodies of each.
        device: where arrays live.

    Attributes:
        data: their poses.
    """

    def __init__(self, num_instances: int = 1, num_bodies: int = 1, device: str = "cpu", **_: Any):
        self.num_instances, self.num_bodies, self.device = num_instances, num_bodies, device
        self.data = _Poses((num_instances, num_bodies), device)
