"""The commands on the shipped robots."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.cli.main import main
from usdsim.schemas import PhysxDeformableBodyPropertiesCfg
from usdsim.spawners import MeshCuboidCfg
from usdsim.usd import create_stage

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
PENDULUM = str(ASSETS / "pendulum" / "pendulum.usda")
ARM = str(ASSETS / "arm" / "arm.urdf")
QUADRUPED = str(ASSETS / "quadruped" / "scene.xml")


def _document(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out)


def test_info_shows_tree_masses_and_joints(capsys: pytest.CaptureFixture[str]):
    assert main(["info", PENDULUM]) == 0
    text = capsys.readouterr().out
    assert "Arm  1.4 kg, 2 colliders" in text
    assert "Hinge revolute -2.967..2.967" in text
    assert "(world)  1 collider" in text


def test_info_json_is_in_si_units(capsys: pytest.CaptureFixture[str]):
    assert main(["info", PENDULUM, "--json"]) == 0
    document = _document(capsys)
    assert document["num_dofs"] == 1
    assert document["mass"] == pytest.approx(1.4)
    dof = document["joints"][0]["dofs"][0]
    assert dof["upper"] == pytest.approx(np.radians(170.0), rel=1e-6)
    assert dof["drive"]["stiffness"] == pytest.approx(0.2 * 180.0 / np.pi, rel=1e-6)


def test_info_names_what_is_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    stage = Usd.Stage.Open(PENDULUM)
    arm = stage.GetPrimAtPath("/Pendulum/Arm")
    arm.AddAppliedSchema("PhysxRigidBodyAPI")
    name = "physxRigidBody:lockedPosAxis"
    arm.CreateAttribute(name, Sdf.ValueTypeNames.Int).Set(1)
    file = tmp_path / "locked.usda"
    stage.Export(str(file))
    assert main(["info", str(file)]) == 0
    assert f"/Pendulum/Arm.{name}" in capsys.readouterr().out


@pytest.mark.parametrize("file", [PENDULUM, ARM, QUADRUPED])
def test_validate_finds_the_shipped_robots_clean(file: str, capsys: pytest.CaptureFixture[str]):
    assert main(["validate", file, "--strict", "--json"]) == 0, capsys.readouterr().out
    document = _document(capsys)
    assert document["valid"]
    assert set(document["counts"]) <= {"info"}


def test_validate_fails_on_bad_physics(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    stage = Usd.Stage.Open(PENDULUM)
    hinge = UsdPhysics.RevoluteJoint.Get(stage, "/Pendulum/Hinge")
    hinge.GetBody1Rel().SetTargets(["/Pendulum/Gone"])
    file = tmp_path / "broken.usda"
    stage.Export(str(file))
    assert main(["validate", str(file)]) == 1
    text = capsys.readouterr().out
    assert "/Pendulum/Gone" in text
    assert "failed" in text


def test_convert_writes_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "arm.usda"
    assert main(["convert", ARM, str(target), "--report", str(tmp_path / "report.json")]) == 0
    assert str(target) in capsys.readouterr().out
    assert Usd.Stage.Open(str(target)).GetDefaultPrim().GetName() == "arm"
    assert json.loads((tmp_path / "report.json").read_text())["counts"]["joint"] == 9


def test_convert_checks_its_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["convert", QUADRUPED, "--out", str(tmp_path), "--check"]) == 0
    assert "the result equals its source" in capsys.readouterr().out


@pytest.mark.parametrize("exists", [True, False])
def test_convert_writes_into_a_folder(exists, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "results"
    if exists:
        folder.mkdir()
    given = str(folder) if exists else f"{folder}{os.sep}"
    assert main(["convert", ARM, given, "--check", "--json"]) == 0
    document = _document(capsys)
    assert (document["destination"], document["differences"]) == (str(folder / "arm.usda"), [])
    assert [path.name for path in folder.iterdir()] == ["arm.usda"]


def test_convert_folder_isolates_a_broken_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "robots"
    source.mkdir()
    (source / "arm.urdf").write_text(Path(ARM).read_text())
    (source / "broken.xml").write_text(
        "<mujoco><worldbody><geom type='ball'/></worldbody></mujoco>"
    )
    out = tmp_path / "out"
    assert main(["convert", str(source), "--out", str(out), "--json"]) == 1
    document = _document(capsys)
    status = {Path(f["source"]).name: f["status"] for f in document["files"]}
    assert status == {"arm.urdf": "converted", "broken.xml": "failed"}
    assert [path.name for path in out.rglob("*.usda")] == ["arm.usda"]


def test_convert_folder_wants_a_place_for_the_results(capsys: pytest.CaptureFixture[str]):
    assert main(["convert", str(ASSETS)]) == 1
    assert "--out DIR" in capsys.readouterr().err


def test_simulate_records_and_plots(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    recording, picture = tmp_path / "run.usda", tmp_path / "run.png"
    options = ["--envs", "4", "--seconds", "0.5", "--fps", "30", "--ctrl", "sine:0.2:1", "--json"]
    code = main(
        ["simulate", PENDULUM, *options, "--record", str(recording), "--plot", str(picture)]
    )
    assert code == 0
    document = _document(capsys)
    assert (document["envs"], document["simulated_s"]) == (4, 0.5)
    assert document["env_steps_per_second"] > 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    stage = Usd.Stage.Open(str(recording))
    arm = UsdGeom.Xformable(stage.GetPrimAtPath("/Pendulum/Arm"))
    poses = [
        np.array(arm.GetLocalTransformation(code))
        for code in (stage.GetStartTimeCode(), stage.GetEndTimeCode())
    ]
    assert stage.GetEndTimeCode() >= 14
    assert not np.allclose(*poses, atol=1e-2)


@pytest.mark.parametrize(("envs", "said"), [("1", "1 world, 5 steps"), ("2", "2 worlds, 5 steps")])
def test_simulate_says_how_much(envs: str, said: str, capsys: pytest.CaptureFixture[str]):
    assert main(["simulate", PENDULUM, "--envs", envs, "--steps", "5"]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("control", ["hold", "zero", "random:0.1", "sine"])
def test_every_control_runs(control: str, capsys: pytest.CaptureFixture[str]):
    arguments = ["simulate", QUADRUPED, "--envs", "2", "--steps", "5", "--ctrl", control]
    assert main([*arguments, "--json"]) == 0
    assert _document(capsys)["failures"] == []


def test_controls_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    good, bad = tmp_path / "good.npy", tmp_path / "bad.npy"
    np.save(good, np.zeros((3, 12)))
    np.save(bad, np.zeros((3, 7)))
    assert main(["simulate", QUADRUPED, "--steps", "5", "--ctrl", str(good)]) == 0
    assert main(["simulate", QUADRUPED, "--steps", "5", "--ctrl", str(bad)]) == 1
    assert "(steps, 12)" in capsys.readouterr().err


def test_unknown_control_is_an_error(capsys: pytest.CaptureFixture[str]):
    assert main(["simulate", PENDULUM, "--steps", "5", "--ctrl", "dance"]) == 1
    assert "'dance'" in capsys.readouterr().err


def test_deformable_bodies_are_counted_and_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    stage = create_stage()
    props = PhysxDeformableBodyPropertiesCfg(mass=3.0, simulation_hexahedral_resolution=1)
    cfg = MeshCuboidCfg(size=(0.2, 0.2, 0.2), deformable_props=props)
    cfg.func("/cube", cfg, translation=(0.0, 0.0, 1.0), stage=stage)
    source, take = str(tmp_path / "soft.usda"), str(tmp_path / "take.usda")
    stage.GetRootLayer().Export(source)
    assert main(["info", source]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"deformables\s+1\b", shown) and re.search(r"mass\s+3 kg", shown)
    assert main(["simulate", source, "--steps", "50", "--record", take]) == 0
    recorded = Usd.Stage.Open(take)
    points = recorded.GetPrimAtPath("/cube/sim_mesh").GetAttribute("points")
    last = points.Get(recorded.GetEndTimeCode())
    assert last[0][2] < points.Get(recorded.GetStartTimeCode())[0][2] - 0.03
