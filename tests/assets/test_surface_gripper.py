"""Surface grippers: what they hold, with how much force, and when they let go."""

from __future__ import annotations

import numpy as np
import pytest
from asset_stages import G, cuboid
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.assets import RigidObject, RigidObjectCfg, SurfaceGripper, SurfaceGripperCfg
from usdsim.assets.gripper.mounts import PROPERTIES
from usdsim.compat import install, uninstall
from usdsim.core.errors import StageError
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import UsdFileCfg

pytestmark = pytest.mark.usefixtures("simulation_ends")

DT, MASS, HALF = 0.005, 2.0, 0.1


def gripper_on(stage, body, axis="Z", clearance=0.0, **properties):
    """A gripper that looks downwards from 0.1 m below the middle of a body."""
    path = f"{body}/Cup"
    joint = UsdPhysics.Joint.Define(stage, f"{path}/point")
    joint.CreateBody0Rel().SetTargets([body])
    joint.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, -0.1))
    joint.CreateLocalRot0Attr(Gf.Quatf(0.0, 1.0, 0.0, 0.0))
    prim = joint.GetPrim()
    prim.AddAppliedSchema("IsaacAttachmentPointAPI")
    prim.CreateAttribute("isaac:forwardAxis", Sdf.ValueTypeNames.Token).Set(axis)
    prim.CreateAttribute("isaac:clearanceOffset", Sdf.ValueTypeNames.Float).Set(clearance)
    cup = stage.DefinePrim(path, "IsaacSurfaceGripper")
    cup.CreateRelationship("isaac:attachmentPoints").SetTargets([joint.GetPath()])
    for name, value in properties.items():
        cup.CreateAttribute(f"isaac:{name}", Sdf.ValueTypeNames.Float).Set(value)
    return path


def scene_with(gap=0.02, num_envs=2, device="cpu", axis="Z", clearance=0.0, **values):
    """A box held in space, a gripper on it, and a cube `gap` below the gripper."""
    sim = SimulationContext(SimulationCfg(dt=DT, device=device))
    cfg = InteractiveSceneCfg(num_envs=num_envs, env_spacing=3.0)
    cfg.holder = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Holder",
        spawn=cuboid((0.2, 0.2, 0.2), 1.0, kinematic=True),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0)),
    )
    cfg.cube = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Cube",
        spawn=cuboid((2 * HALF, 2 * HALF, 2 * HALF), MASS),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.9 - gap - HALF)),
    )
    scene = InteractiveScene(cfg)
    gripper_on(sim.stage, "/World/envs/env_0/Holder", axis, clearance)
    scene.clone_environments()
    given = {"max_grip_distance": 0.05, "coaxial_force_limit": 1e3, "shear_force_limit": 1e3}
    scene.surface_grippers["cup"] = gripper = SurfaceGripper(
        SurfaceGripperCfg(
            prim_path="{ENV_REGEX_NS}/Holder/Cup", **{**given, "retry_interval": 0.1, **values}
        )
    )
    sim.reset()
    return sim, scene, gripper


def run(sim, scene, steps=1):
    for _ in range(steps):
        scene.write_data_to_sim()
        sim.step()
        scene.update(DT)


def heights(scene):
    return scene["cube"].data.root_pos_w.numpy()[:, 2]


@pytest.mark.parametrize("device", ["cpu", "warp:cpu"])
def test_it_holds_what_is_in_reach_in_the_worlds_that_close_and_lets_go(device):
    sim, scene, gripper = scene_with(device=device)
    before = heights(scene).copy()
    assert gripper.state.numpy().tolist() == [-1.0, -1.0]
    gripper.set_grippers_command([1.0, 0.2])
    run(sim, scene, 40)
    assert gripper.state.numpy().tolist() == [1.0, -1.0]
    now = heights(scene)
    assert abs(now[0] - before[0]) < 2e-3
    assert now[1] < before[1] - 0.1
    gripper.set_grippers_command([-0.5], [0])
    held = now[0]
    run(sim, scene, 40)
    assert gripper.state.numpy().tolist() == [-1.0, -1.0]
    assert heights(scene)[0] == pytest.approx(held - 0.5 * G * (40 * DT) ** 2, abs=0.006)


@pytest.mark.parametrize("share", [0.9, 1.1])
@pytest.mark.parametrize("limit", ["coaxial", "shear"])
def test_it_drops_what_weighs_more_than_the_limit_along_the_axis_alone(share, limit):
    sim, scene, gripper = scene_with(num_envs=1, **{f"{limit}_force_limit": share * MASS * G})
    gripper.set_grippers_command([1.0])
    scene.write_data_to_sim()
    gripper.set_grippers_command([0.0])
    run(sim, scene, 100)
    held = limit == "shear" or share > 1.0
    assert gripper.state.numpy()[0] == (1.0 if held else -1.0)


def test_a_closing_gripper_opens_again_after_the_retry_interval():
    sim, scene, gripper = scene_with(gap=0.2, num_envs=1, retry_interval=0.1)
    gripper.set_grippers_command([1.0])
    scene.write_data_to_sim()
    gripper.set_grippers_command([0.0])
    run(sim, scene, 19)
    assert gripper.state.numpy()[0] == 0.0
    run(sim, scene, 2)
    assert gripper.state.numpy()[0] == -1.0


def test_reach_and_axis_decide_what_is_seen():
    for values in ({"max_grip_distance": 0.01}, {"axis": "X"}, {"clearance": 0.06}):
        sim, scene, gripper = scene_with(num_envs=1, **values)
        gripper.set_grippers_command([1.0])
        run(sim, scene)
        assert gripper.state.numpy()[0] == 0.0, values
        gripper.update_gripper_properties(max_grip_distance=0.3)
        run(sim, scene)
        assert gripper.state.numpy()[0] == (0.0 if "axis" in values else 1.0), values
        sim.clear_instance()


def test_masks_choose_among_values_of_all():
    sim, scene, gripper = scene_with(max_grip_distance=0.01)
    gripper.update_gripper_properties_mask(max_grip_distance=[0.2, 0.2], env_mask=[False, True])
    gripper.set_grippers_command_mask([1.0, 1.0])
    run(sim, scene)
    assert gripper.state.numpy().tolist() == [0.0, 1.0]
    gripper.set_grippers_command_mask([-1.0, -1.0], [False, True])
    run(sim, scene)
    assert gripper.state.numpy().tolist() == [0.0, -1.0]
    gripper.reset_mask([True, False])
    assert gripper.state.numpy().tolist() == [-1.0, -1.0]
    assert gripper.command.numpy().tolist() == [0.0, -1.0]
    gripper.reset_index([1])
    assert gripper.command.numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("value", [-1.0, float("nan"), [0.1, 0.1, 0.1]])
def test_values_that_mean_nothing_are_refused(value):
    _, _, gripper = scene_with()
    with pytest.raises(ValueError, match="coaxial_force_limit"):
        gripper.update_gripper_properties(coaxial_force_limit=value)
    with pytest.raises(ValueError, match="states"):
        gripper.set_grippers_command(np.asarray(value) * float("nan"))


def test_what_it_spawns_is_there_at_once(tmp_path):
    file = Usd.Stage.CreateNew(str(tmp_path / "cup.usda"))
    body = UsdGeom.Xform.Define(file, "/Body").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(body)
    UsdPhysics.MassAPI.Apply(body).CreateMassAttr(1.0)
    gripper_on(file, "/Body")
    file.SetDefaultPrim(body)
    file.Save()
    sim = SimulationContext(SimulationCfg(dt=DT))
    spawn = UsdFileCfg(usd_path=file.GetRootLayer().realPath)
    values = dict.fromkeys(PROPERTIES, 0.1)
    gripper = SurfaceGripper(SurfaceGripperCfg(prim_path="/World/Held", spawn=spawn, **values))
    assert sim.stage.GetPrimAtPath("/World/Held/Cup").GetTypeName() == "IsaacSurfaceGripper"
    sim.reset()
    assert gripper.num_instances == 1
    with pytest.raises(StageError, match="Set `spawn`"):
        SurfaceGripper(SurfaceGripperCfg(prim_path="/World/Nowhere", **values))


def test_resets_of_worlds_let_go_in_these_alone():
    sim, scene, gripper = scene_with()
    gripper.set_grippers_command([1.0, 1.0])
    run(sim, scene, 2)
    scene.reset([1])
    assert gripper.state.numpy().tolist() == [1.0, -1.0]
    assert gripper.command.numpy().tolist() == [1.0, 0.0]
    run(sim, scene, 20)
    assert gripper.state.numpy().tolist() == [1.0, -1.0]


def test_an_attachment_point_holds_its_body_to_nothing():
    sim = SimulationContext(SimulationCfg(dt=DT))
    cube = RigidObject(RigidObjectCfg(prim_path="/World/Cube", spawn=cuboid()))
    path = gripper_on(
        sim.stage,
        "/World/Cube",
        maxGripDistance=0.1,
        coaxialForceLimit=5.0,
        shearForceLimit=5.0,
        retryInterval=0.1,
    )
    gripper = SurfaceGripper(SurfaceGripperCfg(prim_path=path))
    sim.reset()
    for _ in range(20):
        sim.step()
    assert cube.data.root_lin_vel_w.numpy()[0, 2] == pytest.approx(-G * 20 * DT, rel=1e-5)
    gripper.set_grippers_command([1.0])
    gripper.write_data_to_sim()
    gripper.update(0.05)
    assert gripper.state.numpy().tolist() == [0.0]


def test_views_tell_states_and_take_commands_and_properties_as_lists():
    install()
    try:
        sim, scene, gripper = scene_with()
        view = gripper.gripper_view
        assert view.count == 2 and view.get_surface_gripper_status() == [0, 0]
        view.apply_gripper_action([0.0, 1.0], [[1]])
        run(sim, scene)
        assert view.get_surface_gripper_status() == [0, 2]
        assert view.get_surface_gripper_status([1]) == [2]
        view.set_surface_gripper_properties(coaxial_force_limit=[5.0, 6.0], indices=[0])
        reach, along, _, wait = view.get_surface_gripper_properties()
        assert (reach, along, wait) == ([0.05, 0.05], [5.0, 1e3], [0.1, 0.1])
    finally:
        SimulationContext.clear_instance()
        uninstall()


def test_a_prim_without_a_gripper_is_refused():
    sim = SimulationContext(SimulationCfg(dt=DT))
    RigidObject(RigidObjectCfg(prim_path="/World/Cube", spawn=cuboid()))
    SurfaceGripper(SurfaceGripperCfg(prim_path="/World/Cube"))
    with pytest.raises(StageError, match=r"At and below /World/Cube there are 0 prims"):
        sim.reset()


def test_actions_of_tasks_open_and_close(simulation_ends):
    torch = pytest.importorskip("torch")
    from types import SimpleNamespace

    from usdsim.envs.mdp import SurfaceGripperBinaryActionCfg

    sim, scene, gripper = scene_with()
    cfg = SurfaceGripperBinaryActionCfg(asset_name="cup", open_command=-1.0, close_command=0.8)
    env = SimpleNamespace(scene=scene, num_envs=2, device="cpu", cfg=None, sim=sim)
    term = cfg.class_type(cfg, env)
    term.process_actions(torch.tensor([[-0.1], [0.1]]))
    term.apply_actions()
    np.testing.assert_allclose(gripper.command.numpy(), [0.8, -1.0], rtol=1e-6)
    run(sim, scene)
    assert gripper.state.numpy().tolist() == [1.0, -1.0]
    term.process_actions(torch.tensor([[True], [False]]))
    term.apply_actions()
    run(sim, scene)
    assert gripper.state.numpy().tolist() == [-1.0, 1.0]
