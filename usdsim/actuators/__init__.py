"""Models of what moves joints: drives of the engine, PD controllers, motors and networks."""

from usdsim.actuators.networks.actuators import (
    ActuatorNetLSTM,
    ActuatorNetLSTMCfg,
    ActuatorNetMLP,
    ActuatorNetMLPCfg,
)
from usdsim.actuators.networks.files import save_settings
from usdsim.actuators.networks.network import DenseLayer, LstmLayer, Network, save_network
from usdsim.actuators.networks.torchscript import export_network
from usdsim.actuators.thrusters.actions import MultiRotorActions
from usdsim.actuators.thrusters.cfg import ThrusterCfg
from usdsim.actuators.thrusters.thruster import Thruster

from .actions import ArticulationActions
from .authored import AuthoredActuators, authored_actuators
from .authoring import write_actuators
from .base import ActuatorBase, ActuatorBaseCfg
from .collection import ActuatorCollection, format_resolution_tables
from .dc_motor import DCMotor, DCMotorCfg, DelayedDCMotor, DelayedDCMotorCfg
from .drive_replacement import prepare_drives
from .ideal_pd import (
    DelayedPDActuator,
    DelayedPDActuatorCfg,
    IdealPDActuator,
    IdealPDActuatorCfg,
    RemotizedPDActuator,
    RemotizedPDActuatorCfg,
)
from .implicit import (
    DelayedImplicitActuator,
    DelayedImplicitActuatorCfg,
    ImplicitActuator,
    ImplicitActuatorCfg,
)
from .values import resolve_joint_parameter

__all__ = [
    "ActuatorBase",
    "ActuatorBaseCfg",
    "ActuatorCollection",
    "ActuatorNetLSTM",
    "ActuatorNetLSTMCfg",
    "ActuatorNetMLP",
    "ActuatorNetMLPCfg",
    "ArticulationActions",
    "AuthoredActuators",
    "DCMotor",
    "DCMotorCfg",
    "DelayedDCMotor",
    "DelayedDCMotorCfg",
    "DelayedImplicitActuator",
    "DelayedImplicitActuatorCfg",
    "DelayedPDActuator",
    "DelayedPDActuatorCfg",
    "DenseLayer",
    "IdealPDActuator",
    "IdealPDActuatorCfg",
    "ImplicitActuator",
    "ImplicitActuatorCfg",
    "LstmLayer",
    "MultiRotorActions",
    "Network",
    "RemotizedPDActuator",
    "RemotizedPDActuatorCfg",
    "Thruster",
    "ThrusterCfg",
    "authored_actuators",
    "export_network",
    "format_resolution_tables",
    "prepare_drives",
    "resolve_joint_parameter",
    "save_network",
    "save_settings",
    "write_actuators",
]
