"""Sensors: what robots measure of the worlds they are simulated in.

A sensor is made from its configuration while there is a simulation, and measures once that was
started. `update` advances its time; `data` holds Warp arrays with an entry for each instance.
"""

from usdsim.sensors.camera.camera import Camera
from usdsim.sensors.camera.cfg import CameraCfg, TiledCameraCfg
from usdsim.sensors.camera.data import CameraData
from usdsim.sensors.common.cfg import OffsetCfg, SensorBaseCfg
from usdsim.sensors.common.sensor import SensorBase
from usdsim.sensors.contact.cfg import ContactSensorCfg
from usdsim.sensors.contact.data import ContactSensorData
from usdsim.sensors.contact.sensor import ContactSensor
from usdsim.sensors.frames.frame_transformer import (
    FrameTransformer,
    FrameTransformerCfg,
    FrameTransformerData,
)
from usdsim.sensors.imu import Imu, ImuCfg, ImuData, Pva, PvaCfg
from usdsim.sensors.joint_wrench import (
    JointWrenchSensor,
    JointWrenchSensorCfg,
    JointWrenchSensorData,
)
from usdsim.sensors.rays import multi_mesh
from usdsim.sensors.rays.camera import (
    RayCasterCamera,
    RayCasterCameraCfg,
    RayCasterCameraData,
)
from usdsim.sensors.rays.multi_mesh import *
from usdsim.sensors.rays.ray_caster import RayCaster, RayCasterCfg, RayCasterData

from . import patterns

TiledCamera = Camera
"""The same under the name of renderers that draw many cameras as tiles of one image."""

__all__ = [
    *multi_mesh.__all__,
    "Camera",
    "CameraCfg",
    "CameraData",
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
    "Pva",
    "PvaCfg",
    "RayCaster",
    "RayCasterCamera",
    "RayCasterCameraCfg",
    "RayCasterCameraData",
    "RayCasterCfg",
    "RayCasterData",
    "SensorBase",
    "SensorBaseCfg",
    "TiledCamera",
    "TiledCameraCfg",
    "patterns",
]
