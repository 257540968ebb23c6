"""Every writer of schemas against rubbish in every field: written, or an error and no change."""

from __future__ import annotations

import dataclasses
import inspect
import logging
import typing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pxr import Sdf, Usd
from rubbish import values

from usdsim import schemas
from usdsim.core.errors import UsdsimError

STAGE = """#usda 1.0
def Xform "W" {
    def Cube "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) { }
    def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["PhysicsDriveAPI:angular",
        "PhysxMimicJointAPI:rotX", "PhysxTendonAxisRootAPI:t", "PhysxTendonAxisAPI:t",
        "PhysxTendonAttachmentRootAPI:s", "PhysicsJointStateAPI:angular"] )
    {
        rel physics:body1 = </W/a>
    }
    def Mesh "m" { }
    def Material "mat" { }
    def PhysicsScene "scene" { }
    def MjcActuator "act" { }
}
"""
PRIMS = ["/", "", "/W", "/W/a", "/W/j", "/W/m", "/W/mat", "/W/scene", "/W/act", "/W/new"]
TEXTS = ["x", "", "a b", "convexHull", "none", "/W/a", "/W/nope", "../x", "nan", "é", "\0", "\n"]


def calls():
    """Writers with every configuration that they take."""
    public = vars(schemas)
    cfgs = [c for c in public.values() if inspect.isclass(c) and issubclass(c, schemas.SchemaCfg)]
    for name, writer in public.items():
        if name.startswith(("modify_", "define_")):
            hint = typing.get_type_hints(writer)["cfg"]
            taken = [c for c in (hint, *typing.get_args(hint)) if inspect.isclass(c)]
            yield from ((writer, cfg) for cfg in cfgs if any(issubclass(cfg, c) for c in taken))


CALLS = list(calls())


@pytest.fixture(scope="module")
def stage():
    logging.disable(logging.WARNING)
    yield Usd.Stage.CreateInMemory()
    logging.disable(logging.NOTSET)


def test_all_writers_are_tried():
    assert len({writer for writer, _ in CALLS}) > 20
    assert len(CALLS) > 200


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=400, derandomize=True)
@given(st.data())
def test_schemas(stage, draw):
    writer, cfg = draw.draw(st.sampled_from(CALLS))
    field = draw.draw(st.sampled_from([field.name for field in dataclasses.fields(cfg)]))
    value = draw.draw(st.one_of(values(), st.sampled_from(TEXTS)))
    layer = stage.GetRootLayer()
    layer.ImportFromString(STAGE)
    before = layer.ExportToString()
    try:
        writer(draw.draw(st.sampled_from(PRIMS)), cfg(**{field: value}), stage=stage)
    except UsdsimError:
        assert layer.ExportToString() == before
    else:
        text = layer.ExportToString()
        assert "= nan" not in text
        assert Sdf.Layer.CreateAnonymous(".usda").ImportFromString(text)


@pytest.mark.parametrize(
    ("cfg", "message"),
    [
        (schemas.MujocoActuatorCfg(gear=[1.0, 2.0, float]), "gear is .* a list of numbers"),
        (schemas.MujocoActuatorCfg(target=3), "target is 3; allowed: a text"),
        (schemas.MujocoActuatorCfg(group=1e300), "group is 1e.300; allowed: at most 2,147,483,647"),
        (schemas.NewtonActuatorCfg(dialects="mjc"), "dialects is 'mjc'; allowed: a tuple of texts"),
    ],
)
def test_what_is_allowed_is_named(stage, cfg, message):
    stage.GetRootLayer().ImportFromString(STAGE)
    with pytest.raises(UsdsimError, match=message):
        schemas.define_actuator("/W/new", cfg, stage=stage)
    assert not stage.GetPrimAtPath("/W/new")
