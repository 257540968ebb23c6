"""Sensors: what robots measure of the worlds they are simulated in.

A sensor is made from its configuration while there is a simulation, and measures once that was
started. `update` advances its time; `data` holds Warp arrays with an entry for each instance.
"""

from . import patterns
from .contact_sensor import ContactSensor
from .contact_sensor_cfg import ContactSensorCfg
from .contact_sensor_data import ContactSensorData
from .frame_transformer import FrameTransformer
from .frame_transformer_cfg import FrameTransformerCfg
from .frame_transformer_data import FrameTransformerData
from .imu import Imu
from .imu_cfg import ImuCfg
from .imu_data import ImuData
from .joint_wrench_sensor import JointWrenchSensor
from .joint_wrench_sensor_cfg import JointWrenchSensorCfg
from .joint_wrench_sensor_data import JointWrenchSensorData
from .ray_caster import RayCaster
from .ray_caster_cfg import RayCasterCfg
from .ray_caster_data import RayCasterData
from .sensor_base import SensorBase
from .sensor_base_cfg import OffsetCfg, SensorBaseCfg

__all__ = [
    "ContactSensor",
    "ContactSensorCfg",
    "ContactSensorData",
    "FrameTransformer",
    "FrameTransformerCfg",
    "FrameTransformerData",
    "Imu",
    "ImuCfg",
    "ImuData",
    "JointWrenchSensor",
    "JointWrenchSensorCfg",
    "JointWrenchSensorData",
    "OffsetCfg",
    "RayCaster",
    "RayCasterCfg",
    "RayCasterData",
    "SensorBase",
    "SensorBaseCfg",
    "patterns",
]
