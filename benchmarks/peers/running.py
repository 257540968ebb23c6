"""From a file to a running simulation, and steps of it, against newton and motrixsim on the CPU."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import usdsim
from benchmarks.measure import Comparison, Contender, median_time
from benchmarks.models import QUADRUPED, crowd
from benchmarks.registry import Row, Settings, Skip, benchmark

from .interpreters import Peer, median_child_time, open_peer, python_of

__all__ = ["peer_loading", "peer_start", "peer_stepping"]

_OURS = """
import time
started = time.perf_counter()
import usdsim
model = usdsim.load_model({file!r})
model.step(usdsim.SceneData(model, batch=(1,)))
print(time.perf_counter() - started)
"""

_NEWTON = """
import time
started = time.perf_counter()
import newton
builder = newton.ModelBuilder()
newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
builder.{add}({file!r})
model = builder.finalize(device="cpu")
solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
solver.step(model.state(), model.state(), model.control(), None, 0.002)
print(time.perf_counter() - started)
"""

_MOTRIXSIM = """
import time
started = time.perf_counter()
import motrixsim
model = motrixsim.load_model({file!r})
motrixsim.step(model, motrixsim.SceneData(model))
print(time.perf_counter() - started)
"""

_ABSENT = "no interpreter with it: --peer newton=PYTHON"


@contextmanager
def _newton(settings: Settings) -> Iterator[Peer | None]:
    python = python_of(settings, "newton")
    if python is None:
        yield None
        return
    with open_peer(python, "newton") as peer:
        yield peer


@benchmark
def peer_start(settings: Settings) -> Iterator[Row | Skip]:
    """A new process, from its first line to the first step of the quadruped, kernels compiled."""
    rounds = settings.rounds(5)
    python = python_of(settings, "newton")
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "quadruped.usda"
        usdsim.convert(QUADRUPED, stage)
        for kind, file, add in (("MJCF", QUADRUPED, "add_mjcf"), ("USD", stage, "add_usd")):
            ours = median_child_time(sys.executable, _OURS.format(file=str(file)), rounds)
            yield Row(f"{kind}, usdsim", ours, "s")
            if python is None:
                yield Skip(f"{kind}, newton", _ABSENT)
                continue
            code = _NEWTON.format(file=str(file), add=add)
            yield Row(f"{kind}, newton", median_child_time(python, code, rounds), "s")
    if find_spec("motrixsim") is None:
        yield Skip("MJCF, motrixsim", "it is not installed")
        return
    code = _MOTRIXSIM.format(file=str(QUADRUPED))
    yield Row("MJCF, motrixsim", median_child_time(sys.executable, code, rounds), "s")


@benchmark
def peer_loading(settings: Settings) -> Iterator[Row | Skip]:
    """A USD file of many robots, until its model is ready to step, imports excluded."""
    robots = 8 if settings.quick else 64
    with tempfile.TemporaryDirectory() as folder, _newton(settings) as peer:
        stage = Path(folder) / "crowd.usdc"
        crowd(robots).Export(str(stage))
        rounds = settings.rounds(7)
        ours = median_time(lambda: usdsim.SceneData(usdsim.load_model(stage)), rounds)
        yield Row(f"{robots} robots of 9 links, usdsim", ours, "s")
        if peer is None:
            yield Skip(f"{robots} robots of 9 links, newton", _ABSENT)
            return
        found = [peer.ask(what="load", file=str(stage)) for _ in range(rounds + 1)][1:]
        if "error" in found[0]:
            raise RuntimeError(found[0]["error"])
        seconds = {n: statistics.median(f[n] for f in found) for n in ("load_s", "ready_s")}
        detail = {**seconds, "sizes": found[0]["sizes"], "versions": peer.versions}
        yield Row(f"{robots} robots of 9 links, newton", seconds["ready_s"], "s", detail=detail)


@benchmark
def peer_stepping(settings: Settings) -> Iterator[Row | Skip]:
    """The quadruped of one MJCF file, against newton's MuJoCo solver on the CPU."""
    model = usdsim.load_model(QUADRUPED)
    with _newton(settings) as peer:
        if peer is None:
            yield Skip("quadruped", _ABSENT)
            return
        for envs in (1, 64):
            steps = 20 if settings.quick else max(100, 4000 // envs)
            dt = float(model.low.opt.timestep)
            data = usdsim.SceneData(model, (envs,))
            ours = _ours(model, data, steps)
            ours.prepare()
            home = data.dof_pos[0].tolist()
            peer.ask(what="stepping", file=str(QUADRUPED), envs=envs, dt=dt, home=home)
            pairs, heights = [], []
            for _ in range(settings.rounds(15) + 1):
                answer = peer.ask(what="run", steps=steps)
                pairs.append((ours.seconds(), answer["seconds"]))
                heights.append(answer["height"])
            result = Comparison(tuple(pairs[1:]))
            detail = {
                "env_steps_per_s": envs * steps / result.first,
                "peer_env_steps_per_s": envs * steps / result.second,
                "height": float(data.dof_pos[0, 2]),
                "peer_height": heights[-1],
                "versions": peer.versions,
            }
            label = f"quadruped, {envs} world{'s' if envs > 1 else ''}, ratio to newton"
            yield Row(label, result.ratio, "x", detail=detail)


def _ours(model: Any, data: Any, steps: int) -> Contender:
    home = model.get_keyframe("home")

    def restart() -> None:
        data.reset(model)
        home.apply(data)

    return Contender(restart, lambda: model.step_n(data, steps))
