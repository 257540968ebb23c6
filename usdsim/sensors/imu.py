"""Inertial measurement units: motion of points of bodies, as these see it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from usdsim.assets.common.motion import unit_vectors
from usdsim.assets.participation import Simulation
from usdsim.core.arguments import of_kind, table
from usdsim.engine.base import Engine
from usdsim.engine.trees import last_dofs
from usdsim.sensors.common.cfg import OffsetCfg, SensorBaseCfg
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import imu_motion
from usdsim.sensors.common.matching import find_frames
from usdsim.sensors.common.sensor import SensorBase
from usdsim.sensors.frames.frame_poses import FramePoses, pose_parts
from usdsim.views.usable import UsableArray

__all__ = ["Imu", "ImuCfg", "ImuData", "Pva", "PvaCfg"]

_MOTION = ("lin_vel_b", "ang_vel_b", "lin_acc_b", "ang_acc_b", "projected_gravity_b")
_KINEMATICS = ("xpos", "xquat", "cvel", "subtree_com", "cdof", "cdof_dot", "qvel", "acceleration")


@dataclass(kw_only=True, eq=False)
class ImuData:
    """Arrays of an inertial measurement unit. N instances; b is the sensor's own frame."""

    pose_w: UsableArray
    """Pose, world [m], transformf, shape (N,)."""
    pos_w: UsableArray
    """Position, world [m], vec3f, shape (N,)."""
    quat_w: UsableArray
    """Orientation, world, xyzw, quatf, shape (N,)."""
    lin_vel_b: UsableArray
    """Linear velocity of the sensor's origin, own axes [m/s], vec3f, shape (N,)."""
    ang_vel_b: UsableArray
    """Angular velocity, own axes [rad/s], vec3f, shape (N,)."""
    lin_acc_b: UsableArray
    """Linear acceleration of the sensor's origin with the gravity bias, own axes [m/s^2], vec3f,
    shape (N,)."""
    ang_acc_b: UsableArray
    """Angular acceleration, own axes [rad/s^2], vec3f, shape (N,)."""
    projected_gravity_b: UsableArray
    """Unit vector along gravity, own axes, zero without gravity, vec3f, shape (N,)."""


class Imu(SensorBase):
    """Velocities, accelerations and the direction of gravity, along the sensor's own axes.

    Accelerations are the change of velocity over the last time step; after a reset or a write they
    are what the forces imply. Nothing is computed before the data are read, but keeping the
    velocities of the last step.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: ImuCfg
    data: ImuData

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        frames = find_frames(type(self).__name__, simulation, self.cfg.prim_path)
        offsets = frames.offset(self.cfg.offset.pose("offset"))
        self._frames = FramePoses(engine, frames.bodies[:, None], offsets[:, :, None])
        count, device = self._frames.count, engine.device
        pos, quat = pose_parts(self._frames.poses, flat=True)
        arrays = {name: wp.zeros(count, dtype=wp.vec3f, device=device) for name in _MOTION}
        self._gravity = wp.zeros(simulation.num_envs, dtype=wp.vec3f, device=device)
        self._gravity_seen = -1
        model = engine.compiled.mj
        tables = (model.body_rootid, last_dofs(model), model.dof_parentid)
        self._motion = KernelPass(
            engine,
            imu_motion,
            count,
            (),
            [
                *_KINEMATICS,
                self._gravity,
                wp.vec3f(*self.cfg.gravity_bias),
                self._frames.bodies,
                self._frames.offsets,
                *(wp.array(t, dtype=wp.int32, device=device) for t in tables),
            ],
            [arrays[name] for name in _MOTION],
        )
        # The acceleration over a step is known only to who asked before it.
        engine.track_acceleration()
        self._data = ImuData(pose_w=self._frames.poses.flatten(), pos_w=pos, quat_w=quat, **arrays)
        return count

    def _follow(self) -> Hashable | None:
        engine = self._running()
        if self._gravity_seen != engine.versions.parameters:
            self._gravity_seen = engine.versions.parameters
            directions = unit_vectors(engine.param("opt.gravity"))
            self._gravity.assign(directions.astype(np.float32))
        return ()

    def _evaluate(self, rows: Rows) -> None:
        self._frames.run(rows)
        self._motion.run(rows)


class Pva(Imu):
    """Pose, velocity and acceleration of a point of a body, which gravity adds nothing to."""


@dataclass(kw_only=True)
class ImuCfg(SensorBaseCfg):
    """An inertial measurement unit on a body, or on a prim fixed to one."""

    class_type: type[Any] | None = Imu
    """Class of the sensor."""
    offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Pose of the sensor on the prim."""
    gravity_bias: tuple[float, float, float] = (0.0, 0.0, 9.81)
    """Bias added to the linear acceleration in world [m/s^2]; the opposite of gravity makes it
    what an accelerometer shows, zero makes it the acceleration itself."""

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        of_kind(f"{title}.offset", self.offset, OffsetCfg).pose(f"{title}.offset")
        table(f"{title}.gravity_bias", self.gravity_bias, (3,))


@dataclass(kw_only=True)
class PvaCfg(ImuCfg):
    """A sensor of pose, velocity and acceleration on a body, or on a prim fixed to one."""

    class_type: type[Any] | None = Pva
    """Class of the sensor."""
    gravity_bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Bias added to the linear acceleration in world [m/s^2]."""
