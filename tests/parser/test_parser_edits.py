"""Law of edits: on a converted stage, an edit of any spelling of a quantity acts."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parser_builders import converted, prim_named
from pxr import Gf, Sdf, Usd, UsdPhysics

from usdsim import schemas
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage

ARM = """<mujoco><option timestep="0.003" gravity="0 0.1 -9.8"/><worldbody>
<body name="arm"><inertial mass="0.7" pos="0.1 0.2 0.3" diaginertia="0.11 0.12 0.13"/>
<joint name="j" axis="0 0.6 0.8" pos="0 0 0.1" range="-10 70" ref="5" armature="0.1" damping="0.2"
frictionloss="0.3"/><geom name="g" type="capsule" size="0.1 0.2" margin="0.01" gap="0.003"/></body>
</worldbody></mujoco>"""
JOINT, BODY, GEOM, SCENE = "j", "arm", "g", "PhysicsScene"
DEGREE = np.pi / 180.0

SPELLINGS = {
    "mjc:armature": (JOINT, "double", "dof_armature", 1.0),
    "newton:armature": (JOINT, "float", "dof_armature", 1.0),
    "physxJoint:armature": (JOINT, "float", "dof_armature", 1.0),
    "mjc:damping": (JOINT, "double", "dof_damping", 1.0),
    "newton:damping": (JOINT, "float", "dof_damping", 1.0 / DEGREE),
    "mjc:frictionloss": (JOINT, "double", "dof_frictionloss", 1.0),
    "newton:friction": (JOINT, "float", "dof_frictionloss", 1.0),
    "physics:mass": (BODY, "float", "body_mass", 1.0),
    "mjc:mass": (BODY, "double", "body_mass", 1.0),
    "mjc:gravcomp": (BODY, "double", "body_gravcomp", 1.0),
    "mjc:margin": (GEOM, "double", "geom_margin", 1.0),
    "newton:contactMargin": (GEOM, "float", "geom_margin", 1.0),
    "newton:contactGap": (GEOM, "float", "geom_gap", 1.0),
    "mjc:gap": (GEOM, "double", "geom_gap", 1.0),
}
"""Attribute: prim, type, array of the model, SI per unit."""


def write(stage: Usd.Stage, attribute: str, value: float) -> None:
    owner, kind, _, _ = SPELLINGS[attribute]
    type_name = getattr(Sdf.ValueTypeNames, kind.capitalize())
    prim_named(stage, owner).CreateAttribute(attribute, type_name, False).Set(value)


def compiled(stage: Usd.Stage, **options) -> mujoco.MjModel:
    return compile_scene(parse_stage(stage, **options).scene, exact=True).mj


@settings(max_examples=40)
@given(edits=st.dictionaries(st.sampled_from(sorted(SPELLINGS)), st.floats(0.25, 8.0), max_size=3))
def test_the_first_edited_spelling_acts(edits):
    """Of several edited spellings of one quantity, MuJoCo's goes first, then Newton's."""
    stage = converted(ARM)
    before = compiled(stage)
    for attribute, value in edits.items():
        write(stage, attribute, value)
    after = compiled(stage)
    order = ("mjc", "newton", "physx", "physics")
    expected = {}
    for attribute in sorted(edits, key=lambda a: next(i for i, o in enumerate(order) if o in a)):
        _, kind, array, factor = SPELLINGS[attribute]
        value = edits[attribute] if kind == "double" else float(np.float32(edits[attribute]))
        expected.setdefault(array, value * factor)
    for array in {row[2] for row in SPELLINGS.values()}:
        wanted = expected.get(array, getattr(before, array)[-1])
        assert getattr(after, array)[-1] == pytest.approx(wanted, rel=1e-6), array


def test_edits_act_in_stronger_layers_and_over_references():
    stage = converted(ARM)
    path = prim_named(stage, JOINT).GetPath()
    upper = create_stage()
    upper.GetRootLayer().subLayerPaths.append(stage.GetRootLayer().identifier)
    upper.OverridePrim(path).CreateAttribute("newton:armature", Sdf.ValueTypeNames.Float).Set(3.0)
    assert compiled(upper).dof_armature == pytest.approx([3.0])


def test_moments_limits_and_gravity_act():
    stage = converted(ARM)
    UsdPhysics.MassAPI(prim_named(stage, BODY)).GetDiagonalInertiaAttr().Set(
        Gf.Vec3f(1.0, 1.5, 2.0)
    )
    UsdPhysics.RevoluteJoint(prim_named(stage, JOINT)).GetUpperLimitAttr().Set(90.0)
    scene = UsdPhysics.Scene(prim_named(stage, SCENE))
    scene.GetGravityMagnitudeAttr().Set(2.0)
    scene.GetPrim().GetAttribute("newton:timeStepsPerSecond").Clear()
    scene.GetPrim().CreateAttribute("newton:timeStepsPerSecond", Sdf.ValueTypeNames.Int).Set(250)
    model = compiled(stage)
    np.testing.assert_allclose(model.body_inertia[1], [1.0, 1.5, 2.0])
    assert model.jnt_range[0] == pytest.approx([-10 * DEGREE, 95 * DEGREE], rel=1e-6)
    assert np.linalg.norm(model.opt.gravity) == pytest.approx(2.0)
    assert model.opt.timestep == 0.004


@pytest.mark.parametrize("attribute", ["newton:inertia", "mjc:inertia"])
def test_other_spellings_of_inertia_act(attribute):
    stage = converted(ARM)
    values = [1.0, 1.5, 2.0, 0.0, 0.0, 0.0] if attribute == "newton:inertia" else (1.0, 1.5, 2.0)
    kind = "DoubleArray" if attribute == "newton:inertia" else "Double3"
    prim_named(stage, BODY).CreateAttribute(attribute, getattr(Sdf.ValueTypeNames, kind)).Set(
        values
    )
    assert sorted(compiled(stage).body_inertia[1]) == pytest.approx([1.0, 1.5, 2.0])


def test_gravity_that_was_off_acts_once_it_is_edited():
    text = ARM.replace("<option ", '<option><flag gravity="disable"/></option><option ')
    stage = converted(text)
    gravity = 1 << 7
    assert compiled(stage).opt.disableflags & gravity
    UsdPhysics.Scene(prim_named(stage, SCENE)).GetGravityMagnitudeAttr().Set(5.0)
    model = compiled(stage)
    assert not model.opt.disableflags & gravity
    assert np.linalg.norm(model.opt.gravity) == pytest.approx(5.0)


def test_precedence_leaves_dialects_out():
    stage = converted(ARM)
    write(stage, "mjc:armature", 7.0)
    assert compiled(stage).dof_armature == [7.0]
    result = parse_stage(stage, precedence=("newton", "physics"))
    assert compile_scene(result.scene).mj.dof_armature == [0.1]
    assert "mjc:armature" in [finding.attribute for finding in result.report.warnings]


@pytest.mark.parametrize(
    ("field", "value", "array"),
    [
        ("armature", 8.0, "dof_armature"),
        ("damping", 9.0, "dof_damping"),
        ("friction", 7.0, "dof_frictionloss"),
        ("reference", 0.5, "qpos0"),
        ("anchor", np.array([1.0, 2.0, 3.0]), "jnt_pos"),
        ("axis", np.array([0.0, 1.0, 0.0]), "jnt_axis"),
    ],
)
def test_the_model_shows_what_the_description_says(field, value, array):
    scene = parse_stage(converted(ARM)).scene
    dof = replace(scene.joints[0].dofs[0], **{field: value})
    scene = replace(scene, joints=(replace(scene.joints[0], dofs=(dof,)),))
    np.testing.assert_array_equal(
        np.ravel(getattr(compile_scene(scene).mj, array)), np.ravel(value)
    )


@pytest.mark.parametrize("dialects", [None, ("newton",), ("physx",), ("mjc",)])
def test_what_schemas_change_is_changed(dialects):
    stage = converted(ARM)
    cfg = schemas.JointPropertiesCfg(armature=5.0, damping=9.0, friction=3.0, dialects=dialects)
    result = schemas.modify_joint_properties(str(prim_named(stage, JOINT).GetPath()), cfg, stage)
    assert result.changed
    parsed = parse_stage(stage)
    dof = parsed.scene.joints[0].dofs[0]
    assert (dof.armature, dof.damping, dof.friction) == pytest.approx((5.0, 9.0, 3.0), rel=1e-6)
    assert not parsed.report.by_code("conflict")


def test_friction_of_materials_acts():
    stage = converted(ARM)
    surface = next(p for p in stage.Traverse() if p.HasAPI(UsdPhysics.MaterialAPI))
    UsdPhysics.MaterialAPI(surface).GetDynamicFrictionAttr().Set(0.25)
    assert compiled(stage).geom_friction[0] == pytest.approx([0.25, 0.005, 0.0001])
    prim_named(stage, GEOM).GetAttribute("mjc:friction").Set(Gf.Vec3d(0.5, 0.005, 0.0001))
    assert compiled(stage).geom_friction[0] == pytest.approx([0.5, 0.005, 0.0001])
