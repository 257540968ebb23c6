"""Contact points and friction forces, from the contacts that the engine lists in every step."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import warp as wp

from usdsim.engine import device as devices
from usdsim.engine.base import Engine
from usdsim.sensors.common.kernel_pass import KernelPass, Rows

from .detail_kernels import gather_details
from .elements import Filter, PartLayout
from .single import PressingContacts, SingleContacts

__all__ = ["ContactDetails"]


class ContactDetails:
    """Reads where bodies touch filters, and how these rub them.

    Args:
        engine: an engine whose scene has sensors of these contacts; see `with_contact_sensors`.
        bodies: paths of the bodies, a row per match.
        filters: what contacts are told apart by.
        slots: contacts of a body with a body or shape that there is room for.
        out: where points [m] and friction forces [N] go, each vec3f, shape (num_instances,
            num_bodies, filters); None: not wanted.

    Attributes:
        single: places of these contacts in the data of the engine.
    """

    def __init__(
        self,
        engine: Engine,
        bodies: Sequence[Sequence[str]],
        filters: Sequence[Filter],
        slots: int,
        out: Sequence[wp.array | None],
    ):
        self._engine, self._slots = engine, slots
        self._seen, self._bounces = -1, False
        self.single = SingleContacts(engine, bodies, filters, slots)
        device, size = engine.device, self.single.size
        shape = (engine.num_envs * size[0], *size[1:])
        self._points, self._friction = (
            wp.zeros(shape, dtype=wp.vec3f, device=device) if array is None else array
            for array in out
        )
        self._counts = wp.zeros(shape, dtype=wp.int32, device=device)
        self._most = wp.zeros(1, dtype=wp.int32, device=device)
        layout = PartLayout(self.single.parts, size[:2], device)
        self._pass = KernelPass(
            engine,
            gather_details,
            shape[0],
            size[1:],
            ["sensordata", *layout.arrays, slots],
            [self._points, self._friction, self._counts, self._most],
        )

    @property
    def rebounds(self) -> bool:
        """Whether contacts may bounce in some world, which the host adds."""
        versions = self._engine.versions
        if self._seen != versions.parameters:
            self._seen = versions.parameters
            self._bounces = bool(self._engine.surfaces[..., 2].any())
        return self._bounces

    def run(self, rows: Rows) -> None:
        """Fill points and friction forces of some instances; None: all."""
        self._pass.run(rows)
        if self.rebounds:
            self._add(rows, self.single.bounced())
        if devices.is_shared(self._engine.device):
            self._check_room()

    def _check_room(self) -> None:
        most = int(self._most.numpy()[0])
        if most > self._slots:
            self._most.zero_()
            warnings.warn(
                f"A body of a contact sensor has {most} contacts with another, and there is room "
                f"for {self._slots}: points and friction forces are those of the strongest. Raise "
                "max_contact_data_count_per_prim in its configuration.",
                stacklevel=2,
            )

    def _add(self, rows: Rows, bounced: PressingContacts) -> None:
        """Add contacts that the engine does not list: to means of points, and sums of friction."""
        at = np.unravel_index(bounced.row, self._counts.shape)
        chosen = slice(None) if rows is None else np.isin(at[0], rows)
        if not len(at[0][chosen]):
            return
        arrays = self._points, self._friction, self._counts
        points, friction, counts = [array.numpy() for array in arrays]
        for row, pos, rubbing in zip(
            np.transpose(at)[chosen], bounced.pos[chosen], bounced.friction[chosen], strict=True
        ):
            place = tuple(row)
            before = counts[place] * points[place] if counts[place] else 0.0
            counts[place] += 1
            points[place] = (before + pos) / counts[place]
            friction[place] += rubbing
        for array, values in zip(arrays, (points, friction, counts), strict=True):
            array.assign(values)
