"""The codeless definitions: registered, in agreement with the tables, without clashes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mujoco import MjSpec
from pxr import Sdf, Usd, UsdPhysics

import usdsim  # registers the definitions
from usdsim import schemas
from usdsim.converters.mjcf.convert import convert_mjcf
from usdsim.core.dialects.mjc_tables import ROWS, TYPES
from usdsim.core.dialects.newton import NEWTON
from usdsim.core.dialects.physx import PHYSX
from usdsim.schemas.cfg import rows
from usdsim.usd.stage import create_stage

ROOT = Path(__file__).resolve().parents[2]
INSTANCE = "__INSTANCE_NAME__"


def _python(code: str, **environment: str) -> str:
    """Output of a script in a fresh process."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    # Importing usdsim before pxr extends the path of this process; scripts begin without.
    env.pop("PXR_PLUGINPATH_NAME", None)
    env |= environment
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _definition(schema: str) -> Usd.PrimDefinition:
    registry = Usd.SchemaRegistry()
    found = registry.FindAppliedAPIPrimDefinition(schema)
    return found or registry.FindConcretePrimDefinition(schema)


def _targets():
    """Attribute name, type and schema of every row, placeholders as the registry spells them."""
    seen = set()
    for name in schemas.__all__:
        cls = getattr(schemas, name)
        if not (isinstance(cls, type) and issubclass(cls, schemas.SchemaCfg)):
            continue
        for row in rows(cls):
            for target in row.targets:
                api = target.api.split(":")[0]
                if api == "{control}":
                    api = "NewtonPDControlAPI"
                attribute = target.attribute
                for placeholder in ("{axis}", "{dof}", "{instance}"):
                    attribute = attribute.replace(placeholder, INSTANCE)
                if api:
                    seen.add((attribute, target.type, api))
    return sorted(seen)


@pytest.mark.parametrize(("attribute", "kind", "api"), _targets())
def test_the_registry_agrees_with_the_rows(attribute, kind, api):
    definition = _definition(api)
    assert definition is not None, f"{api} is not registered"
    found = definition.GetPropertyDefinition(attribute)
    assert found, f"{api} does not define {attribute}"
    if kind != "rel":
        assert str(definition.GetAttributeDefinition(attribute).GetTypeName()) == kind


@pytest.mark.parametrize("row", [*PHYSX, *NEWTON], ids=lambda row: row.usd)
def test_what_the_parser_reads_is_defined(row):
    definition = _definition(row.api)
    found = definition.GetAttributeDefinition(row.usd.replace("{axis}", INSTANCE))
    assert found
    assert str(found.GetTypeName()) == row.type


def test_every_row_of_the_mujoco_tables_is_defined():
    apis = {
        "body": "MjcBodyAPI", "joint": "MjcJointAPI", "geom": "MjcCollisionAPI",
        "site": "MjcSiteAPI", "camera": "MjcCameraAPI", "light": "MjcLightAPI",
        "mesh": "MjcMeshCollisionAPI", "material": "MjcMaterialAPI", "scene": "MjcSceneAPI",
    }  # fmt: skip
    for kind, table in ROWS.items():
        definition = _definition(apis.get(kind) or TYPES[kind])
        for row in table:
            found = definition.GetPropertyDefinition(row.usd)
            assert found, f"{kind}: {row.usd}"
            if row.type != "rel":
                attribute = definition.GetAttributeDefinition(row.usd)
                assert str(attribute.GetTypeName()) == row.type


def test_multiple_apply_and_built_in_schemas():
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
    assert prim.ApplyAPI("PhysxTendonAxisRootAPI", "t")
    assert prim.HasAPI("PhysxTendonAxisAPI", "t")
    assert prim.GetAttribute("physxTendon:t:stiffness").Get() == 0.0
    assert prim.GetAttribute("physxTendon:t:upperLimit").Get() == float("inf")
    assert list(prim.GetAttribute("physxTendon:t:gearing").Get()) == [1.0]
    assert prim.ApplyAPI("MjcJointAPI")
    assert prim.HasAPI("NewtonJointAPI")


def test_scene_schemas_apply_to_scenes_only():
    stage = Usd.Stage.CreateInMemory()
    scene, other = stage.DefinePrim("/scene", "PhysicsScene"), stage.DefinePrim("/x", "Xform")
    for name in ("PhysxSceneAPI", "MjcSceneAPI"):
        assert scene.CanApplyAPI(name)
        assert not other.CanApplyAPI(name)


def test_documentation_states_range_and_unit():
    definition = _definition("PhysxRigidBodyAPI")
    text = definition.GetAttributeDefinition("physxRigidBody:maxAngularVelocity").GetDocumentation()
    assert "Range: [0, inf)" in text
    assert "Units: degree/second" in text
    limits = definition.GetPropertyMetadata("physxRigidBody:linearDamping", "limits")
    assert limits == {"hard": {"minimum": 0.0}}


def test_the_generated_files_are_up_to_date():
    done = subprocess.run(
        [sys.executable, str(ROOT / "schemas" / "generate.py"), "--check"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_every_generated_file_parses_and_documents_every_property():
    for path in (ROOT / "schemas").glob("*/generatedSchema.usda"):
        layer = Sdf.Layer.FindOrOpen(str(path))
        for prim in layer.rootPrims:
            assert prim.documentation, prim.name
            for spec in prim.properties:
                assert spec.documentation, f"{prim.name}.{spec.name}"


_AUTHOR = """
import usdsim
from usdsim import schemas
from usdsim.converters.mjcf.convert import convert_mjcf
from usdsim.usd.stage import create_stage
stage = create_stage()
stage.DefinePrim("/a", "Xform")
cfg = schemas.PhysxRigidBodyPropertiesCfg(linear_damping=0.5, dialects=("physx", "mjc"),
                                          disable_gravity=True)
assert schemas.define_rigid_body_properties("/a", cfg, stage)
print(stage.GetRootLayer().ExportToString())
print(schemas.read_rigid_body_properties("/a", stage=stage).linear_damping)
"""


def test_authoring_is_the_same_when_registration_comes_too_late():
    late = """
from pxr import Usd, UsdPhysics
early = Usd.Stage.CreateInMemory()
prim = early.DefinePrim("/early", "Xform")
UsdPhysics.RigidBodyAPI.Apply(prim)   # builds the schema registry
"""
    check = """
assert not Usd.SchemaRegistry().FindAppliedAPIPrimDefinition("PhysxRigidBodyAPI")
"""
    assert _python(late + _AUTHOR + check) == _python(_AUTHOR)


_VENDOR_PLUGIN = """{"Plugins": [{"Info": {"Types": {"PhysxSchemaPhysxRigidBodyAPI": {
  "schemaIdentifier": "PhysxRigidBodyAPI", "alias": {"UsdSchemaBase": "PhysxRigidBodyAPI"},
  "bases": ["UsdAPISchemaBase"], "schemaKind": "singleApplyAPI"}}},
  "LibraryPath": "", "Name": "physxSchema", "ResourcePath": ".", "Root": ".", "Type": "resource"}]}
"""
_VENDOR_SCHEMA = """#usda 1.0
class "PhysxRigidBodyAPI" ( doc = "the vendor's own" )
{
    float physxRigidBody:linearDamping = 77
    bool physxRigidBody:disableGravity = 0
}
"""


def test_the_vendors_own_schema_is_left_in_place(tmp_path):
    (tmp_path / "plugInfo.json").write_text(_VENDOR_PLUGIN)
    (tmp_path / "generatedSchema.usda").write_text(_VENDOR_SCHEMA)
    probe = """
prim = stage.DefinePrim("/b", "Xform")
prim.ApplyAPI("PhysxRigidBodyAPI")
print("fallback", prim.GetAttribute("physxRigidBody:linearDamping").Get())
"""
    shown = _python(_AUTHOR + probe, PXR_PLUGINPATH_NAME=str(tmp_path))
    assert "fallback 77.0" in shown
    assert "float physxRigidBody:linearDamping = 0.5" in shown


def test_importing_the_package_registers_everything():
    assert usdsim.__version__
    for name in ("PhysxRigidBodyAPI", "MjcSceneAPI", "UsdsimEnvironmentAPI", "NewtonJointAPI"):
        assert _definition(name) is not None


def test_registration_works_after_pxr_is_imported_but_before_it_is_used():
    code = """
from pxr import Plug, Usd
import usdsim
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/a", "Xform")
print(prim.ApplyAPI("PhysxRigidBodyAPI"), prim.ApplyAPI("MjcBodyAPI"))
"""
    assert _python(code).strip() == "True True"


_MODELS = {
    "looks": """<mujoco><asset><texture name="t" type="2d" builtin="checker" width="8" height="8"/>
      <material name="m" texture="t" metallic=".3"/>
      <mesh name="v" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
      <hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody><light/><camera/>
      <geom type="hfield" hfield="h" material="m"/><body><geom type="mesh" mesh="v"/>
      <geom size=".1" contype="0" conaffinity="0"/><site/></body></worldbody></mujoco>""",
    "constraints": """<mujoco><worldbody><body name="a"><joint name="j"/><geom name="g" size=".1"
      contype="2" conaffinity="1"/></body><body name="b" pos="0 0 1"><joint name="k"/>
      <geom name="h" size=".1"/><geom size=".1" contype="4" conaffinity="8"/></body></worldbody>
      <contact><pair geom1="g" geom2="h"/><exclude body1="a" body2="b"/></contact><equality>
      <weld body1="a" body2="b"/><connect body1="a" body2="b" anchor="0 0 0"/>
      <joint joint1="j" joint2="k"/></equality></mujoco>""",
    "control": """<mujoco><custom><numeric name="n" data="1 2"/><text name="t" data="x"/>
      <tuple name="u"><element objtype="body" objname="a"/></tuple></custom><worldbody>
      <body name="a"><joint name="j"/><geom size=".1"/></body></worldbody><tendon>
      <fixed name="f"><joint joint="j" coef="1"/></fixed></tendon><actuator>
      <position joint="j" kp="3"/></actuator><sensor><jointpos joint="j"/></sensor>
      <keyframe><key qpos=".1"/></keyframe></mujoco>""",
    "quadruped": str(ROOT / "assets" / "quadruped" / "quadruped.xml"),
}
_OPEN = ("xformOp:", "primvars:", "material:binding", "inputs:", "outputs:", "info:", "collection:")
"""Namespaces in which USD itself lets any name be."""


@pytest.mark.parametrize("source", _MODELS.values(), ids=_MODELS)
def test_everything_a_converted_model_says_is_defined(source):
    spec = MjSpec.from_string(source) if source.startswith("<") else source
    stage = create_stage()
    convert_mjcf(spec, stage)
    own = {prim.GetTypeName() for prim in stage.Traverse(Usd.PrimAllPrimsPredicate)}
    assert any(str(name).startswith("Mjc") for name in own) or source.endswith(".xml")
    names = _definition("UsdsimSourceAPI")
    for prim in stage.Traverse(Usd.PrimAllPrimsPredicate):
        kind, known = str(prim.GetTypeName()), prim.GetPrimDefinition()
        assert not kind or _definition(kind) is not None, f"{prim.GetPath()} is a {kind}"
        for api in prim.GetPrimTypeInfo().GetAppliedAPISchemas():
            assert _definition(api.split(":")[0]) is not None, f"{prim.GetPath()} has {api}"
        for prop in prim.GetAuthoredProperties():
            name, path = prop.GetName(), str(prop.GetPath())
            if name.startswith(_OPEN):
                continue
            where = names if name == "usdsim:sourceName" else known
            assert where.GetPropertyDefinition(name), f"{path} is not defined"
            # The composed attribute would give the definition's type: ask the layer.
            spec = stage.GetRootLayer().GetPropertyAtPath(prop.GetPath())
            if spec is not None and isinstance(spec, Sdf.AttributeSpec):
                defined = where.GetAttributeDefinition(name).GetTypeName()
                assert spec.typeName == defined, f"{path} is a {spec.typeName}"
            elif spec is not None:
                assert where.GetRelationshipDefinition(name), f"{path} is a relationship"


def test_usdsims_own_mujoco_schemas_leave_the_official_ones_alone():
    folder = ROOT / "schemas"
    found = {}
    for name in ("mjcPhysics", "usdsimMjcPhysics"):
        layer = Sdf.Layer.FindOrOpen(str(folder / name / "generatedSchema.usda"))
        found[name] = set(layer.rootPrims.keys())
    assert not found["mjcPhysics"] & found["usdsimMjcPhysics"]
    assert {"MjcJointAPI", "MjcActuator", "MjcTendon", "MjcKeyframe"} <= found["mjcPhysics"]
    assert {"MjcBodyAPI", "MjcLibraryAPI", "MjcHeightField"} <= found["usdsimMjcPhysics"]


_BASES = {
    "PhysxParticleSystem": "Cube",
    "TetrahedralMesh": "Points",
    "PhysxPhysicsGearJoint": "PhysicsJoint",
    "PhysxPhysicsRackAndPinionJoint": "PhysicsJoint",
    "PhysxPhysicsJointInstancer": "Scope",
    "OmniPhysicsVtxXformAttachment": "Scope",
}
"""Types of PhysX, and types of OpenUSD with the properties that their bases have."""


@pytest.mark.parametrize(("kind", "like"), _BASES.items())
def test_what_types_inherit_is_as_in_openusd(kind, like):
    ours, theirs = _definition(kind), _definition(like)
    shared = set(ours.GetPropertyNames()) & set(theirs.GetPropertyNames())
    base = Usd.SchemaRegistry.GetTypeFromSchemaTypeName(kind).baseTypes[0]
    if base.pythonClass:
        assert set(base.pythonClass.GetSchemaAttributeNames(True)) <= shared
    for name in shared:
        found, wanted = ours.GetAttributeDefinition(name), theirs.GetAttributeDefinition(name)
        assert bool(found) == bool(wanted), name
        if wanted and name != "extent":
            assert found.GetTypeName() == wanted.GetTypeName(), name
            assert found.GetFallbackValue() == wanted.GetFallbackValue(), name
            assert found.GetVariability() == wanted.GetVariability(), name


def test_joints_of_physx_are_joints():
    stage = Usd.Stage.CreateInMemory()
    gear = stage.DefinePrim("/gear", "PhysxPhysicsGearJoint")
    assert UsdPhysics.Joint(gear).GetBreakForceAttr().Get() == float("inf")
    assert gear.GetRelationship("physics:hinge0")


def test_attachments_have_what_the_type_above_them_has():
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/hold", "OmniPhysicsVtxXformAttachment")
    assert prim.GetAttribute("omniphysics:stiffness").Get() == float("inf")
    assert prim.GetAttribute("omniphysics:vtxIndicesSrc0").Set([0, 1])
    assert prim.GetRelationship("omniphysics:src1").SetTargets(["/a"])
