"""Elements of the MuJoCo dialect as others write them: sites that close loops, muscles."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from pxr import Sdf, Usd, UsdPhysics

from usdsim.converters.mjcf import convert_mjcf
from usdsim.core.errors import ParseError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage

ARMS = """<mujoco><worldbody><site name="hook"/><body name="arm"><joint name="hinge" axis="0 1 0"
range="0 90"/><geom size="0.1" pos="0.5 0 0"/><site name="tip" pos="0.5 0 0"/></body></worldbody>
<tendon><spatial name="string"><site site="hook"/><site site="tip"/></spatial></tendon>
<actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""


@pytest.fixture
def stage() -> Usd.Stage:
    made = create_stage()
    convert_mjcf(ARMS, made)
    return made


def path(stage: Usd.Stage, name: str) -> Sdf.Path:
    return next(p.GetPath() for p in stage.Traverse() if p.GetName() == name)


@pytest.mark.parametrize("kind", ["connect", "weld"])
def test_loops_between_sites_are_constraints_of_sites(stage, kind):
    schema = {"connect": UsdPhysics.SphericalJoint, "weld": UsdPhysics.FixedJoint}[kind]
    joint = schema.Define(stage, "/loop")
    joint.CreateBody0Rel().SetTargets([path(stage, "hook")])
    joint.CreateBody1Rel().SetTargets([path(stage, "tip")])
    joint.CreateExcludeFromArticulationAttr(True)
    joint.GetPrim().AddAppliedSchema(f"MjcEquality{kind.capitalize()}API")
    scale = joint.GetPrim().CreateAttribute("mjc:torqueScale", Sdf.ValueTypeNames.Float)
    scale.Set(0.5)
    model = compile_scene(parse_stage(stage).scene).mj
    assert model.eq_objtype.tolist() == [int(mujoco.mjtObj.mjOBJ_SITE)]
    assert model.site(int(model.eq_obj1id[0])).name == "hook"
    if kind == "weld":
        assert model.eq_data[0, 10] == 0.5


def test_activation_without_dynamics_is_left_out(stage):
    motor = stage.GetPrimAtPath(path(stage, "motor"))
    motor.GetAttribute("mjc:actDim").Set(1)
    result = parse_stage(stage)
    assert compile_scene(result.scene).mj.na == 0
    (finding,) = result.report.by_code("activation-left-out")
    assert finding.attribute == "mjc:actDim"
    with pytest.raises(ParseError, match="mjc:actDim"):
        parse_stage(stage, strict=True)


def test_muscles_without_length_range_get_that_of_sampled_postures(monkeypatch):
    muscle = ARMS.replace(
        '<motor name="motor" joint="hinge"/>', '<muscle tendon="string" lengthrange="0.4 0.8"/>'
    )
    made = create_stage()
    text = muscle.replace('"hook"/>', '"hook" pos="-0.2 0 0"/>', 1)
    convert_mjcf(text, made)
    actuator = next(p for p in made.Traverse() if p.GetTypeName() == "MjcActuator")
    for end in ("min", "max"):
        actuator.GetAttribute(f"mjc:lengthRange:{end}").Clear()
    scene = parse_stage(made).scene
    compile_own, calls = mujoco.MjSpec.compile, []

    def refuse_once(spec):
        calls.append(spec)
        if len(calls) == 1:
            raise ValueError("Error: Lengthrange computation did not converge in actuator 0:\n")
        return compile_own(spec)

    monkeypatch.setattr(mujoco.MjSpec, "compile", refuse_once)
    compiled = compile_scene(scene)
    # The hinge turns the tip a quarter turn down from the far side of the hook.
    expected = [np.hypot(0.5, 0.2), 0.7]
    np.testing.assert_allclose(compiled.mj.actuator_lengthrange[0], expected, atol=1e-6)
    (note,) = compiled.notes
    assert note[0] == str(actuator.GetPath()) and "length range" in note[1]
