"""Forces and torques that joints transmit to bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.simulation import Simulation
from usdsim.engine.base import Engine
from usdsim.parser.description import SceneDescription

from .body_sensor import BodySensor, push
from .joint_wrench_sensor_data import JointWrenchSensorData
from .kernel_pass import KernelPass, Rows
from .kernels import joint_wrenches
from .mirror import Mirror

if TYPE_CHECKING:
    from .joint_wrench_sensor_cfg import JointWrenchSensorCfg

__all__ = ["JointWrenchSensor"]

_NAMES = ("force", "torque")


class JointWrenchSensor(BodySensor):
    """Forces and torques on bodies by their parents, at the incoming joints.

    They are those of the present state and inputs. The joint frame is that on the body's own side:
    the first joint's where several join the same two bodies, and the body's frame where it has no
    joint. Reading them computes the dynamics of all worlds once more.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: JointWrenchSensorCfg

    def __init__(self, cfg: JointWrenchSensorCfg):
        super().__init__(cfg)
        self._mirrors: dict[str, Mirror] = {}

    @property
    def data(self) -> JointWrenchSensorData:
        """What the sensor measures.

        Raises:
            StageError: the simulation was not started.
        """
        self._refresh()
        found: JointWrenchSensorData = self._data
        return found

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        bodies = self._find(simulation, engine)
        device, length = engine.device, self.cfg.history_length
        size = (simulation.num_envs * len(bodies), bodies.shape[1])
        past = (size[0], max(length, 1), size[1])
        mirrors = {name: Mirror(size, wp.vec3f, device) for name in _NAMES}
        if length:
            mirrors |= {f"{name}_history": Mirror(past, wp.vec3f, device) for name in _NAMES}
        arrays = {name: mirror.array for name, mirror in mirrors.items()}
        if not length:
            arrays |= {f"{name}_history": arrays[name].reshape(past) for name in _NAMES}
        self._mirrors = mirrors
        paths = engine.compiled.names.paths("body")
        frames = _joint_frames(engine.compiled.scene, [[paths[b] for b in row] for row in bodies])
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
        self._data = JointWrenchSensorData(**arrays)
        return size[0]

    def _evaluate(self, rows: Rows) -> None:
        self._pass.run(rows)

    def _sample(self, rows: Rows, elapsed: NDArray[np.float64]) -> None:
        self._evaluate(rows)
        if self.cfg.history_length:
            for name in _NAMES:
                newest, history = self._mirrors[name], self._mirrors[f"{name}_history"]
                newest.fetch()
                push(history.host, newest.host, rows)
                history.publish()

    def _forget(self, rows: Rows) -> None:
        where: Any = slice(None) if rows is None else rows
        if self.cfg.history_length:
            for name in _NAMES:
                history = self._mirrors[f"{name}_history"]
                history.host[where] = 0.0
                history.publish()


def _joint_frames(scene: SceneDescription, paths: list[list[str]]) -> NDArray[np.float32]:
    """Frames of the incoming joints in the bodies' frames, shape (matches, bodies, 7)."""
    frames = np.zeros((len(paths), len(paths[0]), 7), np.float32)
    known = {body.path: body for body in scene.bodies}
    for match, row in enumerate(paths):
        for k, path in enumerate(row):
            joints = known[path].joints
            frame = scene.joints[joints[0]].child_frame if joints else None
            frames[match, k] = [0, 0, 0, 0, 0, 0, 1] if frame is None else [*frame.pos, *frame.quat]
    return frames
