"""Hints at solver options of referenced files that do not reach the stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim import schemas
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.usd import create_stage, define_prim

TYPES = Sdf.ValueTypeNames


def _file(path: Path, scene: str = "/scene", **options) -> Path:
    """A ball, and a physics scene with options of the MuJoCo dialect."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    stage.SetDefaultPrim(define_prim(stage, "/robot", "Xform"))
    ball = define_prim(stage, "/robot/ball", "Sphere")
    UsdPhysics.RigidBodyAPI.Apply(ball)
    UsdPhysics.CollisionAPI.Apply(ball)
    if options:
        UsdPhysics.Scene.Define(stage, scene)
        schemas.modify_physics_scene(scene, schemas.MujocoScenePropertiesCfg(**options), stage)
    stage.Save()
    return path


def _notes(files: list[Path], prepare=None, cfg: SimulationCfg | None = None):
    stage = create_stage()
    for i, file in enumerate(files):
        define_prim(stage, f"/World/robot_{i}", "Xform").GetReferences().AddReference(str(file))
    with SimulationContext(cfg or SimulationCfg(dt=0.01), stage) as simulation:
        if prepare is not None:
            prepare(stage)
        simulation.reset()
        return simulation.notes


def test_options_beside_a_referenced_robot_are_noted(tmp_path: Path):
    file = _file(tmp_path / "robot.usda", iterations=7, impratio=10.0)
    ((where, message),) = _notes([file, file])
    assert Path(where) == file
    assert message.startswith("options of /scene have no effect")
    assert "iterations 7 (simulated: 100)" in message
    assert "impratio 10 (simulated: 100)" in message and "Author them on /physicsScene" in message


def test_each_file_is_noted_once(tmp_path: Path):
    files = [_file(tmp_path / f"{name}.usda", iterations=7) for name in "ab"]
    assert [Path(where) for where, _ in _notes([files[1], files[0], files[1]])] == files


def test_what_the_stage_says_too_is_not_noted(tmp_path: Path):
    file = _file(tmp_path / "robot.usda", iterations=7)

    def author(stage: Usd.Stage) -> None:
        cfg = schemas.MujocoScenePropertiesCfg(iterations=7)
        schemas.modify_physics_scene("/physicsScene", cfg, stage)

    assert _notes([file], author) == ()


@pytest.mark.parametrize(
    ("scene", "options"),
    [
        ("/scene", {}),
        ("/scene", {"iterations": 100}),  # the engine's own default
        ("/scene", {"timestep": 0.001}),  # the configuration says another
        ("/robot/scene", {"iterations": 7}),  # it comes with the robot
    ],
)
def test_nothing_is_noted_where_nothing_is_lost(scene, options, tmp_path: Path):
    assert _notes([_file(tmp_path / "robot.usda", scene, **options)]) == ()


def test_sublayers_bring_everything(tmp_path: Path):
    stage = create_stage()
    stage.GetRootLayer().subLayerPaths.append(str(_file(tmp_path / "robot.usda", iterations=7)))
    with SimulationContext(SimulationCfg(dt=0.01), stage) as simulation:
        simulation.reset()
        assert simulation.notes == ()
        assert simulation.engine.compiled.mj.opt.iterations == 7


def test_a_scene_that_is_referenced_as_well_is_not_lost(tmp_path: Path):
    file = _file(tmp_path / "robot.usda", iterations=7)

    def author(stage: Usd.Stage) -> None:
        scene = stage.GetPrimAtPath("/physicsScene")
        scene.GetReferences().AddReference(str(file), "/scene")

    assert _notes([file], author) == ()
