"""Steps of a scene on a device: inputs, physics and measurements as one recording."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from usdsim.assets.common.base import AssetBase
from usdsim.assets.common.body_asset import STARTS
from usdsim.assets.participation import Simulation, StepPart
from usdsim.engine.graphs import Graphs

__all__ = ["StepGraphs"]

_MOST = 16
"""Recordings that are kept at a time."""

_Joined = list[tuple[Any, Hashable]]
"""Parts that join a recording, with what their step depends on."""


class StepGraphs:
    """Records steps of a scene, one recording per kind of step, and repeats them.

    A kind is what the engine and the parts of the scene say a step depends on: which arrays, and
    what is launched. The first step of a kind is made launch by launch, the second one is recorded.
    Parts that cannot be recorded, or whose class redefines what a recording would repeat, take
    their turn on their own: assets before the recording, sensors after it. A step in which nothing
    can be recorded, or before which parameters changed, is made by the calls it stands for.

    Args:
        simulation: the simulation, whose engine it is for.
    """

    def __init__(self, simulation: Simulation):
        self._simulation, self.engine = simulation, simulation.engine
        self._dt = simulation.physics_dt
        self._on_device = self.engine.on_device is not None
        self._graphs = Graphs(self.engine.device)
        self._known: set[Hashable] = set()
        self._epoch: Hashable = None
        self._parameters = -1
        self._starts = {name: np.array(self.engine.read(name), np.float64) for name in STARTS}
        self._joins: dict[tuple[type, str, str], bool] = {}

    @property
    def engine_is_current(self) -> bool:
        """Whether the simulation still has the engine that recordings are for."""
        return self._simulation.engine is self.engine

    def steps(self, count: int, assets: Sequence[Any], sensors: Sequence[Any]) -> None:
        """Make steps, see `step`; on the host in one go, where nothing between them can matter."""
        if count > 1 and not self._on_device and self._is_held(assets, sensors):
            self._at_once(count, assets, sensors)
            return
        for _ in range(count):
            self.step(assets, sensors)

    def step(self, assets: Sequence[Any], sensors: Sequence[Any]) -> None:
        """Make a step: write the data of assets, advance all worlds, update everything."""
        parameters = self.engine.versions.parameters
        if not self._on_device:
            self._separately(assets, assets, sensors)
            return
        if parameters != self._parameters:
            # What the host derives from them is computed in this step, and only read in the next.
            self._parameters = parameters
            self._outdate()
            self._separately(assets, assets, sensors)
            return
        joined, others = self._split(assets, "write_data_to_sim")
        for asset in others:
            asset.write_data_to_sim()
        physics = self._simulation.prepare_step(self._dt)
        if physics is None:
            self._separately([asset for asset, _ in joined], assets, sensors)
            return
        measuring, left = self._split(sensors, "update")
        self._launch(physics, joined, measuring)
        for part in (*_parts(joined), self._simulation, *_parts(measuring)):
            part.note_step(self._dt)
        for part in (*assets, *left):
            part.update(self._dt)

    # -- inside --------------------------------------------------------------------------------

    def _is_held(self, assets: Iterable[Any], sensors: Iterable[Any]) -> bool:
        """Whether inputs stay as they are in the coming steps, and nobody looks between them."""
        return (
            not self._simulation.calls_back
            and all(
                type(asset).update is AssetBase.update
                and self._joining(asset, "write_data_to_sim", "holds_inputs")
                and asset.holds_inputs
                for asset in assets
            )
            and all(
                self._joining(sensor, "update") and sensor.prepare_step(self._dt) == ()
                for sensor in sensors
            )
        )

    def _at_once(self, count: int, assets: Sequence[Any], sensors: Sequence[Any]) -> None:
        """All steps by one call; what actuators show is of the last one."""
        for asset in assets:
            asset.write_data_to_sim()
        try:
            self._simulation.step_n(count, starts=self._starts)
        finally:
            for asset in assets:
                asset.show_step(self._starts)
            for _ in range(count):
                for part in (*assets, *sensors):
                    part.update(self._dt)

    def _separately(
        self, writing: Iterable[Any], assets: Iterable[Any], sensors: Iterable[Any]
    ) -> None:
        for asset in writing:
            asset.write_data_to_sim()
        self._simulation.step()
        for part in (*assets, *sensors):
            part.update(self._dt)

    def _launch(self, physics: Hashable, joined: _Joined, measuring: _Joined) -> None:
        """Launch a step, by its recording if there is one."""
        if physics != self._epoch or len(self._known) > _MOST:
            self._graphs.clear()
            self._known.clear()
            self._epoch = physics
        kind = tuple((id(part), key) for part, key in (*joined, *measuring))
        self._known.add(kind)

        def launch() -> None:
            # A recording has to compute what happens to be current while it is made.
            self._outdate()
            for part in (*_parts(joined), self._simulation, *_parts(measuring)):
                part.launch_step()

        self._graphs.run(kind, launch)

    def _split(self, parts: Iterable[Any], method: str) -> tuple[_Joined, list[Any]]:
        """Parts that join a recording, and the others."""
        joined: _Joined = []
        others = []
        for part in parts:
            key = part.prepare_step(self._dt) if self._joining(part, method) else None
            if key is None:
                others.append(part)
            else:
                joined.append((part, key))
        return joined, others

    def _joining(self, part: Any, method: str, by: str = "launch_step") -> bool:
        """Whether the part's `by` is at least as derived as its `method`, and so describes it."""
        kind = type(part)
        known = self._joins.get((kind, method, by))
        if known is None:
            names = {method, by}
            latest = next((c for c in kind.__mro__ if names & c.__dict__.keys()), object)
            known = isinstance(part, StepPart) and by in latest.__dict__
            self._joins[kind, method, by] = known
        return known

    def _outdate(self) -> None:
        self.engine.versions.motion += 1
        self.engine.versions.forces += 1


def _parts(joined: _Joined) -> list[Any]:
    return [part for part, _ in joined]
