"""Articulation data."""

from __future__ import annotations

from usdsim.assets.common.body_data import BodyData
from usdsim.assets.common.material_data import MaterialData
from usdsim.assets.common.root_data import RootData
from usdsim.assets.tendons.data import TendonData

from .ball_joints import BallJointData
from .dynamics_data import DynamicsData
from .joint_data import JointData

__all__ = ["ArticulationData"]


class ArticulationData(
    RootData, BodyData, JointData, BallJointData, TendonData, MaterialData, DynamicsData
):
    """Data of an articulation: its root, its bodies and shapes, its joints and its tendons.

    Everything describes the present state, after a step as after a write or a reset.
    """
