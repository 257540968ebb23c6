"""External forces and torques on the bodies of an asset."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.warp_arrays import WarpArrays

from .selection import Indices, Mask, selected, selected_by_mask
from .values import Values, broadcast
from .wrench_kernels import (
    SLOTS,
    add_wrenches,
    apply_wrenches,
    clear_wrenches,
    compose_wrenches,
)

__all__ = ["AppliedWrenches", "Poses", "WrenchComposer"]

Poses = Callable[[], tuple[wp.array, wp.array]]
"""Current link poses in world (transformf) and centres of mass in world (vec3f) [m]."""

_FIELD = "xfrc_applied"


class WrenchComposer:
    """Collects forces and torques on bodies and composes them at the current pose.

    Forces and torques are in link frames or, with ``is_global``, in world axes, and keep their
    direction there: what is given in world does not turn with the body. Positions are points in
    world if the forces are, else offsets from the link's origin in the link's frame; without
    positions, forces act at the centre of mass.

    Shapes are (instances, bodies, 3). The names ending in ``_index`` take the values of the
    selection, those ending in ``_mask`` take the values of all instances and bodies; those without
    an ending are the former. Outputs are composed whenever they are read, into the same arrays.

    Args:
        num_instances: number of instances of the asset.
        num_bodies: number of bodies of an instance.
        device: where arrays live.
        poses: where the bodies are now; arrays of shape (num_instances, num_bodies).

    Attributes:
        num_instances: number of instances of the asset.
        num_bodies: number of bodies of an instance.
        device: where arrays live.
        poses: where the bodies are now.
        slots: what was asked for; see `wrench_kernels`.
    """

    def __init__(self, num_instances: int, num_bodies: int, device: str, poses: Poses):
        self.num_instances, self.num_bodies = num_instances, num_bodies
        self.device, self.poses = device, poses
        self._shape = num_instances, num_bodies
        self.slots = wp.zeros((SLOTS, *self._shape), dtype=wp.vec3f, device=device)
        self._all = np.arange(num_instances), np.arange(num_bodies)
        self._all_ids = tuple(self._ids(ids) for ids in self._all)
        self._active = False
        self._outputs: tuple[wp.array, ...] = ()
        self._launch = _Recorded(compose_wrenches, self._shape, device)

    @property
    def active(self) -> bool:
        """Whether anything was added or set since the last reset of all instances."""
        return self._active

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
        chosen = self._selected(body_ids, env_ids)
        self._write(forces, torques, positions, chosen, is_global, masked=False, replaces=False)

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

        Args:
            forces: forces [N], shape (num_instances, num_bodies, 3).
            torques: torques [N m], shape (num_instances, num_bodies, 3).
            positions: points of action [m], shape (num_instances, num_bodies, 3).
            body_mask: booleans, shape (num_bodies,); None: all.
            env_mask: booleans, shape (num_instances,); None: all.
            is_global: whether the values are in world rather than in link frames.

        Raises:
            InvalidValueError: a value is not finite, or a mask is not boolean.
            ShapeError: an array does not have the full shape.
        """
        chosen = self._masked(body_mask, env_mask)
        self._write(forces, torques, positions, chosen, is_global, masked=True, replaces=False)

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

        Args:
            forces: forces [N], shape (instances, bodies, 3); None: none.
            torques: torques [N m], shape (instances, bodies, 3); None: none.
            positions: points of action [m], shape (instances, bodies, 3).
            body_ids: bodies, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            is_global: whether the values are in world rather than in link frames.

        Raises:
            InvalidValueError: a value is not finite, or an index is out of range.
            ShapeError: an array does not fit the selection.
        """
        chosen = self._selected(body_ids, env_ids)
        self._write(forces, torques, positions, chosen, is_global, masked=False, replaces=True)

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

        Args:
            forces: forces [N], shape (num_instances, num_bodies, 3); None: none.
            torques: torques [N m], shape (num_instances, num_bodies, 3); None: none.
            positions: points of action [m], shape (num_instances, num_bodies, 3).
            body_mask: booleans, shape (num_bodies,); None: all.
            env_mask: booleans, shape (num_instances,); None: all.
            is_global: whether the values are in world rather than in link frames.

        Raises:
            InvalidValueError: a value is not finite, or a mask is not boolean.
            ShapeError: an array does not have the full shape.
        """
        chosen = self._masked(body_mask, env_mask)
        self._write(forces, torques, positions, chosen, is_global, masked=True, replaces=True)

    add_forces_and_torques = add_forces_and_torques_index
    set_forces_and_torques = set_forces_and_torques_index

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Forget what acts on some instances; nothing is active any more if they are all.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: booleans, shape (num_instances,), which win over indices.
        """
        rows = (
            selected("env_ids", env_ids, self.num_instances)
            if env_mask is None
            else selected_by_mask("env_mask", env_mask, self.num_instances)
        )
        if rows is None:
            if self._active:
                self.slots.zero_()
            self._active = False
        elif len(rows) and self._active:
            self._fill((rows, self._all[1]), (None, None, None), False, True)

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
                wp.zeros(self._shape, dtype=wp.vec3f, device=self.device) for _ in range(4)
            )
        self._launch([*self.poses(), self.slots], list(self._outputs))
        return self._outputs

    def _selected(self, body_ids: Indices, env_ids: Indices) -> _Cells:
        rows = selected("env_ids", env_ids, self.num_instances)
        return self._cells(rows, selected("body_ids", body_ids, self.num_bodies))

    def _masked(self, body_mask: Mask, env_mask: Mask) -> _Cells:
        rows = selected_by_mask("env_mask", env_mask, self.num_instances)
        return self._cells(rows, selected_by_mask("body_mask", body_mask, self.num_bodies))

    def _cells(self, rows: NDArray[np.intp] | None, bodies: NDArray[np.intp] | None) -> _Cells:
        """A selection with everything spelled out."""
        return self._all[0] if rows is None else rows, self._all[1] if bodies is None else bodies

    def _write(
        self,
        forces: Values | None,
        torques: Values | None,
        positions: Values | None,
        cells: _Cells,
        is_global: bool,
        *,
        masked: bool,
        replaces: bool,
    ) -> None:
        if forces is None and torques is None:
            warnings.warn(
                "Neither forces nor torques were given, so nothing changes.", stacklevel=3
            )
            return
        if forces is None and positions is not None:
            raise InvalidValueError("positions", "given", "None without forces")
        rows, columns = cells
        shape = len(rows), len(columns), 3

        def entry(index: tuple[int, ...]) -> str:
            return f"body {int(columns[index[1]])} in instance {int(rows[index[0]])}"

        arrays: list[NDArray[Any] | None] = []
        for name, given in (("forces", forces), ("torques", torques), ("positions", positions)):
            if given is not None and masked:
                given = broadcast(name, given, (*self._shape, 3), domain=None)
                given = given[np.ix_(rows, columns)]
            arrays.append(None if given is None else broadcast(name, given, shape, entry=entry))
        if len(rows) and len(columns):
            self._fill(cells, (arrays[0], arrays[1], arrays[2]), is_global, replaces)
            self._active = True

    def _fill(
        self,
        cells: _Cells,
        arrays: tuple[NDArray[Any] | None, NDArray[Any] | None, NDArray[Any] | None],
        is_global: bool,
        replaces: bool,
    ) -> None:
        size = tuple(len(ids) for ids in cells)
        values = np.zeros((3, *size, 3), np.float32)
        for part, array in zip(values, arrays, strict=True):
            if array is not None:
                part[...] = array
        ids = [
            ready if chosen is known else self._ids(chosen)
            for chosen, known, ready in zip(cells, self._all, self._all_ids, strict=True)
        ]
        wp.launch(
            add_wrenches,
            dim=size,
            inputs=[
                wp.array(values, dtype=wp.vec3f, device=self.device, copy=False),
                *ids,
                is_global,
                arrays[2] is not None,
                replaces,
            ],
            outputs=[self.slots],
            device=self.device,
        )

    def _ids(self, chosen: NDArray[np.intp]) -> wp.array:
        return wp.array(chosen.astype(np.int32), dtype=wp.int32, device=self.device)


class AppliedWrenches:
    """Brings what acts on the bodies of an asset to the engine.

    Args:
        arrays: the engine's arrays.
        bodies: the engine's indices of the bodies, shape (matches, num_bodies).
        permanent: what acts until it is changed.
        instantaneous: what acts until the next write.
    """

    def __init__(
        self,
        arrays: WarpArrays,
        bodies: ArrayLike,
        permanent: WrenchComposer,
        instantaneous: WrenchComposer,
    ):
        self._arrays, self._permanent, self._instantaneous = arrays, permanent, instantaneous
        shape = permanent.num_instances, permanent.num_bodies
        table = np.ascontiguousarray(bodies, dtype=np.int32)
        self._bodies = wp.array(table, dtype=wp.int32, device=permanent.device)
        self._apply = _Recorded(arrays.kernel(apply_wrenches), shape, permanent.device)
        self._clear = _Recorded(arrays.kernel(clear_wrenches), shape, permanent.device)
        self._acting = False

    def write(self) -> None:
        """Apply the sum of both at the current pose, and reset the instantaneous one.

        Without anything active nothing is written, but zeros once after something was.
        """
        first, second = self._permanent, self._instantaneous
        active = first.active or second.active
        if not active and not self._acting:
            return
        target = self._arrays.state(_FIELD)
        if active:
            self._apply([*first.poses(), first.slots, second.slots, self._bodies], [target])
            second.reset()
        else:
            self._clear([self._bodies], [target])
        self._acting = active
        self._arrays.touch(_FIELD)


class _Recorded:
    """A kernel launch that is recorded once for the arrays it is given."""

    def __init__(self, kernel: wp.Kernel, dim: tuple[int, int], device: str):
        self._kernel, self._dim, self._device = kernel, dim, device
        self._arrays: list[wp.array] = []
        self._launch: Any = None

    def __call__(self, inputs: list[wp.array], outputs: list[wp.array]) -> None:
        arrays = [*inputs, *outputs]
        if len(arrays) != len(self._arrays) or any(
            new is not old for new, old in zip(arrays, self._arrays, strict=True)
        ):
            self._launch = wp.launch(
                self._kernel,
                dim=self._dim,
                inputs=inputs,
                outputs=outputs,
                device=self._device,
                record_cmd=True,
            )
            self._arrays = arrays
        self._launch.launch()


_Cells = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Instances and bodies."""
