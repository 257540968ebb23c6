"""Parts of a `SceneModel`, whose members are its own.

``python -m usdsim.views.stubs usdsim.scene.model.parts`` writes what editors and type checkers read
of them.
"""

from __future__ import annotations

from usdsim.core.facade import facade

from .dynamics import ModelDynamics
from .links import ModelLinks
from .overrides import ModelOverrides
from .queries import ModelQueries
from .readings import ModelReadings

__all__ = ["ModelParts"]


@facade(
    link_readings=ModelLinks,
    queries=ModelQueries,
    dynamics=ModelDynamics,
    overrides=ModelOverrides,
    readings=ModelReadings,
)
class ModelParts:
    """Operations on the data of a model, by subject."""
