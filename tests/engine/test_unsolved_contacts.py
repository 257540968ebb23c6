"""Bodies whose contacts are found and push nothing."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import G, body, geom, ground, pose, scene
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage
from usdsim.parser.description import MaterialDescription

STEP, SIZE = 0.002, 0.1
NAME = "physxRigidBody:solveContact"


def dropped(**values):
    """A ball that touches the ground, with others beside and below it."""
    bodies = [
        body("/ghost", at=pose((0, 0, SIZE - 0.001)), **values),
        body("/ball", at=pose((1, 0, SIZE - 0.001))),
        body("/low", at=pose((0, 0, -1.0))),
    ]
    shapes = [geom(f"/s{i}", i, rest_offset=0.01, contact_gap=0.02) for i in range(2)]
    bouncy = MaterialDescription(path="/m", restitution=0.8)
    floor = ground(material=0)
    return scene(bodies, (), [floor, *shapes], materials=(bouncy,), timestep=STEP)


def test_contacts_are_found_and_push_nothing(device):
    sim = create_engine(compile_scene(dropped(solves_contacts=False)), 2, device=device)
    found = sim.world_data(0).contact
    assert sorted(np.max(found.geom, axis=1).tolist()) == [1, 2]
    steps = 100
    sim.step(steps)
    fallen = G * STEP**2 * steps * (steps + 1) / 2.0
    heights = sim.read("qpos")[:, [2, 9]]
    assert heights[:, 0] == pytest.approx(SIZE - 0.001 - fallen, rel=1e-4)
    assert (heights[:, 1] > SIZE - 0.01).all()


def test_what_it_passes_through_feels_nothing():
    description = dropped(solves_contacts=False)
    low = geom("/low/s", 2, "box", (0.5, 0.5, SIZE))
    both = scene(description.bodies, (), [geom("/s0", 0), low], gravity=np.zeros(3))
    sim = create_engine(compile_scene(both), 1)
    sim.write("qpos", [[-1.0]], ids=[2])
    sim.step(10)
    assert sim.world_data(0).ncon
    assert not sim.read("qvel").any()


def test_the_attribute_acts_and_its_overlaps_are_no_finding():
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    for name, size in (("one", 1.0), ("two", 2.0)):
        prim = UsdGeom.Cube.Define(stage, f"/{name}").GetPrim()
        prim.GetAttribute("size").Set(size)
        for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
            api.Apply(prim)
    ghost = stage.GetPrimAtPath("/one")
    assert usdsim.load_model(stage).report.by_code("starts-overlapping")
    ghost.CreateAttribute(NAME, Sdf.ValueTypeNames.Bool, False).Set(False)
    assert not parse_stage(stage, strict=True).scene.bodies[0].solves_contacts
    assert not usdsim.load_model(stage).report.by_code("starts-overlapping")
