"""Wrench composer: forces and torques on bodies, collected and composed at the current pose."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.graphs import Recorded
from usdsim.views.copies.device_selection import (
    DeviceSelection,
    device_instances,
    device_selection,
    lives_on,
    numbers_on_device,
)
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask, selected_either
from usdsim.views.usable import usable
from usdsim.views.values import Values, broadcast

from .kernels import add_wrenches, compose_wrenches
from .slots import WrenchSlots

__all__ = ["Poses", "WrenchComposer"]

Poses = Callable[[], tuple[wp.array, wp.array]]
"""Current link poses in world (transformf) and centres of mass in world (vec3f) [m]."""

_Axes = tuple[tuple[str, Any, int], tuple[str, Any, int]]
"""Name, indices or mask, and number of instances, then of bodies."""
_Three = tuple[Any, Any, Any]
"""Forces, torques and positions."""


class WrenchComposer(WrenchSlots):
    """Collects forces and torques on bodies and composes them at the current pose.

    Forces and torques are in link frames or, with ``is_global``, in world axes, and keep their
    direction there: what is given in world does not turn with the body. Positions are points in
    world if the forces are, else offsets from the link's origin in the link's frame; without
    positions, forces act at the centre of mass. Torques alone do not depend on positions.

    Shapes are (instances, bodies, 3). The names ending in ``_index`` take the values of the
    selection, those ending in ``_mask`` take the values of all instances and bodies; those without
    an ending are the former. Outputs are composed whenever they are read, into the same arrays.

    Args:
        num_instances: number of instances of the asset.
        num_bodies: number of bodies of an instance.
        device: where arrays live.
        poses: where the bodies are now; arrays of shape (num_instances, num_bodies).
        direct: whether what is on the device is taken without a look at its values and indices;
            indices out of range are passed over then.

    Attributes:
        num_instances: number of instances of the asset.
        num_bodies: number of bodies of an instance.
        device: where arrays live.
        poses: where the bodies are now.
        active: whether anything was added or set since the last reset of all instances.
    """

    def __init__(
        self,
        num_instances: int,
        num_bodies: int,
        device: str,
        poses: Poses,
        *,
        direct: bool = False,
    ):
        super().__init__(num_instances, num_bodies, device)
        self.poses = poses
        self._direct = direct
        self._outputs: tuple[wp.array, ...] = ()
        self._launch = Recorded(compose_wrenches, self._shape, device)

    # -- input ---------------------------------------------------------------------------------

    def add_forces_and_torques_index(
        self,
        forces: Values | None = None,
        torques: Values | None = None,
        positions: Values | None = None,
        body_ids: Indices = None,
        env_ids: Indices = None,
        is_global: bool = False,
    ) -> None:
        """Add forces and torques to what acts on some bodies.

        Args:
            forces: forces [N], shape (instances, bodies, 3).
            torques: torques [N m], shape (instances, bodies, 3).
            positions: points of action [m], shape (instances, bodies, 3).
            body_ids: bodies, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            is_global: whether the values are in world rather than in link frames.

        Raises:
            InvalidValueError: a value is not finite, or an index is out of range.
            ShapeError: an array does not fit the selection.
        """
        given = forces, torques, positions
        self._write(given, env_ids, body_ids, is_global, masked=False, replaces=False)

    def add_forces_and_torques_mask(
        self,
        forces: Values | None = None,
        torques: Values | None = None,
        positions: Values | None = None,
        body_mask: Mask = None,
        env_mask: Mask = None,
        is_global: bool = False,
    ) -> None:
        """Add forces and torques to what acts where masks are true.

        As `add_forces_and_torques_index`, but for values of all instances and bodies, and booleans
        of shape (num_bodies,) and (num_instances,); None: all.
        """
        given = forces, torques, positions
        self._write(given, env_mask, body_mask, is_global, masked=True, replaces=False)

    def set_forces_and_torques_index(
        self,
        forces: Values | None = None,
        torques: Values | None = None,
        positions: Values | None = None,
        body_ids: Indices = None,
        env_ids: Indices = None,
        is_global: bool = False,
    ) -> None:
        """Replace all that acts on some bodies, and leave the others alone.

        As `add_forces_and_torques_index`; forces or torques that are None are none.
        """
        given = forces, torques, positions
        self._write(given, env_ids, body_ids, is_global, masked=False, replaces=True)

    def set_forces_and_torques_mask(
        self,
        forces: Values | None = None,
        torques: Values | None = None,
        positions: Values | None = None,
        body_mask: Mask = None,
        env_mask: Mask = None,
        is_global: bool = False,
    ) -> None:
        """Replace all that acts where masks are true, and leave the rest alone.

        As `add_forces_and_torques_mask`; forces or torques that are None are none.
        """
        given = forces, torques, positions
        self._write(given, env_mask, body_mask, is_global, masked=True, replaces=True)

    add_forces_and_torques = add_forces_and_torques_index
    set_forces_and_torques = set_forces_and_torques_index

    def reset(self, env_ids: Indices | DeviceSelection = None, env_mask: Mask = None) -> None:
        """Forget what acts on some instances; nothing is active any more if they are all.

        Args:
            env_ids: instances, as indices or a slice, or as a selection of rows; None: all.
            env_mask: booleans, shape (num_instances,), which win over indices.
        """
        selection = env_ids
        if not isinstance(selection, DeviceSelection):
            selection = self._acted_on(env_ids, env_mask)
        if selection is None:
            return
        if selection.rows is None and selection.row_mask is None:
            if self.active:
                self.slots.zero_()
            self.active = False
        elif self.active:
            self._fill(selection, (None, None, None), False, True)

    def forget(self) -> None:
        """Mark the composer inactive after something else cleared the slots."""
        self.active = False

    # -- output --------------------------------------------------------------------------------

    @property
    def force_w(self) -> wp.array:
        """Forces in world axes [N], vec3f, shape (num_instances, num_bodies)."""
        return self._compose()[0]

    @property
    def torque_w(self) -> wp.array:
        """Torques about centres of mass in world axes [N m], vec3f, shape as `force_w`."""
        return self._compose()[1]

    @property
    def out_force_b(self) -> wp.array:
        """Forces in link frames [N], vec3f, shape (num_instances, num_bodies)."""
        return self._compose()[2]

    @property
    def out_torque_b(self) -> wp.array:
        """Torques about centres of mass in link frames [N m], vec3f, shape as `out_force_b`."""
        return self._compose()[3]

    @property
    def composed_force(self) -> wp.array:
        """The same as `out_force_b` [N], shape (num_instances, num_bodies)."""
        return self.out_force_b

    @property
    def composed_torque(self) -> wp.array:
        """The same as `out_torque_b` [N m], shape (num_instances, num_bodies)."""
        return self.out_torque_b

    # -- inside --------------------------------------------------------------------------------

    def _compose(self) -> tuple[wp.array, ...]:
        if not self._outputs:
            self._outputs = tuple(
                usable(wp.zeros(self._shape, dtype=wp.vec3f, device=self.device)) for _ in range(4)
            )
        self._launch([*self.poses(), self.slots], list(self._outputs))
        return self._outputs

    def _acted_on(self, env_ids: Indices, env_mask: Mask) -> DeviceSelection | None:
        """Instances by indices or by mask, which goes first; None: some, but nothing acts."""
        if self._direct:
            found = device_instances(env_ids, env_mask, self.num_instances, self.device)
            if found is not None:
                return found
        rows = selected_either("env", env_ids, env_mask, self.num_instances)
        acted = rows is None or self.active
        return DeviceSelection.of(rows, None, self.device) if acted else None

    def _write(
        self,
        given: _Three,
        env: Any,
        body: Any,
        is_global: bool,
        *,
        masked: bool,
        replaces: bool,
    ) -> None:
        forces, torques, positions = given
        if forces is None and torques is None:
            warnings.warn(
                "Neither forces nor torques were given, so nothing changes.", stacklevel=3
            )
            return
        given = forces, torques, None if forces is None else positions
        kind = "mask" if masked else "ids"
        axes = (f"env_{kind}", env, self.num_instances), (f"body_{kind}", body, self.num_bodies)
        selection, arrays = self._unseen(given, axes, masked)
        if selection is None:
            selection, arrays = self._checked(given, axes, masked)
        if all(selection.size(self._shape)):
            self._fill(selection, arrays, is_global, replaces)
            self.active = True

    def _unseen(
        self, given: _Three, axes: _Axes, masked: bool
    ) -> tuple[DeviceSelection | None, _Three]:
        """A selection and values that are on the device, which the host does not look at."""
        there = [v is None or lives_on(v, self.device) for v in given]
        if not self._direct or not all(there):
            return None, given
        selection = device_selection(axes, self.device, masks=masked)
        if selection is None:
            return None, given
        shape = selection.shape(self._shape)
        first, second, third = (
            None if values is None else numbers_on_device(values, shape, 3, self.device)
            for values in given
        )
        arrays = first, second, third
        lost = any(
            array is None and values is not None
            for array, values in zip(arrays, given, strict=True)
        )
        return (None if lost else selection), arrays

    def _checked(self, given: _Three, axes: _Axes, masked: bool) -> tuple[DeviceSelection, _Three]:
        """As `_unseen`, for values and selections that the host checks."""
        rows, columns = _looked_at(axes, masked)
        shape = len(rows), len(columns), 3

        def entry(index: tuple[int, ...]) -> str:
            return f"body {int(columns[index[1]])} in instance {int(rows[index[0]])}"

        arrays: list[wp.array | None] = []
        for name, values in zip(("forces", "torques", "positions"), given, strict=True):
            if values is None:
                arrays.append(None)
                continue
            if masked:
                values = broadcast(name, values, (*self._shape, 3), domain=None)
                values = values[np.ix_(rows, columns)]
            numbers = np.array(broadcast(name, values, shape, entry=entry), np.float32)
            arrays.append(wp.array(numbers, dtype=wp.float32, device=self.device))
        chosen = [
            None if np.array_equal(ids, np.arange(count)) else ids
            for ids, count in zip((rows, columns), self._shape, strict=True)
        ]
        selection = DeviceSelection.of(chosen[0], chosen[1], self.device)
        return selection, (arrays[0], arrays[1], arrays[2])

    def _fill(
        self, selection: DeviceSelection, arrays: _Three, is_global: bool, replaces: bool
    ) -> None:
        wp.launch(
            add_wrenches,
            dim=selection.size(self._shape),
            inputs=[*selection.arguments, *arrays, is_global, arrays[2] is not None, replaces],
            outputs=[self.slots],
            device=self.device,
        )


def _looked_at(axes: _Axes, masked: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Checked indices of instances and bodies, with None spelled out as all."""
    found = [(selected_by_mask if masked else selected)(*axis) for axis in axes]
    rows, columns = (
        np.arange(axis[2]) if ids is None else ids for axis, ids in zip(axes, found, strict=True)
    )
    return rows, columns
