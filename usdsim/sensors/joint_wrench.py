"""Joint wrench sensors: forces and torques that joints transmit to bodies."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.participation import Simulation
from usdsim.engine.base import Engine
from usdsim.math.transforms import Pose
from usdsim.parser.description import SceneDescription
from usdsim.sensors.common.body_sensor import BodySensor
from usdsim.sensors.common.cfg import SensorBaseCfg
from usdsim.sensors.common.history import SampleHistories
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import joint_wrenches
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.usable import UsableArray

__all__ = ["JointWrenchSensor", "JointWrenchSensorCfg", "JointWrenchSensorData"]

_NAMES = ("force", "torque")


@dataclass(kw_only=True, eq=False)
class JointWrenchSensorData:
    """Arrays of a joint wrench sensor. N instances, B bodies, T samples.

    The wrench on a body is what its parent exerts on it through the joint between them.
    """

    force: UsableArray
    """Forces on the bodies, axes of the joint frames [N], vec3f, shape (N, B)."""
    torque: UsableArray
    """Torques on the bodies about the joint frames' origins, axes of the joint frames [N m],
    vec3f, shape (N, B)."""
    force_history: UsableArray
    """The last samples of the forces, newest first, zero where none was taken since the last reset
    [N], vec3f, shape (N, T, B). Without a history, T is 1 and it is `force` itself."""
    torque_history: UsableArray
    """The last samples of the torques, newest first [N m], vec3f, shape (N, T, B)."""


class JointWrenchSensor(BodySensor):
    """Forces and torques on bodies by their parents, at the incoming joints.

    They are those of the present state and inputs. The joint frame is that on the body's own side:
    the first joint's where several join the same two bodies, and the body's frame where it has no
    joint. Reading them computes the dynamics of all worlds once more.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: JointWrenchSensorCfg
    data: JointWrenchSensorData

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        bodies = self._find(simulation, engine)
        device = engine.device
        size = (simulation.num_envs * len(bodies), bodies.shape[1])
        arrays = {name: wp.zeros(size, dtype=wp.vec3f, device=device) for name in _NAMES}
        self._histories = SampleHistories(engine, arrays, self.cfg.history_length)
        frames = _joint_frames(engine.compiled.scene, self._body_paths)
        self._pass = KernelPass(
            engine,
            joint_wrenches,
            size[0],
            size[1:],
            [
                "joint_wrenches",
                "xquat",
                wp.array(bodies, dtype=wp.int32, device=device),
                wp.array(frames, dtype=wp.transformf, device=device),
            ],
            [arrays["force"], arrays["torque"]],
        )
        self._data = JointWrenchSensorData(**arrays, **self._histories.arrays)
        return size[0]

    def _evaluate(self, rows: Rows) -> None:
        self._pass.run(rows)

    def _follow(self) -> Hashable | None:
        # The forces they follow from are solved for by a recording of the engine's own.
        return None

    def _sample(self, rows: Rows) -> None:
        self._evaluate(rows)
        self._histories.push(rows)

    def _forget(self, rows: Rows | DeviceSelection) -> None:
        self._histories.clear(rows)


def _joint_frames(scene: SceneDescription, paths: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Frames of the incoming joints in the bodies' frames, shape (matches, bodies, 7)."""
    frames = np.zeros((len(paths), len(paths[0]), 7), np.float32)
    known = {body.path: body for body in scene.bodies}
    for match, row in enumerate(paths):
        for k, path in enumerate(row):
            joints = known[path].joints
            frame = scene.joints[joints[0]].child_frame if joints else Pose()
            frames[match, k] = frame.row
    return frames


@dataclass(kw_only=True)
class JointWrenchSensorCfg(SensorBaseCfg):
    """Forces and torques at the incoming joints of bodies.

    The prim path is that of a robot, of one of its bodies, or ends with a pattern for names of
    bodies: ``{ENV_REGEX_NS}/Robot/.*_foot``.
    """

    class_type: type[Any] | None = JointWrenchSensor
    """Class of the sensor."""
