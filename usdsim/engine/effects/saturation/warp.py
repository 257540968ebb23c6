"""Saturation of stiff drives within the recorded step of a Warp device."""

from __future__ import annotations

from typing import Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.inverse_mass.warp import InverseMass
from usdsim.engine.graphs import when
from usdsim.engine.parameters.warp import WarpParameters
from usdsim.engine.versions import Versions
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import FIELD, Laws, SaturatedDrives

__all__ = ["WarpSaturatedDrives"]

_LAWS = ("damping", "stiffness", "ahead", "low", "high", "slope")
_ENVELOPES = ("speed", "gradient", "resistance", "response")


class WarpSaturatedDrives(SaturatedDrives):
    """Force limits of stiff drives between the motion of a state and the step from it."""

    def __init__(
        self,
        compiled: CompiledModel,
        parameters: WarpParameters,
        versions: Versions,
        worlds: WarpWorlds,
    ):
        super().__init__(compiled, parameters, versions)  # type: ignore[arg-type]
        self._warp_parameters, self._worlds = parameters, worlds
        self._any = wp.zeros(1, dtype=wp.int32, device=worlds.device)
        self._arrays: dict[str, Any] = {}
        self._seen = Laws(self.laws.columns[:0], *np.zeros((6, 1, 0)))

    def update(self) -> None:
        """Upload laws that changed to the device."""
        laws = self.laws
        if laws is self._seen:
            return
        same, self._seen = np.array_equal(self._seen.columns, laws.columns), laws
        if not len(laws.columns):
            self._worlds.generation += not same
            return
        self._warp_parameters.push([FIELD], own=True)
        tables = {name: getattr(laws, name).astype(np.float32) for name in _LAWS}
        tables |= {name: getattr(laws.envelope, name).astype(np.float32) for name in _ENVELOPES}
        tables["implicit"] = self._implicit.astype(np.float32)
        if same and all(self._arrays[name].shape == tables[name].shape for name in tables):
            for name, values in tables.items():
                self._arrays[name].assign(values)
        else:
            self._make_room(laws, tables)
        ranges = self._worlds.m.actuator_forcerange
        if self._arrays["ranges"].shape == ranges.shape:
            wp.copy(self._arrays["ranges"], ranges)
        else:
            self._arrays["ranges"] = wp.clone(ranges)

    def _make_room(self, laws: Laws, tables: dict[str, Any]) -> None:
        worlds, count = self._worlds, len(laws.columns)
        n, device = worlds.num_envs, worlds.device
        worlds.generation += 1
        rows = {
            "actuators": self._actuators[laws.columns],
            "dofs": self._dofs[laws.columns],
            "places": self._places[laws.columns],
            "inputs": self._inputs[laws.columns],
        }

        def room(*shape: int, dtype: Any = wp.float32) -> wp.array:
            return wp.zeros(shape, dtype=dtype, device=device)

        self._arrays = {
            **{
                name: wp.array(ids.astype(np.int32), dtype=wp.int32, device=device)
                for name, ids in rows.items()
            },
            **{
                name: wp.array(values, dtype=wp.float32, device=device)
                for name, values in tables.items()
            },
            "beyond": room(n, count, dtype=wp.bool),
            "constant": room(n, count),
            "least": room(n, count),
            "most": room(n, count),
            "acceleration": room(n, count),
            "force": room(n, count),
            "momentum": room(n, worlds.model.nv),
            "ranges": room(0, 0, dtype=wp.vec2),
        }
        self._inverse_mass = InverseMass(worlds, *self._of("dofs", "implicit"))

    def begin(self, chosen: wp.array) -> None:
        """Hold what is beyond its limits in worlds that are about to step.

        Args:
            chosen: which worlds will step; the device has their motion and their controls.
        """
        if not len(self._seen.columns):
            return
        d = self._worlds.d
        self._any.zero_()
        tables = self._of("dofs", "places", "inputs", *_LAWS[:5], *_ENVELOPES)
        wp.launch(
            kernels.find_saturated,
            self._arrays["constant"].shape,
            inputs=[*tables, chosen, d.qpos, d.qvel, self._worlds.array("ctrl")],
            outputs=[*self._of("beyond", "constant", "least", "most"), self._any],
        )
        when(self._any, self._hold)

    def end(self) -> None:
        """Restore the limits of drives after the step."""
        if len(self._seen.columns):
            when(self._any, self._restore)

    def _hold(self) -> None:
        m, d = self._worlds.m, self._worlds.d
        mjw.fwd_actuation(m, d)
        mjw.fwd_acceleration(m, d, factorize=True)
        mjw.solve(m, d)
        inverse, acceleration = self._inverse_mass, d.qacc
        if self._discrete:
            inverse.launch()
        else:
            mjw.mul_m(m, d, self._arrays["momentum"], d.qacc)
            inverse.launch()
            wp.copy(inverse.impulses, self._arrays["momentum"])
            inverse.solve()
            acceleration = inverse.change
        wp.launch(
            kernels.narrow_ranges,
            self._worlds.num_envs,
            inputs=[
                *self._of("actuators", "dofs", "slope", "beyond", "constant", "least", "most"),
                *(self._discrete, acceleration, d.actuator_force, inverse.block),
            ],
            outputs=[*self._of("acceleration", "force"), m.actuator_forcerange],
        )
        inverse.end()

    def _restore(self) -> None:
        wp.copy(self._worlds.m.actuator_forcerange, self._arrays["ranges"])

    def _of(self, *names: str) -> list[wp.array]:
        return [self._arrays[name] for name in names]
