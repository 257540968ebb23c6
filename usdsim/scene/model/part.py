"""Base class of the parts of a `SceneModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .scene_model import SceneModel

__all__ = ["ModelPart"]


class ModelPart:
    """A group of methods of `SceneModel`, kept in a file of its own."""

    @property
    def _model(self) -> SceneModel:
        return cast("SceneModel", self)
