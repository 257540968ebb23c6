"""Engine class, for CPU and GPU."""

from __future__ import annotations

from usdsim.core.errors import UnsupportedError
from usdsim.engine.effects.joint_effects import JointEffects
from usdsim.engine.effects.kinematics.stepping import KinematicSteps
from usdsim.engine.surfaces.properties import SurfaceProperties

from .failures import FailurePolicy, WorldFailure
from .part import DeviceEngine

__all__ = ["DeviceEngine", "Engine", "FailurePolicy", "WorldFailure", "device_engine"]


class Engine(KinematicSteps, JointEffects, SurfaceProperties):
    """Worlds of one compiled model, stepped together, with kinematic bodies, joints and surfaces.

    Fields are named as in the engine's own documentation: ``qpos``, ``qvel``, ``xpos``, ``ctrl``.
    Arrays have the world first. What is read is always what the last write, reset or step implies.
    """


def device_engine(engine: Engine) -> DeviceEngine:
    """The engine, as what an engine of a device offers besides.

    Raises:
        UnsupportedError: it is the CPU's, which keeps no arrays of a device.
    """
    if engine.on_device is None:
        raise UnsupportedError(
            f"The engine on {engine.device!r} has no arrays on a device and records no steps. Use "
            "device='cuda', or 'warp:cpu' for the same path without a GPU."
        )
    return engine.on_device
