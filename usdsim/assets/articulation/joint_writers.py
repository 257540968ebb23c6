"""Joint writers: state, drives and position limits of the joints of an articulation."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from usdsim.assets.writers import JointRows
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask
from usdsim.views.values import Values

__all__ = ["JointWriters"]

logger = logging.getLogger("usdsim")


class JointWriters(JointRows):
    """Writers of joint state, joint properties and position limits, which act at once.

    Soft limits follow the limits, and default positions are moved inside them.
    """

    def write_joint_state_to_sim(
        self,
        position: Values,
        velocity: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
    ) -> None:
        """Set positions and velocities of joints.

        Args:
            position: [m or rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it.
            velocity: [m/s or rad/s], same shape.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self.write_joint_state_to_sim_index(
            position=position, velocity=velocity, joint_ids=joint_ids, env_ids=env_ids
        )

    def write_joint_state_to_sim_index(
        self,
        *,
        position: Values,
        velocity: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set positions and velocities of joints.

        Args:
            position: [m or rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it.
            velocity: [m/s or rad/s], same shape.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            full_data: whether the values are those of all instances and joints.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        layout = self._view.layout
        rows = selected("env_ids", env_ids, layout.num_instances)
        columns = selected("joint_ids", joint_ids, layout.num_joints)
        self._view.checked("joint_velocity", velocity, rows, columns, full_data)
        self._view.write("joint_position", position, rows, columns, full_data=full_data)
        self._view.write("joint_velocity", velocity, rows, columns, full_data=full_data)

    def write_joint_state_to_sim_mask(
        self,
        *,
        position: Values,
        velocity: Values,
        joint_mask: Mask = None,
        env_mask: Mask = None,
    ) -> None:
        """Set positions and velocities of joints where masks are true.

        Args:
            position: [m or rad], shape (num_instances, num_joints) or what broadcasts to it.
            velocity: [m/s or rad/s], same shape.
            joint_mask: which joints, shape (num_joints,); None: all.
            env_mask: which instances, shape (num_instances,); None: all.

        Raises:
            InvalidValueError: a value is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        layout = self._view.layout
        self.write_joint_state_to_sim_index(
            position=position,
            velocity=velocity,
            joint_ids=selected_by_mask("joint_mask", joint_mask, layout.num_joints),
            env_ids=selected_by_mask("env_mask", env_mask, layout.num_instances),
            full_data=True,
        )

    # -- position limits ------------------------------------------------------------------------

    def write_joint_position_limit_to_sim(
        self,
        limits: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        warn_limit_violation: bool = True,
    ) -> None:
        """Set position limits of joints; infinite ends are no limit.

        Args:
            limits: lower and upper limits [m or rad], shape (len(env_ids), len(joint_ids), 2) or
                what broadcasts to it.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            warn_limit_violation: whether to warn about default positions that were outside.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self._write_limits(limits, env_ids, joint_ids, False, warn_limit_violation)

    def write_joint_position_limit_to_sim_index(
        self,
        *,
        limits: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
        warn_limit_violation: bool = True,
    ) -> None:
        """Set position limits of joints; infinite ends are no limit.

        Args:
            limits: lower and upper limits [m or rad], shape (len(env_ids), len(joint_ids), 2) or
                what broadcasts to it.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            full_data: whether the values are those of all instances and joints.
            warn_limit_violation: whether to warn about default positions that were outside.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self._write_limits(limits, env_ids, joint_ids, full_data, warn_limit_violation)

    def write_joint_position_limit_to_sim_mask(
        self,
        *,
        limits: Values,
        joint_mask: Mask = None,
        env_mask: Mask = None,
        warn_limit_violation: bool = True,
    ) -> None:
        """Set position limits of joints where masks are true; infinite ends are no limit.

        Args:
            limits: lower and upper limits [m or rad], shape (num_instances, num_joints, 2) or
                what broadcasts to it.
            joint_mask: which joints, shape (num_joints,); None: all.
            env_mask: which instances, shape (num_instances,); None: all.
            warn_limit_violation: whether to warn about default positions that were outside.

        Raises:
            InvalidValueError: a value is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        layout = self._view.layout
        rows = selected_by_mask("env_mask", env_mask, layout.num_instances)
        columns = selected_by_mask("joint_mask", joint_mask, layout.num_joints)
        self._write_limits(limits, rows, columns, True, warn_limit_violation)

    def write_joint_limits_to_sim(
        self,
        limits: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        warn_limit_violation: bool = True,
    ) -> None:
        """Set position limits of joints; another name of `write_joint_position_limit_to_sim`.

        Args:
            limits: lower and upper limits [m or rad], shape (len(env_ids), len(joint_ids), 2) or
                what broadcasts to it.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            warn_limit_violation: whether to warn about default positions that were outside.
        """
        self._write_limits(limits, env_ids, joint_ids, False, warn_limit_violation)

    def _write_limits(
        self, limits: Values, env_ids: Indices, joint_ids: Indices, full: bool, warn: bool
    ) -> None:
        view = self._view
        rows = selected("env_ids", env_ids, view.layout.num_instances)
        columns = selected("joint_ids", joint_ids, view.layout.num_joints)
        bounds = view.checked("joint_position_limit", limits, rows, columns, full)
        view.write("joint_position_limit", bounds, rows, columns)
        default = np.array(self.data.default_joint_pos.numpy())
        cells: Any = np.ix_(
            np.arange(default.shape[0]) if rows is None else rows,
            np.arange(default.shape[1]) if columns is None else columns,
        )
        inside = np.clip(default[cells], bounds[..., 0], bounds[..., 1])
        moved = (inside != default[cells]).any(axis=0)
        if not moved.any():
            return
        default[cells] = inside
        self.data.default_joint_pos.assign(default)
        if warn:
            names = np.asarray(view.layout.joint_names)[cells[1][0]][moved]
            logger.warning(
                "%s: default positions of joints %s were outside their new limits and are at the "
                "nearest one now.",
                view.layout.title,
                ", ".join(names),
            )
