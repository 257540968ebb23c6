"""Policy control: a walking policy in a file moves the worlds of a model, without torch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_apply, quat_conjugate

if TYPE_CHECKING:
    from usdsim.scene import SceneData, SceneModel

__all__ = ["WalkingControl", "policy_beside"]

_FORWARD = (0.6, 0.0, 0.0)
"""Command of the first world: forward and left [m/s], turning [rad/s]."""


def policy_beside(source: Path) -> Path | None:
    """The policy that lies beside a robot's file; None: there is none."""
    file = source.parent / "policy.npz"
    return file if file.is_file() else None


class WalkingControl:
    """Controls of a policy that follows velocities, as `Control`; see `deployment` of its task.

    The first world walks straight on; the others have velocities of their own.

    Args:
        path: the policy.
        model: what is controlled: a robot with position servos on the joints of the policy.
        data: its worlds, with a batch axis, in the robot's first pose.

    Raises:
        FileError: the file is no policy.
        InvalidValueError: the policy does not say how it is used, or is for other joints.
    """

    def __init__(self, path: Path, model: SceneModel, data: SceneData):
        from usdsim.learning.policy import load_policy

        self._policy, self._data = load_policy(path), data
        task = self._policy.metadata.get("deployment")
        if task is None:
            raise InvalidValueError(f"policy {path}", "no entry 'deployment'", "one with it")
        joints = {joint.name: joint for joint in model.joints}
        servos: dict[str | None, Any] = {a.target_name: a for a in model.actuators}
        names = list(task["joints"])
        missing = [name for name in names if name not in joints or name not in servos]
        if missing:
            raise InvalidValueError(
                f"joints of policy {path}",
                missing,
                f"position servos on {sorted(map(str, joints))}",
            )
        self._root = model.get_link(task["root"])
        self._pos = [joints[name].dof_pos_index for name in names]
        self._vel = [joints[name].dof_vel_index for name in names]
        self._columns = [int(servos[name].ctrl_slice.start) for name in names]
        # Servos of another stiffness give the torque of the task's with targets so much closer.
        self._part = task["stiffness"] / np.array([float(servos[name].kp) for name in names])
        self._default = np.array(task["default"])
        self._scale, self._period = float(task["scale"]), float(task["period"])
        self._velocity_scale = float(task["velocity_scale"])
        low, high = np.array(task["commands"]).T
        count = data.shape[0]
        self._commands = np.random.default_rng(0).uniform(low, high, (count, 3))
        self._commands[0] = np.clip(_FORWARD, low, high)
        self._actions = np.zeros((count, len(names)))
        self._now, self._next = 0.0, 0.0

    def __call__(self, time: float) -> NDArray[np.float64]:
        """Controls at a time [s], shape (worlds, num_ctrls)."""
        if time < self._now:  # It starts anew.
            self._next = time
        self._now = time
        if time >= self._next - 1e-9:
            self._actions = np.asarray(self._policy(self._observations()), np.float64)
            self._next += self._period
        position = np.asarray(self._data.dof_pos, np.float64)[:, self._pos]
        target = self._default + self._scale * self._actions
        controls = np.array(self._data.actuator_ctrls, np.float64)
        controls[:, self._columns] = position + self._part * (target - position)
        return controls

    def _observations(self) -> Any:
        data, root = self._data, self._root
        inverse = quat_conjugate(root.get_rotation(data))
        down = np.broadcast_to((0.0, 0.0, -1.0), (len(inverse), 3))
        motion = (root.get_linear_velocity(data), root.get_angular_velocity(data), down)
        seen: list[Any] = [quat_apply(inverse, vector) for vector in motion]
        position, velocity = data.dof_pos[:, self._pos], data.dof_vel[:, self._vel]
        seen += [self._commands, position - self._default, self._velocity_scale * velocity]
        return np.concatenate([*seen, self._actions], axis=1)
