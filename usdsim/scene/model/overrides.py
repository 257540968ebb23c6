"""Overrides of a `SceneModel`: parameters of many elements, and gravity, per world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.errors import InvalidValueError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import numbers, require_finite
from usdsim.scene.data.given import check_data
from usdsim.scene.elements.element import Element
from usdsim.scene.parameters.overrides import (
    InvalidPolicy,
    checked_policy,
    shared_parameter,
    write_override,
)

from .part import ModelPart

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["ModelOverrides"]


class ModelOverrides(ModelPart):
    """Parameters that differ from world to world; the model itself keeps its own."""

    def get_gravity_override(self, data: SceneData) -> FloatArray:
        """Gravity of each world [m/s^2], shape (*B, 3)."""
        check_data(data, self._model)
        return data.param("opt.gravity").astype(np.float32)

    def set_gravity_override(
        self, data: SceneData, gravity: ArrayLike, invalid: InvalidPolicy = "raise"
    ) -> None:
        """Set the gravity of each world [m/s^2], shape (3,) or (*B, 3).

        Bodies of other physics scenes than the first one keep the ratio of theirs to it.

        Args:
            data: the worlds.
            gravity: in world.
            invalid: ``"ignore"`` leaves worlds whose gravity is not finite as they are;
                ``"raise"`` refuses the call.

        Raises:
            InvalidValueError: a value is not finite; nothing is changed then.
        """
        check_data(data, self._model)
        array = numbers(gravity, data.shape, (3,), "gravity")
        good = np.asarray(np.isfinite(array).all(axis=-1))
        if checked_policy(invalid) == "raise":
            require_finite(array, (3,), "gravity", data.world_ids)
        elif not good.all():
            if good.ndim:
                rows = np.flatnonzero(good)
                data[rows].set_param("opt.gravity", None, array[rows])
            return
        data.set_param("opt.gravity", None, array)

    def get_overrides(self, data: SceneData, elements: Sequence[Element], name: str) -> FloatArray:
        """A parameter of several elements of one kind, such as ``"mass"``, shape (*B, n, ...)."""
        chosen = self._chosen(data, elements)
        if not chosen:
            return np.empty((*data.shape, 0), dtype=np.float32)
        values = shared_parameter(chosen, name).read(chosen, data)
        return values.astype(np.float32)

    def set_overrides(
        self,
        data: SceneData,
        elements: Sequence[Element],
        name: str,
        values: ArrayLike,
        invalid: InvalidPolicy = "raise",
    ) -> None:
        """Set a parameter of several elements at once, which is faster than one by one.

        Args:
            data: the worlds.
            elements: links, joints, geoms, actuators or tendons of one kind, without repetition.
            name: the parameter, such as ``"mass"``: see `Element.override_names`.
            values: shape (n, ...) for all worlds alike, or (*B, n, ...).
            invalid: ``"ignore"`` leaves worlds with values that are not allowed as they are;
                ``"raise"`` refuses the call.

        Raises:
            ShapeError: the values have another shape.
            InvalidValueError: a value is not allowed, or an element is named twice; nothing is
                changed then.
        """
        chosen = self._chosen(data, elements)
        if len(set(chosen)) < len(chosen):
            raise InvalidValueError("elements", elements, "each element once")
        if chosen:
            write_override(shared_parameter(chosen, name), chosen, data, values, invalid)

    def _chosen(self, data: SceneData, elements: Sequence[Element]) -> list[Element]:
        """The elements, if they are those of the model, and the data too."""
        check_data(data, self._model)
        listed = [*elements] if np.iterable(elements) else [elements]
        for element in listed:
            if not isinstance(element, Element):
                raise InvalidValueError("elements", elements, "links, joints, geoms and so on")
            check_data(data, element.model)
        return listed
