"""Large scenes: thousands of loose bodies, against the bare engine and PhysX."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from pxr import Usd

import usdsim
from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.compile.pipeline import compile_with_spec
from usdsim.parser import parse_stage

from .large_scenes import (
    BALL,
    ROVER,
    arms,
    environments,
    heap,
    loading,
    partners,
    room,
    stacks,
)
from .measure import Contender, alternate, in_child, median_time
from .registry import Row, Settings, Skip, benchmark

__all__ = [
    "large_chains",
    "large_filters",
    "large_heap",
    "large_loading",
    "large_memory",
    "large_peer",
    "large_robots",
    "large_room",
    "large_stepping",
]

_RATE = 120.0
_SHORT = 64
"""Links of a chain that is not long."""
_PEER = ("USDSIM_PHYSX_PYTHON", "USDSIM_PHYSX_SCRIPT")
_NO_PEER = Skip("PhysX", f"{' or '.join(_PEER)} is not set")


@benchmark
def large_loading(settings: Settings) -> Iterator[Row]:
    """Scenes of many boxes from stage to model: over the engine's compilation, and per box."""
    count = 128 if settings.quick else 1024
    stage = stacks(count)
    compiled, spec = compile_with_spec(parse_stage(stage).scene)
    model, text = compiled.mj, spec.to_xml()
    ours = loading(stage)
    bare = Contender(lambda: None, lambda: mujoco.MjModel.from_xml_string(text))
    result = alternate(ours, bare, settings.rounds(5))
    yield Row(f"{count} boxes, over the engine's compile", 1.0 / result.ratio, "x", 3.0)
    parse = median_time(lambda: parse_stage(stage), settings.rounds(5))
    yield Row(f"{count} boxes, parse per body", 1e3 * parse / count, "ms", 0.5)
    yield Row(f"{count} boxes, memory of a world", model.narena / 1e6, "MB")
    many = 4 * count if settings.quick else 10_000
    result = alternate(loading(stacks(many)), ours, settings.rounds(3))
    longer = count / (many * result.ratio)
    yield Row(f"{many:,} boxes over {count:,}, time per box", longer, "x", 1.5)
    yield Row(f"{many:,} boxes, loaded", result.first, "s")


@benchmark
def large_robots(settings: Settings) -> Iterator[Row]:
    """Scenes of many driven arms from stage to model: time per arm over that of few."""
    few, many = (20, 80) if settings.quick else (250, 2_500)
    result = alternate(loading(arms(many)), loading(arms(few)), settings.rounds(3))
    longer = few / (many * result.ratio)
    yield Row(f"{many:,} arms of 4 links over {few:,}, time per arm", longer, "x", 1.5)
    yield Row(f"{many:,} arms of 4 links, loaded", result.first, "s")


@benchmark
def large_filters(settings: Settings) -> Iterator[Row]:
    """Scenes whose shapes ignore each other in many ways: time per body over that of few ways."""
    scenes = {
        "bodies that ignore a partner": (partners, 3_000),
        "groups of arms": (environments, 480),
    }
    for name, (make, many) in scenes.items():
        many = many // 10 if settings.quick else many
        few = many // 10
        result = alternate(loading(make(many)), loading(make(few)), settings.rounds(3))
        yield Row(f"{many:,} {name} over {few:,}, time of each", few / (many * result.ratio), "x")
        yield Row(f"{many:,} {name}, loaded", result.first, "s")


@benchmark
def large_chains(settings: Settings) -> Iterator[Row]:
    """Long chains of URDF links up to the compiler: time per link over that of a short chain."""
    long = 96 if settings.quick else 800
    with tempfile.TemporaryDirectory() as folder:

        def read(links: int) -> Contender:
            file = Path(folder) / f"chain_{links}.urdf"
            file.write_text(_chain(links))
            return Contender(lambda: None, lambda: parse_stage(usdsim.convert(file)))

        result = alternate(read(long), read(_SHORT), settings.rounds(5))
    longer = _SHORT / (long * result.ratio)
    yield Row(f"{long} links over {_SHORT}, time per link", longer, "x", 1.5)


def _chain(links: int) -> str:
    """A URDF of boxes on hinges, each on the one before."""
    shape = (
        '<inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" '
        'iyz="0"/></inertial><collision><geometry><box size="0.02 0.02 0.05"/></geometry>'
        "</collision>"
    )
    bodies = "".join(f'<link name="l{i}">{shape}</link>' for i in range(links))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/>'
        '<origin xyz="0 0 0.06"/><axis xyz="1 0 0"/>'
        '<limit lower="-1" upper="1" effort="10" velocity="10"/></joint>'
        for i in range(1, links)
    )
    return f'<robot name="chain">{bodies}{joints}</robot>'


@benchmark
def large_memory(settings: Settings) -> Iterator[Row]:
    """Memory of a process that loads and steps a scene of ten thousand boxes."""
    count = 512 if settings.quick else 10_000
    peak = in_child(_LOADED.format(count=count)) / 2**20
    yield Row(f"{count:,} boxes, loaded and stepped", peak, "GiB", 4.0)


_LOADED = """
import resource
import usdsim
from benchmarks.large_scenes import stacks
model = usdsim.load_model(stacks({count}))
data = usdsim.SceneData(model)
for _ in range(3):
    model.step(data)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@benchmark
def large_stepping(settings: Settings) -> Iterator[Row]:
    """Steps of many boxes awake and at rest: real time factor, and over the bare engine."""
    for count in (128,) if settings.quick else (1024, 4096):
        yield from _stepping(count, 4 if settings.quick else 20, settings)


def _stepping(count: int, steps: int, settings: Settings) -> Iterator[Row]:
    compiled = compile_scene(parse_stage(stacks(count)).scene)
    awake = CpuEngine(replace(compiled, sleeps=False))
    data = mujoco.MjData(compiled.mj)

    def bare() -> None:
        for _ in range(steps):
            mujoco.mj_step(compiled.mj, data)

    def ours() -> None:
        for _ in range(steps):
            awake.step()

    result = alternate(
        Contender(lambda: None, ours), Contender(lambda: None, bare), settings.rounds(7)
    )
    simulated = steps * compiled.mj.opt.timestep
    yield Row(f"{count} boxes awake, mj_step over ours", result.ratio, "x", 0.97, True)
    yield Row(f"{count} boxes awake, real time", simulated / result.first, "x")
    resting = CpuEngine(compiled)
    resting.step(8 if settings.quick else 240)
    seconds = median_time(lambda: resting.step(steps), settings.rounds(7))
    detail = {"asleep": int((resting.read("tree_asleep") >= 0).sum())}
    yield Row(f"{count} boxes at rest, real time", simulated / seconds, "x", detail=detail)


@benchmark
def large_room(settings: Settings) -> Iterator[Row]:
    """A robot drives through a room of props: slowest second of ten, in real time."""
    count, seconds = (60, 1) if settings.quick else (1000, 10)
    model = usdsim.load_model(room(count))
    data = usdsim.SceneData(model)
    rover = model.compiled.names.index("body", ROVER)
    steps = round(1.0 / model.compiled.mj.opt.timestep)
    factors = []
    for _ in range(seconds):
        started = time.perf_counter()
        for _ in range(steps):
            model.step(data)
        factors.append(1.0 / (time.perf_counter() - started))
    detail = {
        "driven_m": float(data.low.read("xpos")[0, rover, 0]),
        "awake": int((data.low.read("tree_asleep")[0] < 0).sum()),
        "timestep_ms": 1e3 * float(model.compiled.mj.opt.timestep),
    }
    yield Row(f"{count:,} props and a robot, real time", min(factors), "x", 1.0, True, detail)


@benchmark
def large_heap(settings: Settings) -> Iterator[Row | Skip]:
    """Balls fall into a bin: real time of all and of the slowest half second, and PhysX's."""
    count, halves = (80, 1) if settings.quick else (500, 6)
    stage = heap(count)
    paths = [f"/World/ball_{i}" for i in range(count)]
    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    spent = []
    for _ in range(halves):
        started = time.perf_counter()
        for _ in range(round(0.5 * _RATE)):
            model.step(data)
        spent.append(time.perf_counter() - started)
    bodies = [model.compiled.names.index("body", path) for path in paths]
    detail = {
        "slowest_half_second": 0.5 / max(spent),
        "overlap_mm": _overlap(np.asarray(data.low.read("xpos"))[0, bodies]),
    }
    case = f"{count} balls in a bin for {0.5 * halves:g} s"
    yield Row(f"{case}, real time", 0.5 * halves / sum(spent), "x", detail=detail)
    command = _peer_command()
    if not command:
        yield _NO_PEER
        return
    peer = _run_peer(command, stage, 0.5 * halves)
    places = np.array([peer["bodies"][path]["position"] for path in paths])
    detail = {"overlap_mm_physx": _overlap(places), "step_s_physx": peer["step_s"]}
    yield Row(f"{case}, PhysX over ours", peer["step_s"] / sum(spent), "x", 1.0, True, detail)


def _overlap(places: Any) -> float:
    """How deep the two balls are within each other that are most [mm]; places are (n, 3)."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return float(1e3 * (2 * BALL - apart.min()))


@benchmark
def large_peer(settings: Settings) -> Iterator[Row | Skip]:
    """The same stacks in PhysX on the same cores: speed, and how far boxes moved, after 2 s.

    It needs an interpreter that has PhysX and a script for it, in ``USDSIM_PHYSX_PYTHON`` and
    ``USDSIM_PHYSX_SCRIPT``. Called with seconds, steps per second and a stage, the script prints as
    its last line ``load_s``, ``step_s`` and the ``position`` of each of ``bodies``, by stage.
    """
    command = _peer_command()
    if not command:
        yield _NO_PEER
        return
    seconds = 0.25 if settings.quick else 2.0
    for count in (128,) if settings.quick else (1024, 4096):
        yield _against_peer(command, count, seconds, awake=False)
        yield _against_peer(command, count, seconds, awake=True)


def _peer_command() -> list[str]:
    """The interpreter that has PhysX and the script for it; nothing where either is not named."""
    command = [os.environ.get(name, "") for name in _PEER]
    return command if all(command) else []


def _run_peer(command: list[str], stage: Usd.Stage, seconds: float) -> dict[str, Any]:
    """What the script says of a stage that was simulated for so long."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "stage.usda")
        stage.Export(path)
        arguments = [*command, str(seconds), str(_RATE), path]
        run = subprocess.run(arguments, capture_output=True, text=True, check=True)
        found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])[path]
    return found


def _against_peer(command: list[str], count: int, seconds: float, *, awake: bool) -> Row:
    stage = stacks(count, awake=awake)
    paths = [f"/World/box_{i}" for i in range(count)]
    peer = _run_peer(command, stage, seconds)
    theirs = np.array([peer["bodies"][path]["position"] for path in paths])
    started = time.perf_counter()
    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    loaded = time.perf_counter()
    for _ in range(round(seconds * _RATE)):
        model.step(data)
    stepping = time.perf_counter() - loaded
    bodies = [model.compiled.names.index("body", path) for path in paths]
    start = model.compiled.mj.body_pos[bodies]
    moved = np.abs(np.asarray(data.low.read("xpos"))[0, bodies] - start)
    detail = {
        "real_time": seconds / stepping,
        "real_time_physx": seconds / peer["step_s"],
        "load_s": loaded - started,
        "load_s_physx": peer["load_s"],
        "moved_mm": 1e3 * float(moved.max()),
        "moved_mm_physx": 1e3 * float(np.abs(theirs - start).max()),
    }
    kept = " kept awake" if awake else ""
    case = f"{count} boxes{kept} for {seconds:g} s, PhysX over ours"
    return Row(case, peer["step_s"] / stepping, "x", 1.0, True, detail)
