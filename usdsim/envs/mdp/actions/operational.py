"""Operational space actions: poses and wrenches of an end effector, reached by joint efforts."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, ClassVar

import torch

from usdsim.controllers import OperationalSpaceController, OperationalSpaceControllerCfg
from usdsim.controllers.operational_space import GAINS
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import quat_apply_inverse, subtract_frame_transforms
from usdsim.sensors import ContactSensor

from .buffered import BufferedActions
from .end_effector import EndEffector, EndEffectorOffsetCfg

__all__ = ["OperationalSpaceControllerAction", "OperationalSpaceControllerActionCfg"]

_POSTURES = ("none", "zero", "default", "center")


class OperationalSpaceControllerAction(BufferedActions):
    """Pose and wrench of a body in the root's or a task frame, by joint efforts in every time step.

    What the numbers of an action mean is up to the controller; see `OperationalSpaceController`.

    Raises:
        InvalidValueError: the posture does not fit the controller's null space.
        StageError: the scene lacks the task frame, or the sensor that measured forces come from.
    """

    def __init__(self, cfg: OperationalSpaceControllerActionCfg, env: Any):
        super().__init__(cfg, env)
        control = cfg.controller_cfg
        self._controller = OperationalSpaceController(control, self.num_envs, self.device)
        self._end_effector = EndEffector(
            self._asset, cfg.body_name, cfg.joint_names, cfg.body_offset
        )
        self._allocate(self._controller.action_dim)
        self._scale = torch.tensor(_scales(cfg), device=self.device)
        self._posture = self._joint_goal(cfg.nullspace_joint_pos_target)
        self._frame = None
        if cfg.task_frame_rel_path is not None:
            self._frame = self._task_frame(cfg.task_frame_rel_path)
        measures = "wrench_abs" in control.target_types
        self._sensor: Any = None
        if measures and control.contact_wrench_stiffness_task is not None:
            self._sensor, self._sensed = self._contact_sensor()
        self._needs_mass = control.inertial_dynamics_decoupling or (
            control.nullspace_control != "none"
        )

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, action_dim)."""
        self._raw_actions.copy_(actions)
        self._processed_actions.copy_(actions * self._scale)
        frame = None if self._frame is None else self._in_root(self._frame.data)
        command = self._processed_actions
        self._controller.set_command(command, torch.cat(self._end_effector.pose(), dim=1), frame)

    def apply_actions(self) -> None:
        """Set the efforts of the joints."""
        data, tool = self._asset.data, self._end_effector
        mass = gravity = force = None
        if self._needs_mass:
            mass = tensor(data.mass_matrix)[:, tool.dofs][:, :, tool.dofs]
        if self.cfg.controller_cfg.gravity_compensation:
            gravity = tensor(data.gravity_compensation_forces)[:, tool.dofs]
        if self._sensor is not None:
            pushed = tensor(self._sensor.data.net_forces_w)[:, self._sensed]
            force = quat_apply_inverse(tensor(data.root_quat_w), pushed)
        efforts = self._controller.compute(
            jacobian_b=tool.jacobian(),
            current_ee_pose_b=torch.cat(tool.pose(), dim=1),
            current_ee_vel_b=tool.velocity(),
            current_ee_force_b=force,
            mass_matrix=mass,
            gravity=gravity,
            current_joint_pos=tensor(data.joint_pos)[:, tool.joint_ids],
            current_joint_vel=tensor(data.joint_vel)[:, tool.joint_ids],
            nullspace_joint_pos_target=self._posture,
        )
        self._asset.set_joint_effort_target(efforts, joint_ids=tool.joint_ids)

    # -- inside --------------------------------------------------------------------------------

    def _in_root(self, data: Any) -> torch.Tensor:
        """Pose of a rigid object in the frame of the articulation's root, shape (num_envs, 7)."""
        root = self._asset.data
        pose = subtract_frame_transforms(
            tensor(root.root_pos_w), tensor(root.root_quat_w),
            tensor(data.root_pos_w), tensor(data.root_quat_w),
        )  # fmt: skip
        return torch.cat(pose, dim=1)

    def _joint_goal(self, posture: str) -> torch.Tensor | None:
        """Posture of the joints in the null space, shape (num_envs, joints); None: zero."""
        allowed = _POSTURES[1:] if self._holds_posture else _POSTURES[:1]
        if posture not in allowed:
            raise InvalidValueError(
                "nullspace_joint_pos_target", posture, f"one of {allowed} with nullspace_control "
                f"{self.cfg.controller_cfg.nullspace_control!r}",
            )  # fmt: skip
        data, ids = self._asset.data, self._end_effector.joint_ids
        if posture == "default":
            return tensor(data.default_joint_pos)[:, ids].clone()
        if posture == "center":
            return tensor(data.soft_joint_pos_limits)[:, ids].mean(dim=-1)
        return None

    @property
    def _holds_posture(self) -> bool:
        return bool(self.cfg.controller_cfg.nullspace_control == "position")

    def _task_frame(self, path: str) -> Any:
        """The rigid object whose prim is the task frame."""
        objects = self._env.scene.rigid_objects
        for body in objects.values():
            if body.cfg.prim_path.endswith(f"/{path}"):
                return body
        raise StageError(
            f"No rigid object of the scene has a prim path that ends with /{path}; there are "
            f"{list(objects)}. Correct task_frame_rel_path, or add a RigidObjectCfg."
        )

    def _contact_sensor(self) -> tuple[Any, int]:
        """The contact sensor that measures the body, and the body's number in it."""
        name, place = self._asset.body_names[self._end_effector.body], self._asset.cfg.prim_path
        for sensor in self._env.scene.sensors.values():
            near = isinstance(sensor, ContactSensor) and sensor.cfg.prim_path.startswith(place)
            if near and name in sensor.body_names:
                return sensor, sensor.body_names.index(name)
        raise StageError(
            f"contact_wrench_stiffness_task needs the measured force of {name!r}: add a "
            f"ContactSensorCfg with a prim path that matches it, below {place}, to the scene."
        )


def _scales(cfg: OperationalSpaceControllerActionCfg) -> list[float]:
    """Factors of the numbers of an action, in the controller's order."""
    place, turn, wrench = cfg.position_scale, cfg.orientation_scale, cfg.wrench_scale
    parts = {
        "pose_abs": [place] * 3 + [turn] * 4,
        "pose_rel": [place] * 3 + [turn] * 3,
        "wrench_abs": [wrench] * 6,
    }
    factors = [factor for kind in cfg.controller_cfg.target_types for factor in parts[kind]]
    gains = GAINS[cfg.controller_cfg.impedance_mode]
    return factors + ([cfg.stiffness_scale] * 6 + [cfg.damping_ratio_scale] * 6)[: 6 * gains]


class OperationalSpaceControllerActionCfg(ActionTermCfg):
    """Pose and wrench of a body by operational space control."""

    OffsetCfg: ClassVar[type[EndEffectorOffsetCfg]] = EndEffectorOffsetCfg

    class_type: type[Any] = OperationalSpaceControllerAction
    """Class of the term."""
    joint_names: list[str] = MISSING  # type: ignore[assignment]
    """Expressions for the joints that move the body, which no other drive should hold."""
    body_name: str = MISSING  # type: ignore[assignment]
    """Name of the body."""
    body_offset: EndEffectorOffsetCfg | None = None
    """Pose of the end effector in the frame of the body; None: at its origin."""
    task_frame_rel_path: str | None = None
    """End of the prim path of the rigid object that is the task frame; None: the root's frame."""
    controller_cfg: OperationalSpaceControllerCfg = MISSING  # type: ignore[assignment]
    """Controller that finds the efforts."""
    position_scale: float = 1.0
    """Factor of positions [m]."""
    orientation_scale: float = 1.0
    """Factor of quaternions or rotation vectors [rad]."""
    wrench_scale: float = 1.0
    """Factor of forces [N] and torques [N m]."""
    stiffness_scale: float = 1.0
    """Factor of commanded stiffness."""
    damping_ratio_scale: float = 1.0
    """Factor of commanded damping ratios."""
    nullspace_joint_pos_target: str = "none"
    """Posture of the joints in the null space, if the controller holds one: ``zero``, ``default``
    positions, or the ``center`` of their limits; else ``none``."""
