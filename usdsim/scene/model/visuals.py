"""Visual shapes that a model leaves out of the engine, and how to compile them after all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.core.errors import UnsupportedError
from usdsim.engine import CompiledModel, compile_scene
from usdsim.parser import parse_stage
from usdsim.parser.shapes.visuals import VisualShape

__all__ = ["NO_VISUALS", "Visuals"]


@dataclass(frozen=True)
class Visuals:
    """Shapes of a scene that are only looked at."""

    shapes: tuple[VisualShape, ...] = ()
    """The shapes, in stage order."""
    options: tuple[tuple[str, Any], ...] = ()
    """Arguments of `parse_stage` with which the scene was read."""

    def compile(self, stage: Any) -> CompiledModel:
        """The scene with all that is only looked at.

        Args:
            stage: the stage that the scene was read from.

        Raises:
            UnsupportedError: there is no stage.
        """
        if stage is None:
            raise UnsupportedError(
                "Shapes that are only looked at are on the stage, and this model has none: it was "
                "pickled. load_model(..., exact=True) has them in the model."
            )
        return compile_scene(parse_stage(stage, exact=True, **dict(self.options)).scene, exact=True)


NO_VISUALS = Visuals()
"""Nothing is left out."""
