"""Controllers in torch: inverse kinematics, operational space, joint impedance, multirotors.

They turn goals of a hand or of joints into joint positions or efforts, from the Jacobians and mass
matrices that articulations give, and set points of multirotors into wrenches, for all environments
at once.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError("Controllers need torch. Run: pip install torch", name="torch")

from .differential_ik import DifferentialIKController, DifferentialIKControllerCfg
from .joint_impedance import JointImpedanceController, JointImpedanceControllerCfg
from .lee import *
from .lee import __all__ as _LEE
from .operational_space import OperationalSpaceController, OperationalSpaceControllerCfg

__all__ = [
    "DifferentialIKController",
    "DifferentialIKControllerCfg",
    "JointImpedanceController",
    "JointImpedanceControllerCfg",
    "OperationalSpaceController",
    "OperationalSpaceControllerCfg",
    *_LEE,
]
