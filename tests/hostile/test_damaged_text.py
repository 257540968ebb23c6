"""Texts of a binary stage that are not UTF-8 are errors that say so, wherever they are read."""

from __future__ import annotations

import pytest
from pxr import Usd

import usdsim
from usdsim.cli.main import main
from usdsim.core.errors import UsdsimError
from usdsim.usd.schemas import applied_schemas
from usdsim.usd.stage import open_stage

STAGE = """#usda 1.0
( metersPerUnit = 1
  upAxis = "Z" )
def Sphere "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "QuaxAPI"]
)
{
}
"""


@pytest.fixture
def damaged(tmp_path):
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(STAGE)
    stage.Export(str(tmp_path / "s.usdc"))
    data = (tmp_path / "s.usdc").read_bytes()
    assert data.count(b"Quax") == 1
    (tmp_path / "s.usdc").write_bytes(data.replace(b"Quax", b"Q\xe3ax"))
    return tmp_path / "s.usdc"


def test_names_of_applied_schemas(damaged):
    stage = open_stage(damaged)
    with pytest.raises(UsdsimError, match=r"/b.*UTF-8"):
        applied_schemas(stage.GetPrimAtPath("/b"))
    with pytest.raises(UsdsimError, match="UTF-8"):
        usdsim.load_model(damaged)


def test_validation_goes_on(damaged, capsys):
    main(["validate", str(damaged)])
    shown = capsys.readouterr()
    assert "defect of usdsim" not in shown.err
    assert "UTF-8" in shown.out + shown.err
