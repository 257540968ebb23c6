"""From files and stages to something that runs."""

from __future__ import annotations

import math
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import mujoco
import trimesh
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import UsdsimError
from usdsim.engine import compile_scene
from usdsim.math.meshes.operations import load_mesh
from usdsim.parser import parse_stage
from usdsim.spawners import clone_environments
from usdsim.testing import check_conversion
from usdsim.usd.stage import create_stage

from .measure import Contender, alternate, environment_variable, median_time
from .models import QUADRUPED, corpus_files, crowd, model_file
from .registry import Row, Settings, benchmark

__all__ = [
    "converting",
    "differing_environments",
    "lossless",
    "many_environments",
    "mjcf_loading",
    "obj_reading",
    "parsing",
]


@benchmark
def parsing(settings: Settings) -> Iterator[Row]:
    """A stage of 4,032 prims and 576 bodies, parsed and compiled."""
    stage = crowd()
    parse = median_time(lambda: parse_stage(stage), settings.rounds(9))
    scene = parse_stage(stage).scene
    build = median_time(lambda: compile_scene(scene), settings.rounds(9))
    detail = {"parse_s": parse, "compile_s": build, "bodies": len(scene.bodies)}
    yield Row("4,032 prims, 576 bodies", parse + build, "s", 0.6, detail=detail)


@benchmark
def many_environments(settings: Settings) -> Iterator[Row]:
    """From a stage file to the first step of many environments."""
    envs = 256 if settings.quick else 4096
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "quadruped.usda"
        usdsim.convert(QUADRUPED, stage)

        def run() -> None:
            model = usdsim.load_model(stage)
            model.step(usdsim.SceneData(model, batch=(envs,)))

        seconds = median_time(run, settings.rounds(5))
    yield Row(f"quadruped, {envs} environments running", seconds, "s", 3.0)


@benchmark
def differing_environments(settings: Settings) -> Iterator[Row]:
    """Bodies of a mass of their own in every environment: boxes over one alone, and robots."""
    from usdsim.sim.environments.worlds import build_worlds

    envs = 32 if settings.quick else 256
    many, one = _boxes(envs), _boxes(1)
    sides = (partial(build_worlds, stage) for stage in (many, one))
    together, alone = (Contender(lambda: None, side) for side in sides)
    result = alternate(together, alone, settings.rounds(5))
    each = result.first / envs
    detail = {"each_s": each, "alone_s": result.second, "for_4096_s": 4096 * each}
    label = f"box, {envs} environments, time of each against one alone"
    yield Row(label, 1.0 / (result.ratio * envs), "x", 0.1, detail=detail)
    envs = 64 if settings.quick else 4096
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "quadruped.usda"
        usdsim.convert(QUADRUPED, file)
        robots = _robots(file, envs)
        seconds = median_time(partial(build_worlds, robots), settings.rounds(3))
    yield Row(f"quadruped, {envs} environments of a mass each", seconds, "s", 5.0)


def _robots(file: Path, envs: int) -> Usd.Stage:
    """A robot in every environment, each with a trunk of another mass."""
    stage = create_stage()
    for path in ("/World", "/World/envs", "/World/envs/env_0"):
        UsdGeom.Xform.Define(stage, path)
    robot = stage.DefinePrim("/World/envs/env_0/robot")
    robot.GetReferences().AddReference(str(file))
    trunk = next(prim for prim in Usd.PrimRange(robot) if prim.HasAPI(UsdPhysics.MassAPI))
    clone_environments("/World/envs/env_0", envs, 2.5, stage=stage)
    layer = stage.GetRootLayer()
    with Sdf.ChangeBlock():
        for i in range(envs):
            path = str(trunk.GetPath()).replace("env_0", f"env_{i}")
            spec = Sdf.CreatePrimInLayer(layer, path)
            mass = Sdf.AttributeSpec(spec, "physics:mass", Sdf.ValueTypeNames.Float)
            mass.default = 5.0 + 0.001 * i
    return stage


def _boxes(envs: int) -> Usd.Stage:
    """A box in every environment, each of another mass."""
    stage = create_stage()
    for path in ("/World", "/World/envs", "/World/envs/env_0"):
        UsdGeom.Xform.Define(stage, path)
    box = UsdGeom.Cube.Define(stage, "/World/envs/env_0/box").GetPrim()
    for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI, UsdPhysics.MassAPI):
        api.Apply(box)
    clone_environments("/World/envs/env_0", envs, 2.5, stage=stage)
    for i in range(envs):
        mass = UsdPhysics.MassAPI(stage.GetPrimAtPath(f"/World/envs/env_{i}/box"))
        mass.CreateMassAttr(1.0 + 0.01 * i)
    return stage


@benchmark
def mjcf_loading(settings: Settings) -> Iterator[Row]:
    """`load_model` of MJCF files over MuJoCo's compile of them: made anew, and loaded again."""
    found = [model_file(settings, name) for name in ("gym_humanoid", "mj_humanoid", "mjlab_go1")]
    found.append(("quadruped", QUADRUPED))
    rounds = settings.rounds(9)
    with tempfile.TemporaryDirectory() as folder, environment_variable("USDSIM_CACHE_DIR", folder):
        for name, path in dict(found).items():
            file = str(path)
            bare = Contender(lambda: None, partial(mujoco.MjModel.from_xml_path, file))
            anew = Contender(lambda: None, partial(usdsim.load_model, file, cache=False))
            again = Contender(lambda: None, partial(usdsim.load_model, file))
            result = alternate(again, bare, rounds)
            yield Row(f"{name}, loaded again, over MuJoCo", 1.0 / result.ratio, "x", 3.0)
            result = alternate(anew, bare, min(rounds, 5))
            yield Row(f"{name}, made anew, over MuJoCo", 1.0 / result.ratio, "x")


@benchmark
def obj_reading(settings: Settings) -> Iterator[Row]:
    """`load_mesh` of a Wavefront file, with a material and normals, over trimesh's reader."""
    side = 50 if settings.quick else 200
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "waves.obj"
        file.write_text(_waves(side))
        ours = Contender(lambda: None, partial(load_mesh, file))
        theirs = Contender(lambda: None, partial(trimesh.load, file, process=False))
        result = alternate(ours, theirs, settings.rounds(7))
    yield Row(f"{2 * (side - 1) ** 2:,} faces, over trimesh", 1.0 / result.ratio, "x", 1.0)


def _waves(side: int) -> str:
    """A Wavefront file of a square of waves."""
    place = range(side)
    points = [f"v {x / 10} {y / 10} {math.sin(x * y):.5f}" for x in place for y in place]
    normals = [f"vn 0 {y % 7} 1" for _ in place for y in place]
    first = [1 + x * side + y for x in place[:-1] for y in place[:-1]]
    fans = [(a, a + 1, a + side + 1, a + side) for a in first]
    faces = [
        "f " + " ".join(f"{corner}//{corner}" for corner in triangle)
        for a, b, c, d in fans
        for triangle in ((a, b, c), (a, c, d))
    ]
    return "\n".join([*points, *normals, "usemtl sand", *faces]) + "\n"


@benchmark
def converting(settings: Settings) -> Iterator[Row]:
    """Source file to USD file, start-up excluded."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out" / "robot.usd"
        target.parent.mkdir()
        seconds = median_time(lambda: usdsim.convert(QUADRUPED, target), settings.rounds(5))
        yield Row("quadruped", seconds, "s", 0.55)
        for kind, limit in (("mjcf", 0.55), ("urdf", 0.95)):
            files = corpus_files(settings, kind)
            yield from _convert_all(kind, files[:5] if settings.quick else files, target, limit)


def _convert_all(kind: str, files: list[Path], target: Path, limit: float) -> Iterator[Row]:
    if not files:
        return
    seconds, failed = {}, []
    before = after = 0
    for path in files:
        started = time.perf_counter()
        try:
            usdsim.convert(path, target)
        except UsdsimError as error:
            failed.append(f"{path.parent.name}/{path.name}: {error}")
        seconds[f"{path.parent.name}/{path.name}"] = time.perf_counter() - started
        before, after = before + _size(_robot_folder(path, kind)), after + _size(target.parent)
        shutil.rmtree(target.parent)
        target.parent.mkdir()
    slowest = max(seconds, key=lambda name: seconds[name])
    detail = {"slowest": slowest, "failed": failed}
    case = f"{len(files)} {kind} files"
    yield Row(f"{case}, median", statistics.median(seconds.values()), "s", limit, detail=detail)
    yield Row(f"{case}, largest", seconds[slowest], "s", 3.0, detail=detail)
    yield Row(f"{case}, size over source", after / before, "x", 1.0)


def _robot_folder(path: Path, kind: str) -> Path:
    """The corpus keeps a robot and all its meshes in one folder below that of its kind."""
    return next(parent for parent in path.parents if parent.parent.name == kind)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@benchmark
def lossless(settings: Settings) -> Iterator[Row]:
    """Share of robots whose converted stage means the same as their source file."""
    for kind in ("mjcf", "urdf"):
        files = corpus_files(settings, kind) or ([QUADRUPED] if kind == "mjcf" else [])
        files = files[:5] if settings.quick else files
        failed = {path.parent.name: found[:3] for path in files if (found := _differences(path))}
        if files:
            share = 1.0 - len(failed) / len(files)
            yield Row(f"{len(files)} {kind} files", share, "", 1.0, True, {"failed": failed})


def _differences(path: Path) -> list[str]:
    try:
        return [str(difference) for difference in check_conversion(path)]
    except UsdsimError as error:
        return [str(error)]
