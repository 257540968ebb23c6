"""Members of a `SimulationContext` that its parts have: callbacks, and services of applications.

``python -m usdsim.views.stubs usdsim.sim.members`` writes what editors and type checkers read of
them.
"""

from __future__ import annotations

from usdsim.core.facade import facade

from .callbacks import SimulationCallbacks
from .surroundings import Surroundings

__all__ = ["SimulationMembers"]


@facade(callbacks=SimulationCallbacks, surroundings=Surroundings)
class SimulationMembers:
    """Callbacks, settings and camera view of a simulation."""
