"""``usdsim validate`` with usdsim's own rules and repairs."""

import pytest
from pxr import Gf, UsdGeom, UsdPhysics

from usdsim import schemas
from usdsim.cli.main import main
from usdsim.usd.stage import create_stage, open_stage


@pytest.fixture
def robot(tmp_path):
    """A body on the world by two joints, the second one closing a loop."""
    path = tmp_path / "robot.usda"
    stage = create_stage(str(path))
    UsdPhysics.Scene.Define(stage, "/PhysicsScene")
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/robot").GetPrim())
    for name in ("a", "b"):
        UsdGeom.Xform.Define(stage, f"/robot/{name}")
        schemas.define_rigid_body_properties(f"/robot/{name}", schemas.RigidBodyBaseCfg(), stage)
        schemas.define_mass_properties(
            f"/robot/{name}",
            schemas.MassPropertiesCfg(
                mass=1.0, diagonal_inertia=(1.0, 1.0, 1.0), principal_axes=(0.0, 0.0, 0.0, 1.0)
            ),
            stage,
        )
    for name, first, second in (("j0", None, "a"), ("j1", "a", "b"), ("j2", None, "b")):
        joint = UsdPhysics.SphericalJoint.Define(stage, f"/robot/{name}")
        if first:
            joint.CreateBody0Rel().SetTargets([f"/robot/{first}"])
        joint.CreateBody1Rel().SetTargets([f"/robot/{second}"])
        joint.CreateLocalRot0Attr(Gf.Quatf(1.0))
    stage.Save()
    return path


def test_own_rules_are_checked(robot, capsys):
    main(["validate", str(robot)])
    assert "articulation-loop" in capsys.readouterr().out


def test_safe_repairs_are_saved(robot, capsys):
    assert main(["validate", str(robot), "--fix", "--all"]) == 0
    assert "Repaired" in capsys.readouterr().out
    saved = open_stage(robot)
    loop = UsdPhysics.Joint.Get(saved, "/robot/j2")
    assert loop.GetExcludeFromArticulationAttr().Get() is True
    main(["validate", str(robot)])
    assert "articulation-loop" not in capsys.readouterr().out


def test_only_stages_can_be_repaired(tmp_path, capsys):
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="base"/></robot>')
    assert main(["validate", str(path), "--fix"]) != 0
    assert "Convert the file first" in capsys.readouterr().err
