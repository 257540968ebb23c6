"""Equality constraints of the MuJoCo dialect on joint prims, as other tools author them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from parser_builders import body, joint, new_stage, parse, place, shape
from pxr import Sdf

from usdsim.engine import compile_scene

_KINDS = {"Weld": "Fixed", "Connect": "Spherical"}


def tie(stage, kind, first, second, **places):
    made = joint(stage, "/tie", _KINDS[kind], first, second, excludeFromArticulation=True, **places)
    made.AddAppliedSchema(f"MjcEquality{kind}API")
    return made


def pair(meters=1.0, scale=None):
    stage = new_stage(meters=meters)
    for name, x in (("a", 0.0), ("b", 1.0)):
        body(stage, f"/{name}", (x / meters, 0, 0), scale=scale)
        shape(stage, f"/{name}/c", size=0.1 / meters)
    return stage


def compiled(stage):
    return compile_scene(parse(stage)).mj


def residual(model):
    """Errors of the constraints in the initial state, shape (3,) or (6,)."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data.efc_pos[: data.ne]


@pytest.mark.parametrize("kind", ["Weld", "Connect"])
def test_anchors_are_in_the_unit_of_the_stage_and_scaled_like_the_prims(kind):
    stage = pair(meters=0.01, scale=(2, 1, 1))
    tie(stage, kind, "/a", "/b", localPos0=(25, 0, 0), localPos1=(-25, 0, 0))
    model = compiled(stage)
    anchor = 0.5 if kind == "Connect" else -0.5
    np.testing.assert_allclose(model.eq_data[0, :3], [anchor, 0, 0], atol=1e-9)
    np.testing.assert_allclose(residual(model), 0.0, atol=1e-7)


def test_prims_below_bodies_stand_for_the_bodies():
    stage = pair()
    place(stage.DefinePrim("/b/tip", "Xform"), (-0.5, 0.25, 0))
    tie(stage, "Weld", "/a", "/b/tip", localPos0=(0.5, 0.25, 0))
    model = compiled(stage)
    assert model.eq_objtype[0] == int(mujoco.mjtObj.mjOBJ_BODY)
    np.testing.assert_allclose(model.eq_data[0, :3], [-0.5, 0.25, 0], atol=1e-7)
    np.testing.assert_allclose(residual(model), 0.0, atol=1e-7)


def test_a_site_with_a_body_or_an_offset_is_a_frame_of_its_body():
    stage = pair()
    for path, x in (("/a/tip", 0.5), ("/b/tip", -0.25)):
        site = place(stage.DefinePrim(path, "Xform"), (x, 0, 0))
        site.AddAppliedSchema("MjcSiteAPI")
    tie(stage, "Weld", "/a", "/b/tip", localPos0=(0.75, 0, 0))
    np.testing.assert_allclose(residual(compiled(stage)), 0.0, atol=1e-7)
    tie(stage, "Weld", "/a/tip", "/b/tip", localPos0=(0.25, 0, 0))
    model = compiled(stage)
    assert model.eq_objtype[0] == int(mujoco.mjtObj.mjOBJ_BODY)
    np.testing.assert_allclose(residual(model), 0.0, atol=1e-7)


@pytest.mark.parametrize("kind", ["Weld", "Connect"])
def test_disabled_joints_are_inactive_constraints(kind):
    stage = pair()
    made = tie(stage, kind, "/a", "/b", localPos0=(0.5, 0, 0), localPos1=(-0.5, 0, 0))
    assert compiled(stage).eq_active0.tolist() == [1]
    made.GetAttribute("physics:jointEnabled").Set(False)
    assert compiled(stage).eq_active0.tolist() == [0]


def test_followers_whose_mimic_is_disabled_are_inactive_constraints():
    stage = pair()
    for name in ("a", "b"):
        follower = joint(stage, f"/{name}/hinge", body1=f"/{name}")
    for api in ("NewtonMimicAPI", "MjcEqualityJointAPI"):
        follower.AddAppliedSchema(api)
    follower.CreateRelationship("newton:mimicJoint").SetTargets(["/a/hinge"])
    assert compiled(stage).eq_active0.tolist() == [1]
    follower.CreateAttribute("newton:mimicEnabled", Sdf.ValueTypeNames.Bool).Set(False)
    assert compiled(stage).eq_active0.tolist() == [0]
