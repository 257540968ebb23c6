"""Props: what writes, materials and animations of a thousand of them cost."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage

from .large_scenes import HEIGHT, loading, stacks
from .measure import Contender, alternate, median_time
from .registry import Row, Settings, benchmark

__all__ = ["prop_animations", "prop_masses", "prop_materials"]

_CODES = 24.0
"""Time codes of a second."""


@benchmark
def prop_masses(settings: Settings) -> Iterator[Row]:
    """Another mass of one of many boxes, over the engine's derivation of all constants."""
    count = 640 if settings.quick else 1024
    compiled = compile_scene(parse_stage(stacks(count)).scene)
    sim, data = CpuEngine(compiled), mujoco.MjData(compiled.mj)
    masses = iter(range(2, 10_000))

    def ours() -> None:
        sim.set_param("body_mass", [[float(next(masses))]], None, [7])
        sim.param("body_invweight0")

    def bare() -> None:
        mujoco.mj_setConst(compiled.mj, data)

    result = alternate(
        Contender(lambda: None, ours), Contender(lambda: None, bare), settings.rounds(5)
    )
    yield Row(f"{count} boxes, mj_setConst over another mass of one", result.ratio, "x", 20.0, True)


@benchmark
def prop_materials(settings: Settings) -> Iterator[Row]:
    """Boxes with a material each, from stage to model, over boxes with one for all."""
    count = 64 if settings.quick else 1024
    stages = [_with_materials(count, count), _with_materials(count, 1)]
    own, shared = (loading(stage) for stage in stages)
    result = alternate(own, shared, settings.rounds(5))
    yield Row(f"{count} boxes, a material each over one for all", 1.0 / result.ratio, "x", 2.0)


@benchmark
def prop_animations(settings: Settings) -> Iterator[Row]:
    """Steps of animated boxes that carry loose ones, in real time."""
    count, steps = (32, 10) if settings.quick else (1024, 60)
    sim = CpuEngine(compile_scene(parse_stage(_animated(count)).scene))
    seconds = median_time(lambda: sim.step(steps), settings.rounds(5))
    factor = steps * sim.compiled.mj.opt.timestep / seconds
    yield Row(f"{count} boxes, most animated, real time", factor, "x", 1.0, True)


def _with_materials(count: int, kinds: int) -> Usd.Stage:
    """Boxes in stacks with as many materials, all of friction 0.4, on a ground of 0.5."""
    stage = stacks(count)
    for i in range(kinds):
        material = UsdShade.Material.Define(stage, f"/World/material_{i}")
        surface = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        for create in (surface.CreateStaticFrictionAttr, surface.CreateDynamicFrictionAttr):
            create(0.4)
    for i in range(count):
        bound = UsdShade.MaterialBindingAPI.Apply(stage.GetPrimAtPath(f"/World/box_{i}"))
        material = UsdShade.Material(stage.GetPrimAtPath(f"/World/material_{i % kinds}"))
        bound.Bind(material, materialPurpose="physics")
    return stage


def _animated(count: int) -> Usd.Stage:
    """Boxes in stacks that rise by a metre in ten seconds, and carry the loose ones on top."""
    stage = stacks(count)
    stage.SetTimeCodesPerSecond(_CODES)
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(10.0 * _CODES)
    for i in range(count):
        if (i + 1) % HEIGHT == 0:
            continue
        prim = stage.GetPrimAtPath(f"/World/box_{i}")
        UsdPhysics.RigidBodyAPI(prim).CreateKinematicEnabledAttr(True)
        (move,) = UsdGeom.Xformable(prim).GetOrderedXformOps()
        place = move.Get()
        for code, rise in ((0.0, 0.0), (10.0 * _CODES, 1.0)):
            move.Set(place + Gf.Vec3d(0.0, 0.0, rise), code)
    return stage
