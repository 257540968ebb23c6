"""Spawners that programs write themselves, and the stage they ask an application for."""

from __future__ import annotations

import importlib

import pytest
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from usdsim.assets import AssetBaseCfg
from usdsim.core.errors import UnknownNameError
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import CuboidCfg, MultiAssetSpawnerCfg, SpawnerCfg, UsdFileCfg
from usdsim.usd.stage import create_stage, use_stage

pytestmark = pytest.mark.usefixtures("installed")


def ball(prim_path, cfg, translation=None, orientation=None):
    """A ball on the current stage, as functions of programs make prims: they take no stage."""
    stage = importlib.import_module("omni.usd").get_context().get_stage()
    made = UsdGeom.Sphere.Define(stage, prim_path)
    UsdGeom.Xformable(made).AddTranslateOp().Set(Gf.Vec3d(*translation))
    return made.GetPrim()


def labelled(prim_path, cfg, translation=None, orientation=None, **kwargs):
    """The same, with what the decorator hands on."""
    prim = ball(prim_path, cfg, translation, orientation)
    prim.SetCustomDataByKey("given", ", ".join(kwargs))
    return prim


def spawning(function) -> SpawnerCfg:
    cfg = CuboidCfg(size=(1.0, 1.0, 1.0))
    cfg.func = function
    return cfg


@pytest.mark.parametrize("function", [ball, labelled])
def test_decorated_functions_spawn_below_every_parent(function):
    clone = importlib.import_module("isaaclab.sim.utils").clone
    stage = create_stage()
    for i in range(3):
        UsdGeom.Xform.Define(stage, f"/World/Table_{i}")
    with use_stage(stage):
        cfg = spawning(clone(function))
        first = cfg.func("/World/Table_.*/Ball", cfg, translation=(0.0, 0.0, 2.0))
        cfg.func("/World/Ball", cfg, (1.0, 0.0, 0.0))
    assert str(first.GetPath()) == "/World/Table_0/Ball"
    for i in range(3):
        prim = stage.GetPrimAtPath(f"/World/Table_{i}/Ball")
        assert prim.IsA(UsdGeom.Sphere)
        assert prim.GetAttribute("xformOp:translate").Get() == (0.0, 0.0, 2.0)
        assert not prim.GetCustomDataByKey("given")


def test_assets_take_functions_that_know_no_stage():
    """In scenes, also of several assets by turns, and with another stage current."""
    several = MultiAssetSpawnerCfg(assets_cfg=[spawning(ball)], random_choice=False)

    class Scene(InteractiveSceneCfg):
        mark = AssetBaseCfg(
            prim_path="/World/Mark", spawn=spawning(ball),
            init_state=AssetBaseCfg.InitialStateCfg(pos=(0.0, 1.0, 0.0)),
        )  # fmt: skip
        one = AssetBaseCfg(prim_path="{ENV_REGEX_NS}/One", spawn=several)

    with SimulationContext(SimulationCfg(dt=0.01)) as simulation:
        with use_stage(create_stage()):
            InteractiveScene(Scene(num_envs=2, env_spacing=1.0))
        for path in ("/World/Mark", "/World/envs/env_0/One", "/World/envs/env_1/One"):
            assert simulation.stage.GetPrimAtPath(path).IsA(UsdGeom.Sphere), path


def test_the_stage_of_the_application_is_the_current_one():
    usd = importlib.import_module("omni.usd")
    with use_stage(create_stage()) as stage:
        context = usd.get_context()
        assert context.get_stage() == stage
        outer = UsdGeom.Xform.Define(stage, "/World")
        outer.AddTranslateOp().Set((1.0, 0.0, 0.0))
        inner = UsdGeom.Xform.Define(stage, "/World/Arm")
        inner.AddTranslateOp().Set((0.0, 2.0, 0.0))
        matrix = usd.get_world_transform_matrix(inner.GetPrim())
        assert matrix.ExtractTranslation() == (1.0, 2.0, 0.0)
        assert usd.get_stage_next_free_path(stage, "/World/Leg", False) == "/World/Leg"
        assert usd.get_stage_next_free_path(stage, "/World/Arm", False) == "/World/Arm_01"
        assert context.new_stage()
        assert isinstance(context.get_stage(), Usd.Stage) and context.get_stage() != stage
        assert context.close_stage()
        assert context.get_stage() == stage


def test_converters_take_the_options_of_the_newest_release(installed, caplog):
    """What means the same here acts, what only lays files out is accepted, the rest is told of."""
    sim = importlib.import_module("isaaclab.sim")
    arm = sim.UrdfFileCfg(
        asset_path="arm.urdf",
        fix_base=True,
        collision_type="Convex Decomposition",
        ros_package_paths=[{"name": "arm", "path": "/arm"}],
        merge_mesh=True,
        robot_type="Manipulator",
    )
    copied = arm.replace(run_asset_transformer=False)
    assert (copied.collider_type, copied.packages) == ("convex_decomposition", {"arm": "/arm"})
    with pytest.raises(UnknownNameError, match="Convex Hull"):
        sim.UrdfConverterCfg(asset_path="arm.urdf", collision_type="round")
    hand = sim.MjcfConverterCfg(asset_path="hand.xml", collision_type="default", merge_mesh=True)
    assert not caplog.records
    hand.link_density = 500.0
    assert "MjcfConverterCfg.link_density is 500.0, which has no effect" in caplog.text


@pytest.mark.parametrize("name", ["FRAME_MARKER_CFG", "RED_ARROW_X_MARKER_CFG"])
def test_markers_are_files_that_programs_spawn_themselves(installed, name):
    """As parts of a scene, by the path and the scale that the marker says."""
    config = importlib.import_module("isaaclab.markers.config")
    marker = next(iter(getattr(config, name).markers.values()))
    stage = create_stage()
    spawn = UsdFileCfg(usd_path=marker.usd_path, scale=marker.scale)
    prim = spawn.func("/World/Marker", spawn, stage=stage)
    seen = [p for p in Usd.PrimRange(prim) if p.IsA(UsdGeom.Gprim)]
    assert seen and not any(p.HasAPI(UsdPhysics.CollisionAPI) for p in seen)
    assert tuple(prim.GetAttribute("xformOp:scale").Get()) == pytest.approx(marker.scale)
