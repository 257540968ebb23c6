"""The rotorcraft that ship are what their pages say: masses, inertia, places of rotors, stance."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from multirotor_craft import ASSETS, CRAFT, DT

from usdsim.cli.main import main
from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage
from usdsim.parser.description import WORLD, GeomDescription

FEET = {"quadrotor": 0.106, "hexarotor": 0.147}
"""Height of the base above the floor it stands on [m]."""
BOTH = pytest.mark.parametrize("name", CRAFT)


@cache
def described(name: str):
    stage = parse_stage(str(ASSETS / name / f"{name}.usda"))
    assert not stage.report.findings
    return stage.scene


@cache
def engine_of(name: str) -> CpuEngine:
    return CpuEngine(compile_scene(described(name)), num_envs=1)


def composite_inertia(engine: CpuEngine) -> np.ndarray:
    """Diagonal of the inertia of the whole vehicle about its centre of mass [kg m^2]."""
    model = engine.compiled.mj
    mass = model.body_mass[1:]
    places = engine.read("xipos")[0, 1:]
    centre = mass @ places / mass.sum()
    total = np.zeros(3)
    for body, (m, place) in enumerate(zip(mass, places - centre, strict=True), start=1):
        frame = engine.read("ximat")[0, body].reshape(3, 3)
        own = frame @ np.diag(model.body_inertia[body]) @ frame.T
        total += np.diag(own) + m * (place @ place - place**2)
    return total


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


@BOTH
def test_mass_and_symmetry_are_as_documented(name: str):
    craft, engine = CRAFT[name], engine_of(name)
    model, inertia = engine.compiled.mj, composite_inertia(engine)
    assert model.body_mass.sum() == pytest.approx(craft.mass, rel=1e-6)
    centre = model.body_mass[1:] @ engine.read("xipos")[0, 1:] / craft.mass
    np.testing.assert_allclose(centre[:2], 0.0, atol=1e-9)
    assert inertia[0] == pytest.approx(inertia[1], rel=1e-6)
    readme = (ASSETS / name / "README.md").read_text()
    written = readme.split("| inertia ")[1].split(" kg m^2")[0].split(", ")
    np.testing.assert_allclose(inertia, [float(v) for v in written], rtol=1e-3)


@BOTH
def test_rotors_are_at_the_arm_ends_in_order(name: str):
    craft = CRAFT[name]
    angles = 2.0 * np.pi * np.arange(craft.rotors) / craft.rotors
    ends = craft.arm * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    engine, root = engine_of(name), f"/{name.capitalize()}"
    find = engine.compiled.names.index
    rotors = [find("body", f"{root}/rotor_{i}") for i in range(craft.rotors)]
    centre = engine.read("xipos")[0, find("body", f"{root}/base")]
    np.testing.assert_allclose((engine.read("xpos")[0, rotors] - centre)[:, :2], ends, atol=1e-6)
    assert not described(name).bodies[0].kinematic
    assert engine.compiled.mj.nv == 6


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
    scene = described(name)
    floor = GeomDescription(path="/floor", body=WORLD, kind="plane", size=np.zeros(3))
    scene = replace(scene, geoms=(*scene.geoms, floor), timestep=DT)
    engine = CpuEngine(compile_scene(scene), num_envs=1)
    engine.state("qpos")[0, 2] = FEET[name] + 0.03
    engine.touch()
    engine.step(400)
    position, quaternion = engine.read("qpos")[0, :3], engine.read("qpos")[0, 3:]
    # Contacts give way by less than a millimetre under the weight.
    np.testing.assert_allclose(position, [0.0, 0.0, FEET[name]], atol=1e-3)
    np.testing.assert_allclose(quaternion, [1.0, 0.0, 0.0, 0.0], atol=1e-2)
    assert np.abs(engine.read("qvel")).max() < 1e-2


@BOTH
def test_validation_finds_nothing(name: str, capsys):
    assert main(["validate", "--strict", str(ASSETS / name / f"{name}.usda")]) == 0
    assert "no findings" in capsys.readouterr().out
