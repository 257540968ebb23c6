"""What raw UsdPhysics stages do, in any units and on both engines, against closed forms."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdPhysics, UsdShade

import usdsim

sys.path.insert(0, str(Path(__file__).parent.parent / "parser"))
from device_under_test import DEVICE
from parser_builders import about, body, joint, new_stage, shape

G, STEP, TIME, R = 9.81, 0.001, 1.0, 0.1
EVERY = 25
"""Steps from one look to the next."""
ROLLS, SLIDES, TURNS = 0.6, 0.4, 0.004
SLOPE, START, LENGTH, BAR = np.radians(30.0), 0.4, 0.5, 0.6


class Author:
    """Writes quantities given in metres and z-up in the units and axes of a stage."""

    def __init__(self, up: str, meters: float):
        self.stage = new_stage(up=up, meters=meters)
        self.up, self.meters = up, meters
        scene = UsdPhysics.Scene.Define(self.stage, "/scene").GetPrim()
        scene.CreateAttribute("newton:timeStepsPerSecond", Sdf.ValueTypeNames.Int).Set(1000)

    def axes(self, vector) -> tuple[float, ...]:
        x, y, z = vector
        return (x, y, z) if self.up == "Z" else (x, z, -y)

    def sizes(self, vector) -> tuple[float, ...]:
        return tuple(np.abs(self.axes(vector)))

    def lengths(self, vector) -> tuple[float, ...]:
        return tuple(value / self.meters for value in self.axes(vector))

    def material(self, path: str, friction: float, turns: float = 0.0) -> UsdShade.Material:
        material = UsdShade.Material.Define(self.stage, path)
        api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        api.CreateDynamicFrictionAttr(friction)
        api.CreateStaticFrictionAttr(friction)
        material.GetPrim().AddAppliedSchema("NewtonMaterialAPI")
        attribute = material.GetPrim().CreateAttribute(
            "newton:torsionalFriction", Sdf.ValueTypeNames.Float
        )
        attribute.Set(turns / self.meters)
        return material

    def body(self, path, at, mass=1.0, inertia=None, com=None, velocity=None, spin=None, **more):
        prim = body(self.stage, path, pos=self.lengths(at), mass=mass, **more)
        api = UsdPhysics.MassAPI(prim)
        if inertia is not None:
            moments = np.array(self.sizes(inertia)) / self.meters**2
            api.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments))
        if com is not None:
            api.CreateCenterOfMassAttr(Gf.Vec3f(*self.lengths(com)))
        moving = UsdPhysics.RigidBodyAPI(prim)
        if velocity is not None:
            moving.CreateVelocityAttr(Gf.Vec3f(*self.lengths(velocity)))
        if spin is not None:
            moving.CreateAngularVelocityAttr(Gf.Vec3f(*np.degrees(self.axes(spin))))
        return prim

    def collider(self, path, kind="Sphere", material=None, **more) -> Usd.Prim:
        sizes = {"radius": R / self.meters} if kind == "Sphere" else {}
        prim = shape(self.stage, path, kind, **sizes, **more)
        if material is not None:
            UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, materialPurpose="physics")
        return prim

    def box(self, path, half, **more) -> Usd.Prim:
        scale = tuple(value / self.meters for value in self.sizes(half))
        return self.collider(path, "Cube", scale=scale, **more)

    def hinge(self, path, body0, at0, body1, at1, **more) -> Usd.Prim:
        """A hinge about x, which is the same axis in both frames."""
        at0, at1 = (self.lengths(at) for at in (at0, at1))
        return joint(
            self.stage, path, "Revolute", body0, body1, axis="X", localPos0=at0, localPos1=at1,
            **more,
        )  # fmt: skip


def stage_of(up: str, meters: float) -> Usd.Stage:
    """Bodies that do not meet each other, one for each closed form below."""
    author = Author(up, meters)
    ball = np.full(3, 0.4 * R**2)
    author.body("/thrown", (0, 0, 5), inertia=ball, velocity=(0.5, -0.3, 4.0))
    rolls = author.material("/rolls", ROLLS)
    author.box("/floor", (9, 9, 1), pos=author.lengths((0, 0, -1)), material=rolls)
    author.body("/roller", (0, 0, R), inertia=ball, velocity=(0, 1.0, 0))
    author.collider("/roller/shape", material=rolls)
    turns = author.material("/turns", ROLLS, TURNS)
    author.box("/plate", (1, 1, 1), pos=author.lengths((20, 0, -1)), material=turns)
    author.body("/spinner", (20, 0, R), inertia=ball, spin=(0, 0, 30.0))
    author.collider("/spinner/shape", material=turns)
    # Down the slope is along y.
    slides, turn = author.material("/slides", SLIDES), about((1, 0, 0), -np.degrees(SLOPE))
    normal = np.array([0, np.sin(SLOPE), np.cos(SLOPE)])
    author.box(
        "/slope", (3, 3, 1), pos=author.lengths((-20, 0, 0) - normal), turn=turn, material=slides
    )
    author.body("/slider", (-20, 0, 0) + R * normal, inertia=ball, turn=turn)
    author.box("/slider/shape", (R, R, R), material=slides)
    # Both hang on hinges, tilted at first; the body of the second is scaled.
    tilt, arm = about((1, 0, 0), np.degrees(START)), np.array([0, 0, LENGTH])
    tip = np.array([0, LENGTH * np.sin(START), -LENGTH * np.cos(START)])
    for path, x, scale in (
        ("/plain", 5.0, np.ones(3)),
        ("/scaled", 7.0, np.array([2.0, 3.0, 0.5])),
    ):
        pivot = np.array([x, 0, 3.0])
        author.body(
            path, pivot + tip, inertia=ball, turn=tilt, scale=author.sizes(scale)
        )  # fmt: skip
        author.hinge(f"{path}_hinge", None, pivot, path, arm / scale)
    bars(author, tilt)
    return author.stage


def bars(author: Author, tilt) -> None:
    """Two rods that hang side by side and a third that closes the loop below them."""
    rod = np.array([BAR**2 / 12, BAR**2 / 12, 1e-4])
    down = BAR * np.array([0, np.sin(START), -np.cos(START)])
    pivots = [np.array([12.0, y, 3.0]) for y in (0.0, 1.0)]
    for path, pivot in zip(("/left", "/right"), pivots, strict=True):
        author.body(path, pivot + 0.5 * down, inertia=rod, turn=tilt)
        author.hinge(f"{path}_hinge", None, pivot, path, (0, 0, 0.5 * BAR))
    author.body("/coupler", pivots[0] + down + [0, 0.5, 0], mass=2.0, inertia=rod[[2, 0, 1]])
    ends = (0, 0, -0.5 * BAR)
    author.hinge("/first", "/left", ends, "/coupler", (0, -0.5, 0))
    author.hinge("/second", "/right", ends, "/coupler", (0, 0.5, 0), excludeFromArticulation=True)


@pytest.fixture(scope="module", params=["cpu", DEVICE])
def device(request) -> str:
    return request.param


@pytest.fixture(scope="module", params=[("Z", 1.0), ("Y", 0.01)], ids=["m", "cm, y-up"])
def motion(device, request) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Final spin [rad/s], shape (3,), and positions and velocities [m, m/s] of bodies, (n, 6)."""
    model = usdsim.load_model(stage_of(*request.param))
    assert model.low.opt.timestep == STEP
    data = usdsim.SceneData(model, device=device)
    found: dict[str, list[np.ndarray]] = {link.path: [] for link in model.links}
    for _ in range(round(TIME / STEP / EVERY)):
        model.step_n(data, EVERY)
        for link in model.links:
            at = (link.get_position(data), link.get_linear_velocity(data))
            found[link.path].append(np.concatenate(at, dtype=float))
    spin = model.get_link("/spinner").get_angular_velocity(data)
    return np.array(spin), {path: np.array(rows) for path, rows in found.items()}


def swing(rate: float) -> np.ndarray:
    """Angles of a pendulum that starts at rest, by the classical Runge-Kutta method [rad]."""
    state, angles = np.array([START, 0.0]), []

    def slope(s):
        return np.array([s[1], -rate * np.sin(s[0])])

    for _ in range(round(TIME / STEP)):
        a = slope(state)
        b = slope(state + 0.5 * STEP * a)
        c = slope(state + 0.5 * STEP * b)
        state = state + STEP / 6 * (a + 2 * b + 2 * c + slope(state + STEP * c))
        angles.append(state[0])
    return np.array(angles)[EVERY - 1 :: EVERY]


def test_a_throw_is_a_parabola(motion):
    t, end = TIME, motion[1]["/thrown"][-1]
    # Semi-implicit steps add g h t / 2 to the parabola.
    height = 5 + 4 * t - 0.5 * G * t**2 - 0.5 * G * STEP * t
    assert end == pytest.approx([0.5, -0.3, height, 0.5, -0.3, 4 - G * t], abs=1e-4)


def test_a_ball_that_is_pushed_ends_up_rolling(motion):
    assert motion[1]["/roller"][-1, 4] == pytest.approx(5 / 7, rel=1e-3)


def test_torsional_friction_slows_a_spin_evenly(motion):
    left = 30.0 - TURNS * G / (0.4 * R**2) * TIME
    assert motion[0] == pytest.approx([0, 0, left], rel=0.01, abs=1e-3)


def test_a_slope_lets_a_box_down_as_coulomb_has_it(motion):
    """Its friction is within 3 %: what slides hops by less than a millimetre, and may rock."""
    moved = motion[1]["/slider"][-1, 1:3] - R * np.array([np.sin(SLOPE), np.cos(SLOPE)])
    down = moved @ [np.cos(SLOPE), -np.sin(SLOPE)]
    brakes = G * np.sin(SLOPE) - 2.0 * down / TIME**2
    assert brakes == pytest.approx(SLIDES * G * np.cos(SLOPE), rel=0.03)


@pytest.mark.parametrize("path", ["/plain", "/scaled"])
def test_a_pendulum_swings_as_its_equation_says(motion, path):
    angles = swing(G * LENGTH / (LENGTH**2 + 0.4 * R**2))
    across = motion[1][path][:, 1]
    assert np.abs(across - LENGTH * np.sin(angles)).max() < 1e-3


def test_a_loop_of_four_bars_swings_as_one_pendulum(motion):
    """The coupler only translates, so that all is one angle."""
    inertia, pull = 2 * BAR**2 / 3 + 2.0 * BAR**2, (2 * 0.5 + 2.0) * BAR * G
    angles = swing(pull / inertia)
    rows = motion[1]["/coupler"]
    assert np.abs(rows[:, 1] - 0.5 - BAR * np.sin(angles)).max() < 2e-3
    height = 0.5 * (motion[1]["/left"] + motion[1]["/right"])[:, 2] - 3.0
    assert np.abs(height + 0.5 * BAR * np.cos(angles)).max() < 2e-3
