"""The rotorcraft that ship fly: rotors, their reaction and a controller on the bare engine."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from usdsim.actuators.thrusters.actions import MultiRotorActions
from usdsim.actuators.thrusters.cfg import ThrusterCfg
from usdsim.actuators.thrusters.thruster import Thruster
from usdsim.cli.main import main
from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage
from usdsim.parser.description import WORLD, GeomDescription

ASSETS = Path(__file__).resolve().parent.parent / "assets"
G = 9.81
DT = 0.005
SECONDS = 10.0
HEIGHT = 1.0
YAW_STEP = 0.6
HELD = 0.05  # how far from its place a hovering vehicle may be [m]


@dataclass(frozen=True)
class Craft:
    """A rotorcraft and the numbers its README gives for its propellers."""

    name: str
    rotors: int
    mass: float
    arm: float
    thrust_const: float
    torque_ratio: float
    largest: float
    rise: float
    fall: float
    feet: float

    @property
    def directions(self) -> np.ndarray:
        """1: counter-clockwise seen from above, -1: clockwise."""
        return np.array([1.0, -1.0] * (self.rotors // 2))

    @property
    def hover(self) -> float:
        """Thrust of each rotor that carries the vehicle [N]."""
        return self.mass * G / self.rotors


CRAFT = {
    "quadrotor": Craft("quadrotor", 4, 1.0, 0.17, 2.3e-4, 0.0132, 6.0, 0.05, 0.06, 0.106),
    "hexarotor": Craft("hexarotor", 6, 2.4, 0.275, 5.6e-4, 0.0165, 9.0, 0.07, 0.08, 0.147),
}
BOTH = pytest.mark.parametrize("name", CRAFT)


@cache
def described(name: str):
    stage = parse_stage(str(ASSETS / name / f"{name}.usda"))
    assert not stage.report.findings
    return stage.scene


class Flight:
    """Some vehicles in worlds of their own, with thrusts as wrenches on their bodies."""

    def __init__(self, craft: Craft, num_envs: int):
        scene = replace(described(craft.name), timestep=DT)
        self.craft, self.num_envs = craft, num_envs
        self.engine = CpuEngine(compile_scene(scene), num_envs=num_envs)
        model = self.engine.compiled.mj
        root = f"/{craft.name.capitalize()}"
        names = self.engine.compiled.names
        self.base = names.find("body", f"{root}/base")
        self.rotors = [names.find("body", f"{root}/rotor_{i}") for i in range(craft.rotors)]
        rotors = [f"rotor_{i}" for i in range(craft.rotors)]
        cfg = ThrusterCfg(
            thruster_names_expr="rotor_.*",
            thrust_range=(0.0, craft.largest),
            dt=DT,
            rise_time_constant=craft.rise,
            fall_time_constant=craft.fall,
            thrust_const_range=(craft.thrust_const, craft.thrust_const),
            torque_to_thrust_ratio=craft.torque_ratio,
        )
        speed = math.sqrt(craft.hover / craft.thrust_const)
        self.thruster = Thruster(cfg, rotors, slice(None), num_envs, "cpu", speed)
        self.engine.state("qpos")[:, 2] = HEIGHT
        self.engine.touch()
        self.offsets = (
            self.engine.read("xpos")[0, self.rotors] - self.engine.read("xipos")[0, self.base]
        )
        self.inertia = composite_inertia(model, self.engine)

    def allocation(self) -> np.ndarray:
        """Wrench (force, torque) in the body frame at the base's centre of mass, per thrust."""
        axis = np.array([0.0, 0.0, 1.0])
        arms = np.cross(self.offsets, axis)
        # What drives a rotor one way drives the vehicle the other way.
        reaction = -self.craft.directions[:, None] * self.craft.torque_ratio * axis
        forces = np.repeat(axis[None], self.craft.rotors, axis=0)
        return np.hstack([forces, arms + reaction]).T

    def state(self):
        """Position, rotation matrix, velocity in the world and angular velocity in the body."""
        qpos, qvel = self.engine.read("qpos"), self.engine.read("qvel")
        rotation = self.engine.read("xmat")[:, self.base].reshape(-1, 3, 3)
        return qpos[:, :3], rotation, qvel[:, :3], qvel[:, 3:6]

    def step(self, thrusts: np.ndarray) -> np.ndarray:
        """Ask for thrusts, and step with what the rotors give."""
        applied = self.thruster.compute(MultiRotorActions(thrusts)).thrusts.numpy()
        wrench = applied @ self.allocation().T
        rotation = self.state()[1]
        world = self.engine.state("xfrc_applied")
        world[:, self.base, :3] = np.einsum("nij,nj->ni", rotation, wrench[:, :3])
        world[:, self.base, 3:] = np.einsum("nij,nj->ni", rotation, wrench[:, 3:])
        self.engine.touch(field="xfrc_applied")
        self.engine.step()
        return applied.copy()


def composite_inertia(model, engine: CpuEngine) -> np.ndarray:
    """Diagonal of the inertia of the whole vehicle about its centre of mass [kg m^2]."""
    mass = model.body_mass[1:]
    places = engine.read("xipos")[0, 1:]
    centre = mass @ places / mass.sum()
    total = np.zeros(3)
    for body, (m, place) in enumerate(zip(mass, places - centre, strict=True), start=1):
        frame = engine.read("ximat")[0, body].reshape(3, 3)
        own = frame @ np.diag(model.body_inertia[body]) @ frame.T
        total += np.diag(own) + m * (place @ place - place**2)
    return total


def control(flight: Flight, goal: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Thrusts of a controller: position to acceleration, acceleration to attitude, to torque."""
    craft = flight.craft
    position, rotation, velocity, spin = flight.state()
    force = craft.mass * (4.0 * (goal - position) - 3.6 * velocity + [0.0, 0.0, G])
    up = force / np.linalg.norm(force, axis=1, keepdims=True)
    heading = np.stack([np.cos(yaw), np.sin(yaw), np.zeros_like(yaw)], axis=1)
    left = np.cross(up, heading)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    desired = np.stack([np.cross(left, up), left, up], axis=2)
    relative = np.einsum("nji,njk->nik", rotation, desired)
    error = 0.5 * np.stack(
        [
            relative[:, 2, 1] - relative[:, 1, 2],
            relative[:, 0, 2] - relative[:, 2, 0],
            relative[:, 1, 0] - relative[:, 0, 1],
        ],
        axis=1,
    )
    gains, rates = np.array([50.0, 50.0, 6.0]), np.array([11.0, 11.0, 4.5])
    torque = flight.inertia * (gains * error - rates * spin)
    lift = np.einsum("ni,ni->n", force, rotation[:, :, 2])
    wanted = np.hstack([lift[:, None], torque])
    return wanted @ np.linalg.pinv(flight.allocation()[2:]).T


@cache
def flown(name: str) -> dict[str, np.ndarray]:
    """Ten seconds of three vehicles: one hovers after a knock, two yaw, left and right."""
    flight = Flight(CRAFT[name], 3)
    goal = np.tile([0.0, 0.0, HEIGHT], (3, 1))
    yaw = np.array([0.0, YAW_STEP, -YAW_STEP])
    flight.engine.state("qvel")[0] = [0.04, -0.03, 0.02, 0.4, -0.3, 0.2]
    flight.engine.touch(field="qvel")
    records: dict[str, list[np.ndarray]] = {"position": [], "yaw": [], "thrust": [], "tilt": []}
    for _ in range(round(SECONDS / DT)):
        thrust = flight.step(control(flight, goal, yaw))
        position, rotation, _, _ = flight.state()
        records["position"].append(position - goal)
        records["yaw"].append(np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0]))
        records["tilt"].append(np.arccos(np.clip(rotation[:, 2, 2], -1, 1)))
        records["thrust"].append(thrust)
    return {key: np.array(values) for key, values in records.items()}


PARTS = ("hub", "arm", "leg")


def solid(mass: float, geom) -> tuple[np.ndarray, np.ndarray]:
    """Centre and diagonal of the inertia of a capsule or cylinder about it, in its body's frame."""
    r, h = float(geom.size[0]), 2.0 * float(geom.size[1])
    if geom.kind == "cylinder":
        along, across = mass * r**2 / 2, mass * (3 * r**2 + h**2) / 12
    else:
        ends = mass * (4 * r / 3) / (4 * r / 3 + h)
        middle = mass - ends
        along = middle * r**2 / 2 + ends * 2 * r**2 / 5
        across = middle * (3 * r**2 + h**2) / 12
        across += ends * (2 * r**2 / 5 + h**2 / 4 + 3 * h * r / 8)
    axis = rotated(geom.pose.quat, np.array([0.0, 0.0, 1.0]))
    return geom.pose.pos, across + (along - across) * axis**2


def rotated(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    xyz, w = quat[:3], quat[3]
    return vector + 2.0 * np.cross(xyz, np.cross(xyz, vector) + w * vector)


# The assets


@BOTH
def test_mass_and_symmetry_are_as_documented(name: str):
    craft = CRAFT[name]
    flight = Flight(craft, 1)
    model = flight.engine.compiled.mj
    assert model.body_mass.sum() == pytest.approx(craft.mass, rel=1e-6)
    centre = model.body_mass[1:] @ flight.engine.read("xipos")[0, 1:] / craft.mass
    np.testing.assert_allclose(centre[:2], 0.0, atol=1e-9)
    assert flight.inertia[0] == pytest.approx(flight.inertia[1], rel=1e-6)
    readme = (ASSETS / name / "README.md").read_text()
    written = readme.split("| inertia ")[1].split(" kg m^2")[0].split(", ")
    np.testing.assert_allclose(flight.inertia, [float(v) for v in written], rtol=1e-3)


@BOTH
def test_rotors_are_at_the_arm_ends_in_order(name: str):
    craft = CRAFT[name]
    angles = 2.0 * np.pi * np.arange(craft.rotors) / craft.rotors
    ends = craft.arm * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    flight = Flight(craft, 1)
    np.testing.assert_allclose(flight.offsets[:, :2], ends, atol=1e-6)
    assert not described(name).bodies[0].kinematic
    assert flight.engine.compiled.mj.nv == 6


@BOTH
def test_base_inertia_is_that_of_its_parts(name: str):
    """From the shapes, with the masses of the README's table."""
    scene = described(name)
    base = scene.bodies[0]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in (ASSETS / name / "README.md").read_text().splitlines()
        if line.startswith("|")
    ]
    masses = {row[0].split()[0]: float(row[2]) for row in rows if row[0].split()[0] in PARTS}
    moment = np.zeros(3)
    parts = []
    for geom in scene.geoms:
        if geom.body == 0:
            kind = geom.path.rsplit("/", 1)[1].split("_")[0]
            parts.append((masses[kind], *solid(masses[kind], geom)))
    total = sum(mass for mass, _, _ in parts)
    centre = sum(mass * place for mass, place, _ in parts) / total
    for mass, place, own in parts:
        arm = place - centre
        moment += own + mass * (arm @ arm - arm**2)
    assert base.mass == pytest.approx(total, rel=1e-6)
    np.testing.assert_allclose(base.com, centre, atol=1e-7)
    np.testing.assert_allclose(base.inertia, moment, rtol=1e-5)


@BOTH
def test_it_stands_on_its_feet(name: str):
    """Dropped on a floor it comes to rest upright at the documented height."""
    craft = CRAFT[name]
    scene = described(name)
    floor = GeomDescription(path="/floor", body=WORLD, kind="plane", size=np.zeros(3))
    scene = replace(scene, geoms=(*scene.geoms, floor), timestep=DT)
    engine = CpuEngine(compile_scene(scene), num_envs=1)
    engine.state("qpos")[0, 2] = craft.feet + 0.03
    engine.touch()
    engine.step(400)
    position, quaternion = engine.read("qpos")[0, :3], engine.read("qpos")[0, 3:]
    # Contacts give way by less than a millimetre under the weight.
    np.testing.assert_allclose(position, [0.0, 0.0, craft.feet], atol=1e-3)
    np.testing.assert_allclose(quaternion, [1.0, 0.0, 0.0, 0.0], atol=1e-2)
    assert np.abs(engine.read("qvel")).max() < 1e-2


@BOTH
def test_validation_finds_nothing(name: str, capsys):
    assert main(["validate", "--strict", str(ASSETS / name / f"{name}.usda")]) == 0
    assert "no findings" in capsys.readouterr().out


# Flight


@BOTH
def test_hover_holds_its_place_after_a_knock(name: str):
    flight = flown(name)
    distance = np.linalg.norm(flight["position"][:, 0], axis=1)
    assert distance.max() < HELD
    assert distance.max() > 1e-3  # the knock was felt
    assert distance[-1] < 1e-3
    assert flight["tilt"][-1, 0] < 1e-3
    np.testing.assert_allclose(flight["thrust"][-1, 0], CRAFT[name].hover, rtol=1e-3)


@BOTH
def test_without_control_the_knock_is_not_survived(name: str):
    """The same start with the thrust of hovering and nobody at the controls."""
    craft = CRAFT[name]
    flight = Flight(craft, 1)
    flight.engine.state("qvel")[0] = [0.04, -0.03, 0.02, 0.4, -0.3, 0.2]
    flight.engine.touch(field="qvel")
    thrusts = np.full((1, craft.rotors), craft.hover)
    for _ in range(round(2.0 / DT)):
        flight.step(thrusts)
    assert np.linalg.norm(flight.state()[0][0] - [0.0, 0.0, HEIGHT]) > 1.0


@BOTH
def test_yaw_steps_turn_to_their_side_and_hold_the_place(name: str):
    flight = flown(name)
    left, right = flight["yaw"][:, 1], flight["yaw"][:, 2]
    early = round(0.5 / DT)
    assert left[early] > 0.1 and right[early] < -0.1
    assert left[-1] == pytest.approx(YAW_STEP, abs=0.01)
    assert right[-1] == pytest.approx(-YAW_STEP, abs=0.01)
    assert np.abs(flight["position"][:, 1:]).max() < HELD
    # Mirror images of one another.
    np.testing.assert_allclose(left, -right, atol=0.02)


@BOTH
def test_turning_left_is_the_work_of_the_clockwise_rotors(name: str):
    craft, flight = CRAFT[name], flown(name)
    soon = flight["thrust"][: round(0.1 / DT), 1].mean(axis=0)
    clockwise = soon[craft.directions < 0.0]
    counter = soon[craft.directions > 0.0]
    assert clockwise.min() > craft.hover > counter.max()
    assert soon.sum() == pytest.approx(craft.mass * G, rel=0.02)


@BOTH
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_reaction_torque_against_the_closed_form(name: str, side: float):
    """More thrust of the rotors of one direction: yaw acceleration against that direction."""
    craft = CRAFT[name]
    flight = Flight(craft, 1)
    extra = 0.2 * craft.hover
    thrusts = craft.hover + extra * side * craft.directions[None]
    steps = 100
    applied = np.array([flight.step(thrusts)[0] for _ in range(steps)])
    torque = -craft.torque_ratio * applied @ craft.directions
    spin = flight.state()[3][0]
    expected = torque.sum() * DT / flight.inertia[2]
    assert np.sign(expected) == -side
    assert spin[2] == pytest.approx(expected, rel=1e-3)
    np.testing.assert_allclose(spin[:2], 0.0, atol=1e-6)


@BOTH
def test_thrust_lifts_with_the_closed_form_acceleration(name: str):
    craft = CRAFT[name]
    flight = Flight(craft, 1)
    climb = 0.0
    for _ in range(100):
        climb += (
            flight.step(np.full((1, craft.rotors), 1.3 * craft.hover)).sum() / craft.mass - G
        ) * DT
    assert climb > 0.5
    velocity = flight.state()[2][0]
    np.testing.assert_allclose(velocity, [0.0, 0.0, climb], atol=1e-4)
