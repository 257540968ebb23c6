"""Sensor readings of a `SceneModel`, by name or compiled into one array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from usdsim.core.errors import InvalidValueError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data
from usdsim.scene.queries.query import Request
from usdsim.scene.queries.read_plan import QueryPlan
from usdsim.scene.queries.write_plan import WritePlan
from usdsim.scene.sensors.lidar import Lidar, lidars_of
from usdsim.scene.sensors.values import SensorLayout

from .part import ModelPart

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["ModelReadings"]


class ModelReadings(ModelPart):
    """Sensors, and plans of what is read and written at every step."""

    def get_sensor_value(self, id: str | int, data: SceneData, noise: bool = True) -> FloatArray:
        """Values of a sensor by name, path or index, shape (*B, size).

        Args:
            id: which sensor.
            data: the worlds.
            noise: add noise, if `SceneData.seed_sensor_noise` was called.
        """
        return self._model.catalog("sensor").get(id).get_value(data, noise)

    def get_sensor_values(
        self, names: Sequence[str | int], data: SceneData, noise: bool = True
    ) -> FloatArray:
        """Values of several sensors, one after the other, shape (*B, sum of sizes).

        Args:
            names: which sensors, by name, path or index.
            data: the worlds.
            noise: add noise, if `SceneData.seed_sensor_noise` was called.
        """
        check_data(data, self._model)
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidValueError("names", names, "a list of names, paths or indices")
        find = self._model.catalog("sensor").index
        sensors = [find(name) for name in names]
        return data.read_sensors(sensors, noise)

    def compile_query(self, fields: Sequence[Request] | Mapping[str, Request]) -> QueryPlan:
        """Resolve once what is read at every step.

        Args:
            fields: what to read, in this order: ``"hand.pose"`` (element by name or path, and
                quantity), ``"link:hand.pose"`` if elements of several kinds have the name,
                ``(element, "pose")``, or ``"dof_pos"``, ``"dof_vel"``, ``"actuator_ctrls"``,
                ``"com"`` and ``"time"`` of the whole scene. A mapping gives the parts other names.
                Links, sites and geoms have ``pose``, ``position``, ``rotation``,
                ``rotation_mat``, ``linear_velocity``, ``angular_velocity`` and ``velocity``, links
                ``com`` too; bodies the same as their base link, ``joint_dof_pos`` and
                ``joint_dof_vel``; joints and floating bases ``dof_pos`` and ``dof_vel``; sensors
                ``value``; actuators ``ctrl``; tendons ``length`` and ``velocity``; cameras
                ``pose``. Sources of `usdsim.query`, such as ``LinkPosition(["hand"])``, are for
                many elements at once; they need a mapping.

        Raises:
            UnknownNameError: there is no such element or quantity.
            InvalidValueError: a name is used twice.
        """
        return QueryPlan(self._model, fields)

    def compile_write(
        self,
        fields: Sequence[Request] | Mapping[str, Request],
        reset: bool = False,
        reset_overrides: bool = True,
        forward_kinematic: bool = False,
    ) -> WritePlan:
        """Resolve once what is written again and again.

        Args:
            fields: what to write, as for `compile_query`: ``dof_pos`` and ``dof_vel`` of joints,
                floating bases and the whole scene, ``joint_dof_pos`` and ``joint_dof_vel`` of
                bodies, ``ctrl`` of actuators, ``actuator_ctrls``, and ``pose`` of mocap bodies.
                Sources of `usdsim.write`, such as ``LinkMassOverride()``, are for many elements at
                once; they need a mapping.
            reset: whether programs of the plan put worlds back to their initial state first.
            reset_overrides: whether that also drops parameters set for single worlds.
            forward_kinematic: whether programs of the plan compute kinematics at once.

        Raises:
            UnknownNameError: there is no such element or quantity.
            InvalidValueError: a name is used twice, or two parts write the same numbers.
        """
        return WritePlan(self._model, fields, reset, reset_overrides, forward_kinematic)

    @cached_property
    def sensor_layout(self) -> SensorLayout:
        """Layout of the values of sensors."""
        return SensorLayout(self._model.low)

    @cached_property
    def lidars(self) -> dict[int, Lidar]:
        """Lidars, by engine id of the sensor."""
        return lidars_of(self._model)
