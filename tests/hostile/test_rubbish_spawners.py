"""Every spawner against rubbish in every field: spawned, or an error and no change."""

from __future__ import annotations

import dataclasses
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pxr import Sdf, Usd, UsdShade
from rubbish import values
from test_rubbish_schemas import TEXTS

from usdsim import schemas, spawners
from usdsim.core.errors import StageError, UsdsimError

STAGE = '#usda 1.0\n(metersPerUnit = 1\nupAxis = "Z")\ndef Xform "W" { }\n'
ASSET = """#usda 1.0
( defaultPrim = "R" )
def Cube "R" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
               prepend variantSets = "set" )
{
    variantSet "set" = { "a" { } "b" { } }
}
"""
SIZES = {"MeshSquareCfg": (0.1, 0.1), "GroundPlaneCfg": (9.0, 9.0)}


def spawned():
    """Classes of configurations of what can be spawned, with the names of their fields."""
    for cfg in vars(spawners).values():
        if not dataclasses.is_dataclass(cfg):
            continue
        defaults = {field.name: field.default for field in dataclasses.fields(cfg)}
        if defaults.pop("func", None) in vars(spawners).values():
            yield cfg, [*defaults, "translation"]


CFGS = list(spawned())


@pytest.fixture(scope="module")
def asset(tmp_path_factory):
    path = tmp_path_factory.mktemp("asset") / "asset.usda"
    path.write_text(ASSET)
    return str(path)


@pytest.fixture
def stage():
    logging.disable(logging.WARNING)
    made = Usd.Stage.CreateInMemory()
    made.GetRootLayer().ImportFromString(STAGE)
    yield made
    logging.disable(logging.NOTSET)


def complete(cfg, asset):
    """Values of the fields that a class of configurations has no default for."""
    names = {field.name for field in dataclasses.fields(cfg)}
    known = {
        "radius": 0.1, "height": 0.2, "size": SIZES.get(cfg.__name__, (0.1, 0.1, 0.1)),
        "usd_path": asset, "mdl_path": "glass.mdl",
        "assets_cfg": [spawners.SphereCfg(radius=0.1)], "points": [(0, 0, 0), (0, 0, 1)],
    }  # fmt: skip
    return {name: value for name, value in known.items() if name in names}


def test_all_spawners_are_tried():
    assert len(CFGS) > 25


@pytest.mark.filterwarnings("ignore")
@settings(
    max_examples=400, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(st.data())
def test_spawners(stage, asset, draw):
    cfg, fields = draw.draw(st.sampled_from(CFGS))
    field = draw.draw(st.sampled_from(fields))
    value = draw.draw(st.one_of(values(), st.sampled_from(TEXTS)))
    place = {"translation": value} if field == "translation" else {}
    given = complete(cfg, asset) | ({} if place else {field: value})
    layer = stage.GetRootLayer()
    layer.ImportFromString(STAGE)
    before = layer.ExportToString()
    made = cfg(**given)
    try:
        made.func("/W/new", made, **place, stage=stage)
    except UsdsimError:
        assert layer.ExportToString() == before
    else:
        text = layer.ExportToString()
        assert "= nan" not in text
        assert Sdf.Layer.CreateAnonymous(".usda").ImportFromString(text)


def test_what_an_error_interrupts_is_taken_back(stage):
    """Nothing reports contacts here; new parents and materials elsewhere go, an old prim stays."""
    UsdShade.Material.Define(stage, "/Looks/old").GetPrim().SetDocumentation("kept")
    before = stage.GetRootLayer().ExportToString()
    steel = spawners.PreviewSurfaceCfg(metallic=1.0)
    rubber = spawners.RigidBodyMaterialCfg()
    cfg = spawners.SphereCfg(
        radius=0.1, activate_contact_sensors=True, collision_props=schemas.CollisionBaseCfg(),
        visual_material=steel, visual_material_path="/Looks/steel",
        physics_material=rubber, physics_material_path="/Looks/old",
    )  # fmt: skip
    with pytest.raises(StageError, match="report contacts"):
        cfg.func("/World/new/ball", cfg, stage=stage)
    assert stage.GetRootLayer().ExportToString() == before
    fine = dataclasses.replace(cfg, activate_contact_sensors=False)
    assert fine.func("/World/new/ball", fine, stage=stage)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axis": "W"}, "axis is 'W'; allowed: X, Y or Z"),
        ({"visible": 1}, "visible is 1; allowed: True or False"),
        ({"semantic_tags": "class"}, "semantic_tags is 'class'; allowed: a list of pairs"),
        ({"mass_props": 2.0}, "mass_props is 2.0; allowed: a configuration"),
        ({"physics_material": schemas.PhysxMaterialPropertiesCfg()}, "allowed: a material"),
        ({"radius": float("nan")}, "radius is nan; allowed: a number"),
        ({"radius": -1.0}, "radius is -1.0; allowed: positive numbers"),
    ],
)
def test_what_is_allowed_is_named(stage, change, message):
    cfg = spawners.CapsuleCfg(**({"radius": 0.1, "height": 0.2} | change))
    with pytest.raises(UsdsimError, match=message):
        cfg.func("/W/new", cfg, stage=stage)
    assert not stage.GetPrimAtPath("/W/new")
