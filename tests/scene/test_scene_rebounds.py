"""Contact queries tell rebounds: forces over an impact are the change of momentum."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim

G, RADIUS, SPAN = 9.81, 0.1, 150


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    """Two balls that bounce on a kinematic table."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/scene")
    look = UsdShade.Material.Define(stage, "/look")
    surface = UsdPhysics.MaterialAPI.Apply(look.GetPrim())
    surface.CreateRestitutionAttr(0.7)
    surface.CreateDynamicFrictionAttr(0.3)
    surface.CreateStaticFrictionAttr(0.3)
    for index, path in enumerate(("/a_table", "/b_ball", "/c_ball")):
        kind = UsdGeom.Sphere if index else UsdGeom.Cube
        shape = kind.Define(stage, path)
        if index:
            shape.CreateRadiusAttr(RADIUS)
        else:
            shape.CreateSizeAttr(4.0)
        at = (index - 1.5, 0.0, RADIUS + 0.05 * index) if index else (0.0, 0.0, -2.0)
        shape.AddTranslateOp().Set(Gf.Vec3d(*at))
        UsdPhysics.RigidBodyAPI.Apply(shape.GetPrim()).CreateKinematicEnabledAttr(not index)
        UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
        UsdPhysics.MassAPI.Apply(shape.GetPrim()).CreateMassAttr(0.5 * index)
        UsdShade.MaterialBindingAPI.Apply(shape.GetPrim()).Bind(look)
    return usdsim.load_model(stage)


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_forces_over_rebounds_change_the_momentum(model, device):
    data = usdsim.SceneData(model, batch=(2,), device=device)
    data.low.write("qvel", [[2.0], [0.5]], ids=[0])
    # In the second world the table rises into the balls.
    table = model.compiled.names.index("body", "/a_table")
    data.low.set_kinematic_velocity([[[0, 0, 0, 0, 0, 0]], [[0, 0, 0.4, 0, 0, 0]]], None, [table])
    query, balls = model.get_contact_query(data), [model.get_link("/b_ball")]
    masses, step = model.low.body_mass[-2:, None], model.low.opt.timestep

    def momentum():
        return masses * np.array(data.low.read("qvel"), float).reshape(2, 2, 6)[..., :3]

    before, singly, asked, links = momentum(), *np.zeros((3, 2, 2, 3))
    for _ in range(SPAN):
        model.step(data)
        found = query.contacts
        assert np.bincount(found.world, minlength=2).tolist() == query.num_contacts.tolist()
        ball = np.maximum(model.low.geom_bodyid[found.geom1], model.low.geom_bodyid[found.geom2])
        sign = np.where(model.low.geom_bodyid[found.geom2] == ball, 1.0, -1.0)
        np.add.at(singly, (found.world, ball - 2), step * sign[:, None] * found.force_w)
        asked[:, 0] += step * query.get_force(balls[0])
        links += step * model.get_link_net_contact_forces(data)[:, -2:, :3]
    change = momentum() - before
    change[..., 2] += masses[:, 0] * G * SPAN * step
    assert np.abs(singly[:, 0, 0]).min() > 0.05
    assert singly == pytest.approx(change, abs=2e-3)
    assert links == pytest.approx(singly, abs=1e-4)
    assert asked[:, 0] == pytest.approx(singly[:, 0], abs=1e-4)


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_what_rebounds_touches_in_that_step_until_something_is_written(model, device):
    data = usdsim.SceneData(model, batch=(2,), device=device)
    data.low.write("qvel", [[-3.0]], ids=[8])
    query, ball = model.get_contact_query(data), model.get_link("/c_ball")
    for _ in range(40):
        model.step(data)
        if query.is_touching(ball).any():
            break
    assert query.is_touching(ball).all()
    assert (data.low.read("qvel")[:, 8] > 1.0).all()
    assert (query.get_force(ball)[:, 2] > 1000.0).all()
    data.low.write("qvel", [[1.0]], [0], [8])
    assert query.is_touching(ball).tolist() == [False, True]
    model.step(data)
    assert not query.is_touching(ball).any()
