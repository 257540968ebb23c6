"""Models of what moves joints: drives of the engine, PD controllers, motors and networks."""

from usdsim.actuators.networks import actuators as network_actuators
from usdsim.actuators.networks.actuators import *
from usdsim.actuators.networks.files import save_settings
from usdsim.actuators.networks.network import DenseLayer, LstmLayer, Network, save_network
from usdsim.actuators.networks.torchscript import export_network
from usdsim.actuators.thrusters.actions import MultiRotorActions
from usdsim.actuators.thrusters.cfg import ThrusterCfg
from usdsim.actuators.thrusters.thruster import Thruster

from . import dc_motor, ideal_pd, implicit
from .actions import ArticulationActions
from .authored import AuthoredActuators, authored_actuators
from .authoring import write_actuators
from .base import ActuatorBase, ActuatorBaseCfg
from .collection import ActuatorCollection, format_resolution_tables
from .dc_motor import *
from .drive_replacement import prepare_drives
from .ideal_pd import *
from .implicit import *
from .values import resolve_joint_parameter

__all__ = [
    *network_actuators.__all__,
    *dc_motor.__all__,
    *ideal_pd.__all__,
    *implicit.__all__,
    "ActuatorBase",
    "ActuatorBaseCfg",
    "ActuatorCollection",
    "ArticulationActions",
    "AuthoredActuators",
    "DenseLayer",
    "LstmLayer",
    "MultiRotorActions",
    "Network",
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
