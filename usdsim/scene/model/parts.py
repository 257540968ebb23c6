"""Model parts: what a `SceneModel` is composed of, whose members are its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.core.facade import facade

from .dynamics import ModelDynamics
from .links import ModelLinks
from .overrides import ModelOverrides
from .queries import ModelQueries
from .readings import ModelReadings

__all__ = ["ModelParts"]

if TYPE_CHECKING:

    class ModelParts(ModelLinks, ModelQueries, ModelDynamics, ModelOverrides, ModelReadings):
        """Operations on the data of a model, by subject: what editors and type checkers see."""

else:

    @facade(
        link_readings=ModelLinks,
        queries=ModelQueries,
        dynamics=ModelDynamics,
        overrides=ModelOverrides,
        readings=ModelReadings,
    )
    class ModelParts:
        """Operations on the data of a model, by subject."""
