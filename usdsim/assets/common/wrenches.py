"""External wrenches: forces and torques on the bodies of an asset."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.views import AssetView
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.selection import Indices
from usdsim.views.values import Values, to_numpy
from usdsim.views.wrench.applied import AppliedWrenches
from usdsim.views.wrench.composer import WrenchComposer

from .part import AssetPart

__all__ = ["BodyWrenches", "ExternalWrenches"]


class BodyWrenches:
    """External wrenches on the bodies of an asset, and what brings them to the engine.

    Args:
        view: the asset's window on the engine.
        data: where the bodies are.

    Attributes:
        permanent: what acts until it is changed or reset.
        instantaneous: what acts until the write after the next.
        applied: both in the engine.
    """

    def __init__(self, view: AssetView, data: Any):
        size = view.layout.num_instances, view.layout.num_bodies

        def poses() -> tuple[Any, Any]:
            return data.body_link_pose_w, data.body_com_pos_w

        self.permanent, self.instantaneous = (
            WrenchComposer(*size, view.device, poses, direct=view.copies.by_kernels)
            for _ in range(2)
        )
        self.applied = AppliedWrenches(
            view.arrays, view.layout.bodies, self.permanent, self.instantaneous
        )

    @property
    def active(self) -> bool:
        """Whether anything acts."""
        return self.permanent.active or self.instantaneous.active

    def forget(self, rows: NDArray[np.intp] | DeviceSelection | None) -> None:
        """Forget what acts on some instances."""
        for composer in (self.permanent, self.instantaneous):
            if composer.active:
                composer.reset(rows)


class ExternalWrenches(AssetPart):
    """Forces and torques from outside, for assets whose data have bodies.

    Args:
        owner: the asset.
    """

    @property
    def permanent_wrench_composer(self) -> WrenchComposer:
        """Collects what acts on the bodies until it is changed or reset.

        Raises:
            StageError: the simulation was not started.
        """
        return self._wrenches.permanent

    @property
    def instantaneous_wrench_composer(self) -> WrenchComposer:
        """Collects what acts on the bodies until the write after the next.

        Raises:
            StageError: the simulation was not started.
        """
        return self._wrenches.instantaneous

    def set_external_force_and_torque(
        self,
        forces: Values,
        torques: Values,
        positions: Values = None,
        body_ids: Indices = None,
        env_ids: Indices = None,
        is_global: bool = False,
    ) -> None:
        """Replace the forces and torques that act on some bodies until they are changed.

        They come to the engine with `write_data_to_sim`. Other bodies and instances keep theirs.
        Empty arrays take away those of whole instances; zeros for everything end all of them.

        Args:
            forces: forces [N], shape (len(env_ids), len(body_ids), 3).
            torques: torques [N m], shape (len(env_ids), len(body_ids), 3).
            positions: points of action [m], same shape: from the link's origin in its frame, or in
                world; None: the centres of mass.
            body_ids: bodies, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            is_global: whether the values are in world rather than in the links' frames.

        Raises:
            InvalidValueError: a value is not finite, or an index is out of range.
            ShapeError: an array does not fit the selection.
        """
        composer = self.permanent_wrench_composer
        given = [values for values in (forces, torques) if values is not None]
        if given and all(0 in np.shape(values) for values in given):
            composer.reset(env_ids)
            return
        composer.set_forces_and_torques_index(
            forces, torques, positions, body_ids, env_ids, is_global
        )
        view = self._view
        seen = all(view.copies.direct(values) is None for values in given)
        everything = env_ids is None and body_ids is None
        if seen and everything and not any(np.any(to_numpy(values)) for values in given):
            composer.reset()

    @property
    def _wrenches(self) -> BodyWrenches:
        _ = self._view
        wrenches: BodyWrenches = self._owner._acting
        return wrenches
