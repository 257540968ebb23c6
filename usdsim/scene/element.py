"""What all parts of a `SceneModel` have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

if TYPE_CHECKING:
    from .data import SceneData
    from .model import SceneModel

__all__ = ["Element"]


class Element:
    """One part of a model; it holds no state, so it serves every `SceneData` of that model."""

    __slots__ = ("_id", "_index", "_model")

    kind: ClassVar[str] = "element"

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
        """How messages call it: kind, name and path."""
        return self._model.catalog(self.kind).title(self._index)

    def _column(self, data: SceneData, field: str) -> NDArray[Any]:
        """This element's entry of an engine array, shape (*B, ...)."""
        return data.field(self._model, field)[..., self._id, :]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._index} {self.name or self.path!r}>"
