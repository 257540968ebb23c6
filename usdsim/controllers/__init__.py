"""Controllers in torch: differential inverse kinematics, operational space, joint impedance.

They turn goals of a hand or of joints into joint positions or efforts, for all environments at
once, from the Jacobians and mass matrices that articulations give.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError("Controllers need torch. Run: pip install torch", name="torch")

from .differential_ik import DifferentialIKController, DifferentialIKControllerCfg
from .joint_impedance import JointImpedanceController, JointImpedanceControllerCfg
from .operational_space import OperationalSpaceController, OperationalSpaceControllerCfg

__all__ = [
    "DifferentialIKController",
    "DifferentialIKControllerCfg",
    "JointImpedanceController",
    "JointImpedanceControllerCfg",
    "OperationalSpaceController",
    "OperationalSpaceControllerCfg",
]
