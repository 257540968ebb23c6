"""What programs for Isaac Lab ask of libraries below it: torch, OpenUSD's schemas, versions."""

from __future__ import annotations

import importlib
import importlib.metadata
import math

import numpy as np
import pytest
import warp as wp
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from usdsim.assets import Articulation
from usdsim.compat import install, uninstall
from usdsim.core.errors import AbsentError, StageError
from usdsim.robots import QUADRUPED_CFG
from usdsim.sim import SimulationCfg, build_simulation_context
from usdsim.usd.stage import create_stage, use_stage
from usdsim.views.usable import usable

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("installed")


@pytest.fixture
def stage():
    made = create_stage()
    with use_stage(made):
        yield made


def doubled(x: torch.Tensor) -> torch.Tensor:
    return 2.0 * x


def test_compiled_functions_take_arrays_of_assets():
    array = usable(wp.array(np.arange(6.0).reshape(2, 3), dtype=wp.float32))
    compiled = torch.jit.script(doubled)
    assert torch.equal(compiled(array), 2.0 * torch.arange(6.0).reshape(2, 3))
    assert torch.equal(compiled(x=array), compiled(array.torch))
    uninstall()
    with pytest.raises(RuntimeError):
        compiled(array)


def heading(q: torch.Tensor, v: torch.Tensor):
    import isaacsim.core.utils.torch.rotations as rotations

    return rotations.compute_heading_and_up(q, rotations.quat_conjugate(q), v, v, v, 2)


def test_rotations_of_the_simulator_are_those_here():
    theirs = importlib.import_module("isaacsim.core.utils.torch")
    ours = importlib.import_module("isaaclab.utils.math")
    q = torch.nn.functional.normalize(torch.randn(7, 4), dim=-1)
    p, v, t = q.flip(0), torch.randn(7, 3), torch.randn(7, 3)
    close = {"rtol": 0.0, "atol": 2e-6}
    torch.testing.assert_close(theirs.quat_mul(q, p), ours.quat_mul(q, p), **close)
    torch.testing.assert_close(theirs.quat_rotate(q, v), ours.quat_apply(q, v), **close)
    inverse = ours.quat_apply_inverse(q, v)
    torch.testing.assert_close(theirs.rotations.quat_rotate_inverse(q, v), inverse, **close)
    angle = ours.quat_error_magnitude(q, p) % (2.0 * torch.pi)
    shown = theirs.quat_diff_rad(q, p)
    torch.testing.assert_close(torch.minimum(shown, 2 * torch.pi - shown), angle, atol=1e-3, rtol=0)
    roll, pitch, yaw = theirs.get_euler_xyz(q)
    again = theirs.quat_from_euler_xyz(roll, pitch, yaw)
    torch.testing.assert_close(ours.matrix_from_quat(again), ours.matrix_from_quat(q), **close)
    turned, moved = theirs.tf_combine(*theirs.tf_inverse(q, t), q, t)
    torch.testing.assert_close(moved, torch.zeros(7, 3), **close)
    torch.testing.assert_close(turned, torch.tensor([[0.0, 0.0, 0.0, 1.0]]).repeat(7, 1), **close)
    low, high = torch.tensor([-2.0]), torch.tensor([6.0])
    assert theirs.maths.unscale(torch.tensor([4.0]), low, high) == 0.5
    assert theirs.maths.scale(torch.tensor([0.5]), low, high) == 4.0


def test_headings_are_cosines_to_targets():
    _, up, facing, _, _ = heading(torch.tensor([[0.0, 0.0, 0.0, 1.0]]), torch.tensor([[3.0, 0, 4]]))
    assert facing == pytest.approx(5.0) and up == 4.0


def test_schemas_of_physx_are_applied_and_set(stage):
    from pxr import PhysxSchema

    prim = UsdGeom.Xform.Define(stage, "/World").GetPrim()
    assert not prim.HasAPI(PhysxSchema.PhysxRigidBodyAPI)
    assert not PhysxSchema.PhysxRigidBodyAPI(prim)
    body = PhysxSchema.PhysxRigidBodyAPI.Apply(prim)
    assert prim.HasAPI(PhysxSchema.PhysxRigidBodyAPI) and prim.HasAPI("PhysxRigidBodyAPI") and body
    body.CreateDisableGravityAttr(True)
    body.GetLinearDampingAttr().Set(0.5)
    assert prim.GetAttribute("physxRigidBody:disableGravity").Get() is True
    got = PhysxSchema.PhysxRigidBodyAPI.Get(stage, "/World")
    assert got.GetLinearDampingAttr().Get() == 0.5 and got.GetPath() == "/World"
    root = PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "finger")
    root.CreateStiffnessAttr(3.0)
    assert prim.GetAttribute("physxTendon:finger:stiffness").Get() == 3.0
    names = root.GetSchemaAttributeNames(False, "finger")
    assert "physxTendon:finger:damping" in names
    assert not hasattr(body, "CreateColourAttr")
    with pytest.raises(AbsentError, match="PhysxRigidBodyAPI has no attribute 'Colour'; it has"):
        body.CreateColourAttr()
    with pytest.raises(StageError, match="no prim"):
        PhysxSchema.PhysxRigidBodyAPI.Apply(stage.GetPrimAtPath("/nothing"))


def test_older_semantics_are_read_as_labels(stage):
    from pxr import Semantics

    from usdsim.render.semantics import semantic_labels

    prim = UsdGeom.Cube.Define(stage, "/Cube").GetPrim()
    semantics = Semantics.SemanticsAPI.Apply(prim, "Semantics")
    semantics.CreateSemanticTypeAttr()
    semantics.CreateSemanticDataAttr()
    semantics.GetSemanticTypeAttr().Set("class")
    semantics.GetSemanticDataAttr().Set("block")
    assert semantic_labels(stage, "/Cube") == ("/Cube", {"class": "block"})


def test_versions_of_the_packages_programs_ask_for(tmp_path):
    import isaaclab
    import isaacsim.core.version
    import toml

    assert importlib.metadata.version("isaaclab") == isaaclab.__version__
    assert int(isaacsim.core.version.get_version()[2]) >= 4
    file = tmp_path / "extension.toml"
    file.write_text('[package]\nversion = "0.1.0"\n')
    assert toml.load(str(file)) == {"package": {"version": "0.1.0"}}
    uninstall()
    names = {found.metadata["Name"] for found in importlib.metadata.distributions(name="isaaclab")}
    assert not names


def test_properties_and_paths_of_prims(stage):
    prims = importlib.import_module("isaacsim.core.utils.prims")
    utils = importlib.import_module("isaaclab.sim.utils")
    cube = UsdGeom.Cube.Define(stage, "/World/A").GetPrim()
    prims.set_prim_property("/World/A", "size", 3.0)
    assert prims.get_prim_property("/World/A", "size") == 3.0
    assert prims.get_prim_path(prims.get_prim_parent(cube)) == "/World"
    utils.safe_set_attribute_on_usd_prim(cube, "physxRigidBody:sleep_threshold", 0.5, True)
    utils.safe_set_attribute_on_usd_prim(cube, "mine:place", (1.0, 2.0), False)
    made = cube.GetAttribute("mine:place")
    assert cube.GetAttribute("physxRigidBody:sleepThreshold").Get() == 0.5
    assert str(made.GetTypeName()) == "float2" and tuple(made.Get()) == (1.0, 2.0)
    body = UsdPhysics.RigidBodyAPI.Apply(cube)
    utils.safe_set_attribute_on_usd_schema(body, "kinematic_enabled", True, True)
    assert body.GetKinematicEnabledAttr().Get() is True
    with pytest.raises(StageError, match="has no attribute 'colour'"):
        utils.safe_set_attribute_on_usd_schema(body, "colour", 1, True)
    with pytest.raises(StageError, match="No attribute 'mine:odd' can be made"):
        utils.safe_set_attribute_on_usd_prim(cube, "mine:odd", object(), False)
    prims.move_prim("/World/A", "/World/B")
    assert prims.get_prim_at_path("/World/B").IsA(UsdGeom.Cube)
    assert not isinstance(prims.get_prim_at_path("/World/A"), bool)
    assert not prims.get_prim_at_path("/World/A")
    with pytest.raises(StageError, match="/World/A cannot become /World/C"):
        prims.move_prim("/World/A", "/World/C")


@pytest.mark.parametrize("kept", [True, False])
def test_prims_that_move_to_other_parents_stay_where_they_are_if_asked_to(stage, kept):
    prims = importlib.import_module("isaaclab.sim.utils.prims")
    turn = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
    prims.create_prim("/Parent", translation=(1.0, 0.0, 0.0), orientation=turn, scale=(2.0,) * 3)
    cube = prims.create_prim("/Cube", "Cube", translation=(0.0, 3.0, 0.0))
    before = UsdGeom.XformCache().GetLocalToWorldTransform(cube)
    assert prims.move_prim("/Cube", "/Parent/Cube", keep_world_transform=kept, stage=stage)
    after = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath("/Parent/Cube"))
    assert Gf.IsClose(before, after, 1e-9) is kept


def test_marks_of_the_server_are_seen_and_touch_nothing(stage):
    from isaaclab.utils.assets import ISAAC_NUCLEUS_DIR

    sim_utils = importlib.import_module("isaaclab.sim")
    for name in ("arrow_x", "frame_prim"):
        cfg = sim_utils.UsdFileCfg(usd_path=f"{ISAAC_NUCLEUS_DIR}/Props/UIElements/{name}.usd")
        cfg.func(f"/World/{name}", cfg)
    prims = list(Usd.PrimRange(stage.GetPrimAtPath("/World")))
    assert sum(prim.IsA(UsdGeom.Gprim) for prim in prims) == 5
    assert not any(prim.HasAPI(UsdPhysics.CollisionAPI) for prim in prims)


def test_environments_of_demonstrations_tell_poses_and_what_is_missing():
    from isaaclab.envs import ManagerBasedRLMimicEnv
    from isaaclab.envs.mimic_env_cfg import MimicEnvCfg, SubTaskConfig

    from usdsim.tasks.cartpole import CartpoleEnvCfg

    class Cfg(CartpoleEnvCfg, MimicEnvCfg):
        pass

    cfg = Cfg()
    cfg.scene.num_envs = 2
    cfg.subtask_configs["hand"] = [SubTaskConfig(object_ref="cart", action_noise=0.0)]
    assert cfg.datagen_config.generation_num_trials == 10 and not Cfg().subtask_configs
    with ManagerBasedRLMimicEnv(cfg) as env:
        env.reset()
        pose = env.get_object_poses([1])["robot"]
        root = env.scene["robot"].data.root_pos_w.torch - env.scene.env_origins.torch
        torch.testing.assert_close(pose[:, :3, 3], root[1:])
        assert pose.shape == (1, 4, 4) and torch.equal(pose[0, 3], torch.tensor([0.0, 0, 0, 1]))
        with pytest.raises(NotImplementedError, match="does not define get_robot_eef_pose"):
            env.get_robot_eef_pose("hand")


def test_pieces_of_terrain_are_meshes_that_programs_put_together():
    import trimesh
    from isaaclab.terrains import HfWaveTerrainCfg, MeshPyramidStairsTerrainCfg
    from isaaclab.terrains.height_field import hf_terrains
    from isaaclab.terrains.trimesh import mesh_terrains
    from isaaclab.terrains.trimesh.utils import make_border, make_box, make_plane
    from isaaclab.terrains.utils import color_meshes_by_height

    stairs = MeshPyramidStairsTerrainCfg(
        size=(8.0, 8.0), step_height_range=(0.1, 0.2), step_width=0.5, platform_width=2.0
    )
    parts, origin = mesh_terrains.pyramid_stairs_terrain(0.5, stairs)
    joined = trimesh.util.concatenate(parts)
    # (8 - 2) / (2 * 0.5) steps and one more, and the platform, of 0.15 m each.
    assert joined.bounds[1, 2] == pytest.approx(8 * 0.15) == origin[2]
    waves, _ = hf_terrains.wave_terrain(
        1.0, HfWaveTerrainCfg(size=(4.0, 4.0), amplitude_range=(0.1, 0.2), num_waves=2)
    )
    assert np.ptp(waves[0].vertices[:, 2]) == pytest.approx(0.4, abs=0.02)
    box = make_box(1.0, 2.0, 3.0, (0.0, 0.0, 1.5), max_yx_angle=0.0)
    assert box.volume == pytest.approx(6.0) and box.bounds[1, 2] == pytest.approx(3.0)
    border = trimesh.util.concatenate(make_border((4.0, 4.0), (2.0, 2.0), 0.5, (2.0, 2.0, 0.0)))
    assert border.volume == pytest.approx(6.0)
    colored = color_meshes_by_height([box, make_plane((4.0, 4.0), 0.0)])
    low, high = (colored.vertices[:, 2] == z for z in (0.0, colored.vertices[:, 2].max()))
    colors = colored.visual.vertex_colors
    assert (colors[low] == colors[low][0]).all() and not (colors[high][0] == colors[low][0]).all()
    assert (
        color_meshes_by_height([make_plane((4.0, 4.0), 0.0)]).visual.vertex_colors[:, :3]
        == (172, 216, 230)
    ).all()


def test_flat_patches_of_a_mesh_lie_off_its_steps():
    from isaaclab.terrains.trimesh.utils import make_plane
    from isaaclab.terrains.utils import find_flat_patches

    low, high = make_plane((4.0, 4.0), 0.0), make_plane((4.0, 4.0), 1.0)
    high.apply_translation((4.0, 0.0, 0.0))
    points = np.vstack([low.vertices, high.vertices]).astype(np.float32)
    faces = np.vstack([low.faces, high.faces + 4]).astype(np.int32)
    mesh = wp.Mesh(wp.array(points, dtype=wp.vec3), wp.array(faces.ravel(), dtype=wp.int32))
    ranges = ((-3.0, 5.0), (-1.0, 1.0), (-2.0, 2.0))
    np.random.seed(0)  # noqa: NPY002
    first = find_flat_patches(mesh, 50, [0.2, 0.4], (1.0, 0.5, 0.0), *ranges, 0.05)
    assert first.dtype == torch.float32 and first.shape == (50, 3)
    place = first + torch.tensor([1.0, 0.5, 0.0])
    assert ((place[:, 0] - 2.0).abs() > 0.39).all() and (place[:, 1] - 0.5).abs().max() <= 1.0
    torch.testing.assert_close(place[:, 2], (place[:, 0] > 2.0).float())
    np.random.seed(0)  # noqa: NPY002
    again = find_flat_patches(mesh, 50, [0.2, 0.4], (1.0, 0.5, 0.0), *ranges, 0.05)
    assert torch.equal(first, again)


def test_devices_of_arrays_are_those_of_torch_and_of_warp():
    array = usable(wp.array(np.arange(3.0), dtype=wp.float32, device="cpu"))
    assert torch.zeros(2, device=array.device).device.type == array.device.type == "cpu"
    assert array.device == torch.device("cpu") and array.device == "cpu"
    assert array.device == wp.get_device("cpu") and wp.get_device("cpu") == array.device
    assert (array.device != wp.get_device("cpu")) is False and array.device.is_cpu
    assert wp.zeros_like(array).numpy().sum() == wp.empty(0, device=array.device).size == 0
    wp.copy(array, wp.full(3, 2.0, dtype=wp.float32, device=array.device))
    assert array.clone().tolist() == [2.0, 2.0, 2.0]
    uninstall()
    assert array.device is wp.get_device("cpu")


def test_limits_of_joints_are_finite_numbers_to_multiply_with():
    uninstall()
    cfg = QUADRUPED_CFG.replace(prim_path="/World/Robot", actuators={})

    def limits(robot):
        data = robot.data
        found = (data.joint_vel_limits, data.soft_joint_vel_limits, data.joint_effort_limits)
        return np.concatenate([np.ravel(values.numpy()) for values in found])

    with build_simulation_context(SimulationCfg()) as simulation:
        robot = Articulation(cfg)
        simulation.reset()
        free = np.isinf(limits(robot))
        assert free.any()
        install()
        told = limits(robot)
        assert np.isfinite(told).all() and (told[free] > 1e4).all()
        assert not (0.0 * robot.data.soft_joint_vel_limits.torch).isnan().any()
        uninstall()
        np.testing.assert_array_equal(np.isinf(limits(robot)), free)
