"""Cables as deformable objects, spawned, held, read, recorded and on the device."""

from __future__ import annotations

import numpy as np
import pytest
from deformable_stages import SOFT, Start, deformed, values
from pxr import Usd, UsdGeom

import usdsim
from usdsim.assets import DeformableObject, DeformableObjectCfg
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.rotations import quat_apply
from usdsim.schemas import PhysxDeformableBodyPropertiesCfg, define_deformable_body_properties
from usdsim.sim import EngineReader, Recorder
from usdsim.spawners import (
    CurvesCfg,
    CurvesDeformableBodyMaterialCfg,
    GroundPlaneCfg,
    RigidBodyMaterialCfg,
)
from usdsim.usd import create_stage, define_prim

COUNT = 8


def cable_spawner(**values) -> CurvesCfg:
    """A straight cable of 70 cm."""
    points = np.zeros((COUNT, 3))
    points[:, 0] = 0.1 * np.arange(COUNT)
    return CurvesCfg(
        points=values.pop("points", points),
        radius=0.01,
        deformable_props=PhysxDeformableBodyPropertiesCfg(mass=0.2),
        physics_material=CurvesDeformableBodyMaterialCfg(
            youngs_modulus=1e6, poissons_ratio=0.3, elasticity_damping=0.01
        ),
        **values,
    )


def cable(sim) -> DeformableObject:
    cfg = DeformableObjectCfg(
        prim_path=SOFT, spawn=cable_spawner(), init_state=Start(pos=(0.0, 0.0, 1.0))
    )
    asset = DeformableObject(cfg)
    sim.reset()
    return asset


def test_it_falls_freely_and_is_read_and_written(sim):
    asset = cable(sim)
    assert (asset.max_sim_vertices_per_body, asset.max_sim_elements_per_body) == (COUNT, COUNT - 1)
    start = values(asset.data.nodal_pos_w)
    for _ in range(10):
        sim.step()
    asset.update(0.1)
    time = 10 * sim.get_physics_dt()
    fallen = start[..., 2] - values(asset.data.nodal_pos_w)[..., 2]
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * time**2, rtol=0.15)
    raised = start + np.array([0.0, 0.0, 1.0])
    asset.write_nodal_pos_to_sim(raised)
    np.testing.assert_allclose(values(asset.data.nodal_pos_w), raised, atol=1e-5)


def test_segments_turn_the_shortest_way_and_are_without_stress(sim):
    asset = cable(sim)
    quarter = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    asset.write_nodal_pos_to_sim(deformed(asset, 1.1 * np.array(quarter)))
    gradients = values(asset.data.sim_element_deform_gradient_w)
    expected = np.array(quarter) @ np.diag([1.1, 1.0, 1.0])
    np.testing.assert_allclose(gradients, np.broadcast_to(expected, gradients.shape), atol=1e-5)
    turned = quat_apply(values(asset.data.sim_element_quat_w), np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(turned, np.broadcast_to([0, 1, 0], turned.shape), atol=1e-5)
    assert not values(asset.data.sim_element_stress_w).any()


def test_vertices_are_held_at_targets(sim):
    asset = cable(sim)
    targets = values(asset.data.nodal_kinematic_target)
    targets[:, 0, 3] = 0.0
    targets[:, 0, 2] += 0.05
    asset.write_nodal_kinematic_target_to_sim(targets)
    for _ in range(200):
        sim.step()
    asset.update(0.1)
    found = values(asset.data.nodal_pos_w)
    np.testing.assert_allclose(found[:, 0], targets[:, 0, :3], atol=1e-3)
    assert (found[:, -1, 2] < targets[:, 0, 2] - 0.3).all()


def _stage(**change) -> Usd.Stage:
    stage = create_stage()
    define_prim(stage, "/World", "Xform")
    ground = GroundPlaneCfg()
    ground.func("/World/ground", ground, stage=stage)
    cfg = cable_spawner(**change)
    cfg.func("/World/cable", cfg, translation=(0.0, 0.0, 0.2), stage=stage)
    return stage


@pytest.mark.parametrize("periodic", [False, True])
def test_recordings_move_the_curves(tmp_path, periodic):
    points = np.array([[0.0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]])
    model = usdsim.load_model(_stage(points=points, periodic=periodic))
    data = usdsim.SceneData(model)
    reader = EngineReader(data.low)
    path = str(tmp_path / "fall.usd")
    with Recorder(model.stage, model.description, path, reader=reader, fps=50) as recorder:
        for _ in range(300):
            model.step(data)
            recorder.record()
    (found,) = reader.deformable_points()
    np.testing.assert_allclose(found[:, 2], 0.01, atol=2e-3)
    recording = Usd.Stage.Open(path)
    curves = UsdGeom.BasisCurves(recording.GetPrimAtPath("/World/cable/geometry/curves"))
    last = curves.GetPointsAttr().GetTimeSamples()[-1]
    shown = np.array(curves.GetPointsAttr().Get(last)) + np.array([0.0, 0.0, 0.2])
    np.testing.assert_allclose(shown, found, atol=5e-3)
    assert curves.GetWidthsAttr().Get()[0] == pytest.approx(0.02)


def test_what_is_no_cable_is_refused():
    for change in ({"points": np.zeros((1, 3))}, {"points": np.zeros((2, 3)), "periodic": True}):
        with pytest.raises(InvalidValueError, match=r"CurvesCfg\.points"):
            _stage(**change)
    cfg = cable_spawner()
    cfg.physics_material = RigidBodyMaterialCfg()
    stage = create_stage()
    with pytest.raises(InvalidValueError, match="CurvesDeformableBodyMaterialCfg"):
        cfg.func("/cable", cfg, stage=stage)
    props = PhysxDeformableBodyPropertiesCfg()
    define_prim(stage, "/nothing", "Xform")
    with pytest.raises(StageError, match="0 BasisCurves"):
        define_deformable_body_properties("/nothing", props, stage, deformable_type="curves")
    define_prim(stage, "/cubic", "BasisCurves")
    with pytest.raises(StageError, match="only linear"):
        define_deformable_body_properties("/cubic", props, stage, deformable_type="curves")
