"""Learning loop around the steps, against another simulator, in turn in one process."""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import usdsim
from benchmarks.measure import Contender, alternate
from benchmarks.models import model_file
from benchmarks.registry import Row, Settings, Skip, benchmark

from .motrix import write_explicit

__all__ = ["motrixsim_learning"]

_DECIMATION = 4
_PAIRS = 64


class _Worlds:
    """One side: a model, worlds of it, and what a learning loop does to them."""

    def __init__(self, simulator: Any, model: Any, envs: int):
        self.model, self.data = model, simulator.SceneData(model, batch=(envs,))
        self.link = model.links[0]
        self.some = np.arange(envs) % 4 == 0
        rng = np.random.default_rng(0)
        self.pairs = rng.integers(0, len(model.geoms), (_PAIRS, 2), dtype=np.uint32)
        self.masses = float(self.link.mass) * rng.uniform(0.8, 1.2, (16, envs))
        shape = (16, envs, model.num_actuators)
        self.controls = (0.1 * rng.standard_normal(shape)).astype(np.float32)
        self.count = 0

    def override(self) -> None:
        self.count += 1
        self.link.set_mass_override(self.data, self.masses[self.count % 16].astype(np.float32))

    def override_and_step(self) -> None:
        self.override()
        self.model.step(self.data)

    def reset(self) -> None:
        self.data[self.some].reset(self.model)

    def contacts(self) -> None:
        self.model.get_contact_query(self.data).is_colliding(self.pairs)

    def step_and_contacts(self) -> None:
        self.model.step(self.data)
        self.contacts()

    def loop(self) -> None:
        self.count += 1
        if self.controls.size:
            self.data.actuator_ctrls = self.controls[self.count % 16]
        self.model.step_n(self.data, _DECIMATION)
        self.link.get_pose(self.data)
        self.model.get_link_velocities(self.data)
        self.contacts()
        self.override()
        self.reset()


_CASES: dict[str, Callable[[_Worlds], None]] = {
    "mass override": _Worlds.override,
    "mass override and step": _Worlds.override_and_step,
    "reset of a quarter": _Worlds.reset,
    "step and contact query": _Worlds.step_and_contacts,
    "loop of four steps, reads, override and reset": _Worlds.loop,
}


@benchmark
def motrixsim_learning(settings: Settings) -> Iterator[Row | Skip]:
    """Overrides, resets, contacts and a learning loop, against motrixsim; both as they load."""
    if importlib.util.find_spec("motrixsim") is None:
        yield Skip("learning loop", "motrixsim is not installed")
        return
    peer = importlib.import_module("motrixsim")
    name, source = model_file(settings, "mjlab_go1")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "explicit.xml"
        write_explicit(source, path)
        models = (
            usdsim.load_model(path, asset_roots=[source.parents[1]]),
            peer.load_model(str(path)),
        )
        for envs in (1, 16) if settings.quick else (1, 16, 256, 1024):
            ours, theirs = (
                _Worlds(*side, envs) for side in zip((usdsim, peer), models, strict=True)
            )
            # Steps go on from what was read before them: a single one would pay for the next.
            calls = max(8, 256 // envs)
            for case, run in _CASES.items():
                result = alternate(
                    _repeated(ours, run, calls),
                    _repeated(theirs, run, calls),
                    settings.rounds(15),
                )
                label = f"{name}, {envs} worlds, {case}: motrixsim over ours"
                detail = {"call_s": result.first / calls, "peer_call_s": result.second / calls}
                yield Row(label, result.ratio, "x", 1.0, at_least=True, detail=detail)


def _repeated(worlds: _Worlds, run: Callable[[_Worlds], None], calls: int) -> Contender:
    def repeat() -> None:
        for _ in range(calls):
            run(worlds)

    return Contender(lambda: worlds.data.reset(worlds.model), repeat)
