"""Static friction of contacts within the recorded step of a Warp device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.graphs import when
from usdsim.engine.parameters.warp import WarpParameters
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import FIELD, PARTED, SLACK, STEADY, Sticking

__all__ = ["WarpSticking"]


class WarpSticking(Sticking):
    """Static and dynamic friction of contact pairs, chosen between within the step."""

    def __init__(self, compiled: CompiledModel, parameters: WarpParameters, worlds: WarpWorlds):
        self._worlds = worlds
        self._arrays: dict[str, wp.array] = {}
        super().__init__(compiled, parameters, worlds.num_envs)

    def release(self) -> None:
        """Nothing: the host's parameter is the dynamic friction."""

    def forget(self, worlds: Any) -> None:
        """Forget the contacts of worlds whose motion was written, a mask on the device maybe."""
        if not self.active:
            return
        mask = worlds
        if not (isinstance(worlds, wp.array) and worlds.dtype is wp.bool):
            chosen = np.ones(self._worlds.num_envs, np.bool_)
            if worlds is not None and not isinstance(worlds, wp.array):
                chosen = np.zeros_like(chosen)
                chosen[worlds] = True
            mask = wp.array(chosen, dtype=wp.bool, device=self._worlds.device)
        wp.launch(
            kernels.forget,
            self._worlds.num_envs,
            inputs=[mask],
            outputs=[self._arrays[name] for name in ("seen", "points", "steady", "holds")],
            device=self._worlds.device,
        )

    def begin(self, chosen: wp.array, forward: Callable[[], object]) -> None:
        """Before a step: find out where contacts that came hold.

        Args:
            chosen: which worlds are about to step.
            forward: computes forces of the present state, and then positions anew.
        """
        if not self.active:
            return
        arrays, d = self._arrays, self._worlds.d
        wp.launch(
            kernels.count_apart,
            arrays["apart"].shape,
            inputs=[self._table.first, chosen, d.sensordata],
            outputs=[arrays["apart"]],
        )
        arrays["count"].zero_()
        arrays["any"].zero_()
        wp.launch(
            kernels.count_contacts,
            d.contact.worldid.shape[0],
            inputs=[d.nacon, d.contact.worldid],
            outputs=[arrays["count"]],
        )
        wp.launch(
            kernels.find_new,
            self._worlds.num_envs,
            inputs=[chosen, arrays["count"]],
            outputs=[arrays["seen"], arrays["any"]],
        )
        when(arrays["any"], forward, self._worlds.branches)

    def launch(self) -> None:
        """Set the solver's friction to what acts, in all worlds, before contacts are found."""
        if not self.active:
            return
        arrays, d, m = self._arrays, self._worlds.d, self._worlds.m
        wp.launch(
            kernels.choose_friction,
            arrays["holds"].shape,
            inputs=[
                arrays["pairs"],
                self._table.first,
                self._pyramid,
                1.0 - SLACK,
                PARTED,
                arrays["apart"],
                arrays["static"],
                arrays["dynamic"],
                d.sensordata,
            ],
            outputs=[
                *(arrays[name] for name in ("seen", "points", "steady", "holds")),
                m.pair_friction,
            ],
        )

    def _apply(self) -> None:
        """Upload both frictions to the device."""
        tables = {"static": self._static, "dynamic": self._dynamic}
        self._parameters.push([FIELD], own=True)
        if not self._arrays:
            self._make_room()
        for name, values in tables.items():
            self._arrays[name].assign(values.astype(np.float32))

    def _make_room(self) -> None:
        shape, device = self._holds.shape, self._worlds.device
        self._worlds.generation += 1
        self._arrays = {
            "pairs": wp.array(self._table.pairs.astype(np.int32), dtype=wp.int32, device=device),
            "geoms": wp.array(self._table.geoms.astype(np.int32), dtype=wp.vec2i, device=device),
            "static": wp.zeros(shape, dtype=wp.float32, device=device),
            "dynamic": wp.zeros(shape, dtype=wp.float32, device=device),
            "holds": wp.full(shape, True, dtype=wp.bool, device=device),
            "points": wp.zeros(shape, dtype=wp.float32, device=device),
            "steady": wp.full(shape, STEADY, dtype=wp.int32, device=device),
            "seen": wp.full(shape[0], -1, dtype=wp.int32, device=device),
            "apart": wp.zeros(shape, dtype=wp.int32, device=device),
            "count": wp.zeros(shape[0], dtype=wp.int32, device=device),
            "any": wp.zeros(1, dtype=wp.int32, device=device),
        }

    def limit_arrays(self) -> list[Any]:
        """Geoms of pairs, their static and their dynamic friction, as kernels of impacts want them.

        Where there are none, arrays without pairs.
        """
        device = self._worlds.device
        if not self.active:
            none = wp.zeros((1, 0), dtype=wp.float32, device=device)
            return [wp.zeros(0, dtype=wp.vec2i, device=device), none, none]
        return [self._arrays[name] for name in ("geoms", "static", "dynamic")]
