"""Contacts against closed forms and plain MuJoCo: rebounds, friction, hops, creep, spin, time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from unittest.mock import patch

import mujoco
import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim
from usdsim.engine.compile.options import CONTACT_DAMPING, CONTACT_SOLIMP, CONTACT_STEPS
from usdsim.usd import create_stage

from .measure import Contender, alternate
from .registry import Row, Settings, benchmark

__all__ = [
    "contact_creep",
    "contact_defaults",
    "contact_hops",
    "contact_impulses",
    "contact_lifts",
    "contact_pairs",
    "contact_rebounds",
    "contact_sinking",
    "contact_sticking",
    "spinning_tops",
]

_G = 9.81
_HALF = 0.1
"""Radius of balls and half the edge of boxes [m]."""
_DROP = 1.0
"""Height of drops [m]."""


@benchmark
def contact_rebounds(settings: Settings) -> Iterator[Row]:
    """Rebound of balls and boxes that drop 1 m while they fly, and the friction of the bounce."""
    fall = float(np.sqrt(2.0 * _G * _DROP))
    for shape in ("Sphere", "Cube"):
        for restitution in (0.8,) if settings.quick else (0.1, 0.3, 0.5, 0.8, 1.0):
            for speed in (6.0,) if settings.quick else (0.0, 3.0, 6.0, 12.0):
                stage = _stage(shape, friction=0.3, restitution=restitution, height=_DROP)
                v, before = _first_bounce(stage, speed, 0.002)
                case = f"{shape.lower()}, restitution {restitution:g} at {speed:g} m/s"
                error = abs(float(v[2]) / -before - restitution)
                yield Row(f"{case}: error of the rebound", error, "", 0.02)
                push = 0.3 * (1.0 + restitution) * fall
                push = min(push, speed / (3.5 if shape == "Sphere" else 1.0))
                if push:
                    ratio = float((speed - v[0]) / push)
                    yield Row(f"{case}: friction over Coulomb's", abs(ratio - 1.0), "off 1", 0.05)
    for timestep in (0.002,) if settings.quick else (0.001, 0.002, 0.005):
        for height in (1.0,) if settings.quick else (0.1, 1.0, 4.0):
            stage = _stage("Sphere", friction=0.5, restitution=0.0, height=height)
            v, before = _first_bounce(stage, 0.0, timestep, bounces=False)
            case = f"nothing in the scene bounces, drop of {height:g} m at {1e3 * timestep:g} ms"
            detail = {"plain": _plain_rebound(timestep, height)}
            yield Row(f"{case}: rebound", float(v[2]) / -before, "", 0.05, detail=detail)
            hop = 1e3 * _hop_after(stage, height, timestep)
            yield Row(f"{case}: height of the hop", hop, "mm", 0.4 * height)


def _hop_after(stage: Usd.Stage, height: float, timestep: float) -> float:
    """Height above the ground after a drop, at most [m]."""
    model = usdsim.load_model(_timed(stage, timestep))
    data = usdsim.SceneData(model)
    fall = round(float(np.sqrt(2.0 * height / _G)) / timestep) + 3
    model.step_n(data, fall)
    highest = 0.0
    for _ in range(round(1.0 / timestep)):
        model.step(data)
        highest = max(highest, float(data.low.read("qpos")[0, 2]) - _HALF)
    return highest


def _first_bounce(
    stage: Usd.Stage, speed: float, timestep: float, bounces: bool = True
) -> tuple[np.ndarray, float]:
    """Velocity after the first contact, and the velocity of fall before it."""
    model = usdsim.load_model(_timed(stage, timestep))
    data = usdsim.SceneData(model)
    data.low.write("qvel", [[speed]], ids=[0])
    fastest = 0.0
    for _ in range(round(1.0 / timestep)):
        model.step(data)
        v = np.array(data.low.read("qvel")[0])
        if v[2] > 0.0 and fastest < 0.0:
            break
        fastest = min(fastest, float(v[2]))
    # The engine's own contacts push for several steps; an impulse once, after a last step of fall.
    if not bounces:
        for _ in range(round(0.2 / timestep)):
            model.step(data)
            v = np.maximum(v, data.low.read("qvel")[0])
        return v, fastest
    return v, fastest - _G * timestep


@benchmark
def contact_hops(settings: Settings) -> Iterator[Row]:
    """Height of hops of a flat box that grips at friction 1, against MuJoCo's own defaults."""
    for timestep in (0.002,) if settings.quick else (0.001, 0.002, 0.005):
        for speed in (6.0,) if settings.quick else (1.0, 3.0, 6.0):
            stage = _timed(_stage("Cube", friction=1.0), timestep)
            ours = _hop(usdsim.load_model(stage).low, speed)
            plain = _hop(_plain(timestep, 1.0), speed)
            case = f"{1e3 * timestep:g} ms, {speed:g} m/s"
            yield Row(case, 1e3 * ours, "mm", max(1e3 * plain, 1.0), detail={"plain": 1e3 * plain})


def _hop(model: mujoco.MjModel, speed: float) -> float:
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(0.2 / model.opt.timestep))
    rest, highest = float(data.qpos[2]), 0.0
    data.qvel[0] = speed
    for _ in range(round(1.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        highest = max(highest, float(data.qpos[2]) - rest)
    return highest


def _plain(
    timestep: float, friction: float, shape: str = "box", height: float = 0.0
) -> mujoco.MjModel:
    """A box or ball above a plane, as MuJoCo has it by default."""
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{timestep}"/>
        <default><geom friction="{friction} .005 .0001"/></default>
        <worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 {_HALF + height}"><freejoint/><geom type="{shape}"
        size="{_HALF} {_HALF} {_HALF}" mass="1"/></body></worldbody></mujoco>"""
    )


@benchmark
def contact_creep(settings: Settings) -> Iterator[Row]:
    """Creep in 2 s of a box on a slope of 26 degrees whose friction holds 26.6."""
    for timestep in (0.002,) if settings.quick else (0.001, 0.002, 0.005, 1 / 120):
        yield Row(f"{1e3 * timestep:.3g} ms", 1e3 * _creep(timestep), "mm", 0.1)


def _creep(timestep: float) -> float:
    model = usdsim.load_model(_timed(_stage("Cube", friction=0.5, slope=26.0), timestep))
    data = usdsim.SceneData(model)
    model.step_n(data, round(2.0 / timestep))
    return abs(float(data.low.read("qpos")[0, 0]))


@benchmark
def contact_sinking(settings: Settings) -> Iterator[Row]:
    """Depth to which a ball that drops 1 m sinks in where nothing bounces, and MuJoCo's own."""
    for timestep in (0.002,) if settings.quick else (0.001, 0.002, 0.005):
        stage = _timed(_stage("Sphere", friction=0.5, height=_DROP), timestep)
        deepest = _deepest(usdsim.load_model(stage).low)
        plain = _deepest(_plain(timestep, 0.5, "sphere", _DROP))
        case = f"{1e3 * timestep:g} ms"
        yield Row(case, 1e3 * deepest, "mm", detail={"plain": 1e3 * plain})


def _deepest(model: mujoco.MjModel) -> float:
    data = mujoco.MjData(model)
    deepest = 0.0
    for _ in range(round(1.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        deepest = max(deepest, _HALF - float(data.qpos[2]))
    return deepest


def _plain_rebound(timestep: float, height: float) -> float:
    model = _plain(timestep, 0.5, "sphere", height)
    data = mujoco.MjData(model)
    fastest = back = 0.0
    for _ in range(round(1.5 / timestep)):
        mujoco.mj_step(model, data)
        fastest, back = min(fastest, float(data.qvel[2])), max(back, float(data.qvel[2]))
    return back / -fastest


@benchmark
def contact_lifts(settings: Settings) -> Iterator[Row]:
    """Distance of a box from where a lift has it that rises faster for 0.2 s, then evenly."""
    for timestep in (0.002,) if settings.quick else (0.001, 0.002, 0.005):
        for speed in (0.4,) if settings.quick else (0.1, 0.4, 1.0):
            for restitution in (0.0, 0.5):
                off = _lag(timestep, speed, restitution)
                case = f"{1e3 * timestep:g} ms, {speed:g} m/s, restitution {restitution:g}"
                yield Row(case, 1e3 * abs(off), "mm", 0.1)


def _lag(timestep: float, speed: float, restitution: float) -> float:
    model = usdsim.load_model(_timed(_lift(restitution), timestep))
    data, grows = usdsim.SceneData(model), round(0.2 / timestep)
    model.step_n(data, round(0.5 / timestep))
    rest, risen = float(data.low.read("qpos")[0, 2]), 0.0
    lift = model.compiled.names.index("body", "/a_lift")
    for i in range(round(0.5 / timestep)):
        now = speed * min(1.0, (i + 1) / grows)
        data.low.set_kinematic_velocity([[0, 0, now, 0, 0, 0]], None, [lift])
        model.step(data)
        risen += now * timestep
    return float(data.low.read("qpos")[0, 2]) - rest - risen


@benchmark
def contact_sticking(settings: Settings) -> Iterator[Row]:
    """Boxes of static friction 0.9 and dynamic 0.1 on 20 degrees: at rest, and pushed at 1 m/s."""
    static, dynamic, slope = 0.9, 0.1, 20.0
    angle = np.radians(slope)
    rate = _G * float(np.sin(angle) - dynamic * np.cos(angle))
    for timestep in (0.002,) if settings.quick else (0.001, 0.002, 0.005):
        stage = _timed(_stage("Cube", dynamic, slope=slope, static=static), timestep)
        held, pushed = (_slides(stage, timestep, speed) for speed in (0.0, 1.0))
        case = f"{1e3 * timestep:g} ms"
        yield Row(f"{case}, at rest: slides in 1 s", 1e3 * abs(held), "mm", 0.1)
        off = pushed / (1.0 + 0.5 * rate) - 1.0
        yield Row(f"{case}, pushed: error of the way in 1 s", abs(off), "of it", 0.02)
    sides = [
        _stepping(usdsim.load_model(_stage("Cube", dynamic, slope=slope, static=value)), 200)
        for value in (static, dynamic)
    ]
    result = alternate(*sides, settings.rounds(15))
    yield Row("200 steps of one world, over those of dynamic friction", 1.0 / result.ratio, "x")


def _slides(stage: Usd.Stage, timestep: float, speed: float) -> float:
    """Way along a slope in 1 s [m]."""
    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    data.low.write("qvel", [[speed]], ids=[0])
    model.step_n(data, round(1.0 / timestep))
    return float(data.low.read("qpos")[0, 0])


@benchmark
def contact_defaults(settings: Settings) -> Iterator[Row]:
    """Sweep of the defaults of contacts at 2 ms: rebound, depth, hop and creep of each."""
    options = "usdsim.engine.compile.options"
    chosen = CONTACT_STEPS, CONTACT_DAMPING, CONTACT_SOLIMP[0]
    others = [(5.0, 1.0, 0.98), (5.0, 2.0, 0.992), (7.5, 1.0, 0.992), (7.5, 3.0, 0.992)]
    others += [(7.5, 2.0, 0.98), (10.0, 1.0, 0.9), (10.0, 2.0, 0.992)]
    for steps, damping, impedance in (chosen,) if settings.quick else (chosen, *others):
        solimp = (impedance, 0.5 * (1.0 + impedance), *CONTACT_SOLIMP[2:])
        if (steps, damping, impedance) == chosen:
            solimp = CONTACT_SOLIMP
        with (
            patch(f"{options}.CONTACT_STEPS", steps),
            patch(f"{options}.CONTACT_DAMPING", damping),
            patch(f"{options}.CONTACT_SOLIMP", solimp),
        ):
            yield from _consequences(
                f"{steps:g} steps, damping {damping:g}, impedance {impedance:g}"
            )


def _consequences(case: str) -> Iterator[Row]:
    timestep = 0.002
    dropped = _stage("Sphere", friction=0.5, height=_DROP)
    v, before = _first_bounce(dropped, 0.0, timestep, bounces=False)
    yield Row(f"{case}: rebound of a drop of 1 m", float(v[2]) / -before, "")
    depth = _deepest(usdsim.load_model(_timed(dropped, timestep)).low)
    yield Row(f"{case}: depth of that drop", 1e3 * depth, "mm")
    hop = _hop(usdsim.load_model(_timed(_stage("Cube", friction=1.0), timestep)).low, 6.0)
    yield Row(f"{case}: hop at 6 m/s", 1e3 * hop, "mm")
    yield Row(f"{case}: creep in 2 s", 1e3 * _creep(timestep), "mm")


@benchmark
def contact_impulses(settings: Settings) -> Iterator[Row]:
    """Step in which a shape bounces in every one of 16 worlds, over one in which all fly."""
    for shape, contacts in (("Sphere", 1),) if settings.quick else (("Sphere", 1), ("Cube", 4)):
        model = usdsim.load_model(_timed(_stage(shape, friction=0.5, restitution=0.5), 0.002))
        steps = 4 if settings.quick else 40
        sides = [_colliding(model, 16, steps, speed) for speed in (-2.0, 2.0)]
        result = alternate(*sides, settings.rounds(15))
        detail = {"ms_per_world": 1e3 * (result.first - result.second) / (16 * steps)}
        case = f"{shape.lower()}, contacts in a world: {contacts}"
        yield Row(case, 1.0 / result.ratio, "x", detail=detail)


def _colliding(model: usdsim.SceneModel, envs: int, steps: int, speed: float) -> Contender:
    """Steps from just above the ground, where a shape meets it or flies off."""
    data = usdsim.SceneData(model, batch=(envs,))
    start = np.array(data.low.read("qpos"))
    start[:, 2] += 0.001
    velocity = np.zeros((envs, 6))
    velocity[:, 2] = speed

    def run() -> None:
        for _ in range(steps):
            data.low.write("qpos", start)
            data.low.write("qvel", velocity)
            model.step(data)

    return Contender(data.reset, run)


@benchmark
def contact_pairs(settings: Settings) -> Iterator[Row]:
    """Processor time of a step with a pair for each two shapes of alike materials, over none."""
    few = "usdsim.engine.surfaces.varied.FEW_PAIRS"
    steps = 200  # Short ones, so that a busy machine disturbs few of many rounds.
    for count in (5,) if settings.quick else (2, 3, 5, 7):
        stage = _stage("Cube", friction=0.5, count=count)
        paired = usdsim.load_model(stage)
        with patch(few, 0):
            bare = usdsim.load_model(stage)
        sides = [_stepping(model, steps, time.process_time) for model in (paired, bare)]
        result = alternate(*sides, settings.rounds(501))
        yield Row(f"{count} boxes, {paired.low.npair} pairs", 1.0 / result.ratio, "x", 1.02)


def _stepping(
    model: usdsim.SceneModel, steps: int, clock: Callable[[], float] = time.perf_counter
) -> Contender:
    data = usdsim.SceneData(model)
    return Contender(data.reset, lambda: model.step_n(data, steps), clock)


@benchmark
def spinning_tops(settings: Settings) -> Iterator[Row]:
    """Change of the energy of a fast top on a ball joint in 1 s, by the integrators it may have."""
    for rate in (300.0,) if settings.quick else (50.0, 100.0, 300.0):
        for name in ("implicitfast", "implicit", "RK4"):
            yield Row(f"{rate:g} rad/s, {name}, 1 ms", _top(rate, name), "of the energy")


def _top(rate: float, integrator: str) -> float:
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.001" integrator="{integrator}">
        <flag energy="enable" autoreset="disable"/></option>
        <worldbody><body><joint type="ball"/><inertial pos="0 0 .1" mass="1"
        diaginertia=".002 .002 .004"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    data.qpos[:] = np.cos(0.15), np.sin(0.15), 0.0, 0.0
    data.qvel[2] = rate
    mujoco.mj_forward(model, data)
    before = float(data.energy.sum())
    mujoco.mj_step(model, data, nstep=1000)
    return float(data.energy.sum()) / before - 1.0


def _stage(
    shape: str,
    friction: float,
    restitution: float = 0.0,
    height: float = 0.0,
    slope: float = 0.0,
    count: int = 1,
    static: float | None = None,
) -> Usd.Stage:
    """Shapes of 1 kg and one material above the ground; gravity tilts to +x by `slope` [deg].

    Static friction is as the dynamic one, unless it is given.
    """
    stage = create_stage()
    tilt = np.radians(slope)
    physics = UsdPhysics.Scene.Define(stage, "/scene")
    physics.CreateGravityDirectionAttr(Gf.Vec3f(float(np.sin(tilt)), 0.0, -float(np.cos(tilt))))
    physics.CreateGravityMagnitudeAttr(_G)
    material = UsdShade.Material.Define(stage, "/material")
    surface = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    surface.CreateStaticFrictionAttr(friction if static is None else static)
    surface.CreateDynamicFrictionAttr(friction)
    surface.CreateRestitutionAttr(restitution)
    ground = UsdGeom.Plane.Define(stage, "/ground")
    ground.CreateAxisAttr("Z")
    prims = [ground.GetPrim()]
    for i in range(count):
        made = getattr(UsdGeom, shape).Define(stage, f"/shape_{i}")
        made.AddTranslateOp().Set(Gf.Vec3d(3.0 * _HALF * i, 0.0, _HALF + height))
        size = made.CreateRadiusAttr if shape == "Sphere" else made.CreateSizeAttr
        size(_HALF if shape == "Sphere" else 2.0 * _HALF)
        UsdPhysics.RigidBodyAPI.Apply(made.GetPrim())
        UsdPhysics.MassAPI.Apply(made.GetPrim()).CreateMassAttr(1.0)
        prims.append(made.GetPrim())
    for prim in prims:
        UsdPhysics.CollisionAPI.Apply(prim)
        UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, materialPurpose="physics")
    return stage


def _lift(restitution: float) -> Usd.Stage:
    """A box of 1 kg on a kinematic one, of one material."""
    stage = _stage("Cube", friction=0.5, restitution=restitution)
    stage.RemovePrim("/ground")
    lift = UsdGeom.Cube.Define(stage, "/a_lift")
    lift.CreateSizeAttr(1.0)
    lift.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, -0.5))
    UsdPhysics.RigidBodyAPI.Apply(lift.GetPrim()).CreateKinematicEnabledAttr(True)
    UsdPhysics.CollisionAPI.Apply(lift.GetPrim())
    material = UsdShade.Material.Get(stage, "/material")
    UsdShade.MaterialBindingAPI.Apply(lift.GetPrim()).Bind(material, materialPurpose="physics")
    return stage


def _timed(stage: Usd.Stage, timestep: float) -> Usd.Stage:
    """The stage, with a time step [s], which is no solver option."""
    prim = stage.GetPrimAtPath("/scene")
    prim.AddAppliedSchema("NewtonSceneAPI")
    rate = prim.CreateAttribute("newton:timeStepsPerSecond", Sdf.ValueTypeNames.Int)
    rate.Set(round(1.0 / timestep))
    return stage
