"""What an articulation is and does."""

from __future__ import annotations

from .ball_joints import BallJointData
from .body_data import BodyData
from .dynamics_data import DynamicsData
from .joint_data import JointData
from .material_data import MaterialData
from .root_data import RootData
from .tendon_data import TendonData

__all__ = ["ArticulationData"]


class ArticulationData(
    RootData, BodyData, JointData, BallJointData, TendonData, MaterialData, DynamicsData
):
    """Data of an articulation: its root, its bodies and shapes, its joints and its tendons.

    Everything describes the present state, after a step as after a write or a reset.
    """
