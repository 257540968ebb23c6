"""Model part: base class of the parts of a `SceneModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scene_model import SceneModel

__all__ = ["ModelPart"]


class ModelPart:
    """Operations of a model on one subject.

    Args:
        model: the model they belong to.
    """

    def __init__(self, model: SceneModel):
        self._model = model
