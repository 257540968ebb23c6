"""Body assets: what articulations, rigid objects and their collections have in common."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.members import BodyMembers
from usdsim.views.selection import Indices, Mask

from .base import AssetBase
from .body_finder import BodyFinder
from .root_view import RootView
from .wrenches import BodyWrenches

__all__ = ["STARTS", "BodyAsset"]

STARTS = ("qpos", "qvel")
"""Fields of the engine's state that `BodyAsset.show_step` needs."""


class BodyAsset(AssetBase, BodyFinder, BodyMembers):
    """Base class of assets with rigid bodies, on which forces and torques from outside may act."""

    @property
    def root_view(self) -> RootView:
        """View of the asset in the engine, which reads and writes quantities by name."""
        return cast(RootView, self._view)

    @property
    def root_physx_view(self) -> RootView:
        """Another name of `root_view`."""
        return cast(RootView, self._view)

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies, in the order of arrays."""
        return list(self._view.layout.body_names)

    @property
    def num_shapes(self) -> int:
        """Number of colliders of an instance."""
        return len(self._view.layout.geom_names)

    @property
    def shape_names(self) -> list[str]:
        """Names of the colliders, in the order of arrays."""
        return list(self._view.layout.geom_names)

    @property
    def _where(self) -> str:
        return self._title

    # -- time ----------------------------------------------------------------------------------

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Forget external forces and torques; the state stays as it is.

        To put it back, write ``data.default_root_state``, moved by the environments' origins.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: which instances, instead of `env_ids`.
        """
        self._acting.forget(self._selection(env_ids, env_mask))

    def write_data_to_sim(self) -> None:
        """Bring external forces and torques to the engine; call it before each step."""
        if self._bound is None:
            self._require()
        self._acting.applied.write()

    @property
    def holds_inputs(self) -> bool:
        """Whether `write_data_to_sim` leaves the engine's inputs as they are, whatever moves."""
        self._require()
        return not any(self._acting.applied.state)

    def show_step(self, starts: Mapping[str, NDArray[np.float64]]) -> None:
        """Show what was applied in a step that `write_data_to_sim` was not called for.

        Args:
            starts: fields of the engine's state as that step started from them, by name; those of
                `STARTS`.
        """

    def prepare_step(self, dt: float) -> Hashable | None:
        """Get ready for a step; see `StepPart`."""
        self._require()
        return self._acting.applied.state

    def launch_step(self) -> None:
        """Launch what `write_data_to_sim` does on a device; see `StepPart`."""
        self._acting.applied.launch()

    def note_step(self, dt: float) -> None:
        """Record that a step was made; see `StepPart`."""
        self._acting.applied.note()

    def _start(self) -> None:
        self._acting = BodyWrenches(self._view, self.data)
