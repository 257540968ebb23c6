"""Element base class of a `SceneModel`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, UnknownNameError, UnsupportedError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import engine_array
from usdsim.scene.parameters.engine_fields import PhysicalParameter
from usdsim.scene.parameters.overrides import InvalidPolicy

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["Element"]


class Element:
    """One part of a model; it holds no state, so it serves every `SceneData` of that model."""

    __slots__ = ("_id", "_index", "_model")

    kind: ClassVar[str] = "element"
    override_error: ClassVar[type[InvalidValueError]] = InvalidValueError
    """Error for parameters that are not allowed."""

    def __init__(self, model: SceneModel, index: int, engine_id: int):
        self._model = model
        self._index = index
        self._id = engine_id

    @property
    def model(self) -> SceneModel:
        """The model this belongs to."""
        return self._model

    @property
    def index(self) -> int:
        """Position in the model's list of its kind."""
        return self._index

    @property
    def engine_id(self) -> int:
        """Index among the elements of its kind in `SceneModel.low`."""
        return self._id

    @property
    def name(self) -> str | None:
        """Name in the source file; None if it had none there.

        Of stages that were not converted, the prim's name, or its path where several have it.
        """
        return self._model.catalog(self.kind).names[self._index]

    @property
    def path(self) -> str:
        """Prim path."""
        return self._model.catalog(self.kind).paths[self._index]

    @property
    def title(self) -> str:
        """Name in messages: kind, name and path."""
        return self._model.catalog(self.kind).title(self._index)

    # Parameters per world ------------------------------------------------------------------------

    @property
    def override_names(self) -> tuple[str, ...]:
        """The parameters that may differ from world to world, for `get_override`.

        Shapes of geoms are none: they are no numbers, see `Geom.set_shape_override`.
        """
        own = {*dir(type(self))} - {"set_shape_override"}
        known = (re.fullmatch("get_(.+)_override", name) for name in sorted(own))
        return tuple(match[1] for match in known if match and f"set_{match[1]}_override" in own)

    def get_override(self, name: str, data: SceneData) -> FloatArray:
        """A parameter of each world by name, as ``get_<name>_override``.

        Raises:
            UnknownNameError: the element has no such parameter.
        """
        return getattr(self, self._override_method("get", name))(data)

    def set_override(
        self, name: str, data: SceneData, values: ArrayLike, invalid: InvalidPolicy = "raise"
    ) -> None:
        """Set a parameter of each world by name, as ``set_<name>_override``.

        Raises:
            UnknownNameError: the element has no such parameter.
        """
        getattr(self, self._override_method("set", name))(data, values, invalid=invalid)

    def parameter(self, name: str) -> PhysicalParameter:
        """Parameter that `set_override` sets: where it is stored and what is allowed.

        Raises:
            UnknownNameError: the element has no such parameter.
        """
        method = getattr(type(self), self._override_method("set", name))
        return method.parameter

    def _override_method(self, verb: str, name: str) -> str:
        if not isinstance(name, str) or name not in self.override_names:
            raise UnknownNameError("override", name, self.override_names, self.title)
        return f"{verb}_{name}_override"

    def rows(self, field: str) -> range:
        """Rows of the element in an array of the engine's model."""
        return range(self._id, self._id + 1)

    def standing(self, field: str) -> NDArray[Any]:
        """Value of the element in an array of the model in which it has no rows.

        Raises:
            UnsupportedError: it has rows in all arrays.
        """
        raise UnsupportedError(f"{self.title} is held by the engine: see rows({field!r}).")

    def _column(self, data: SceneData, field: str) -> NDArray[Any]:
        """This element's entry of an engine array, shape (*B, ...)."""
        return engine_array(data, self._model, field)[..., self._id, :]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._index} {self.name or self.path!r}>"
