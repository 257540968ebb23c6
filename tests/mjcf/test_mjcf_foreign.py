"""The MuJoCo dialect as other converters write it."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene
from usdsim.parser import parse_stage

STAGE = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" (prepend apiSchemas = ["MjcSceneAPI"])
{
    uniform token mjc:option:integrator = "implicitfast"
    uniform bool mjc:flag:contact = 0
    uniform token mjc:option:cone = "elliptic"
    %(angle)s
}
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (.1, .1, .1)
        quatf physics:principalAxes = (1, 0, 0, 0)
        def Sphere "tip" (prepend apiSchemas = ["MjcSiteAPI"])
        {
            double radius = 0.01
            double3 xformOp:translate = (0, 0, .5)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
        def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["MjcJointAPI"])
        {
            rel physics:body1 = </robot/a>
            uniform token physics:axis = "Y"
            uniform double mjc:springref = 30
            uniform double mjc:stiffness = 5
            uniform double[] mjc:solreflimit = [.03, .9]
        }
    }
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2
        float3 physics:diagonalInertia = (.1, .1, .1)
        quatf physics:principalAxes = (1, 0, 0, 0)
        double3 xformOp:translate = (1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Sphere "eye" (prepend apiSchemas = ["MjcSiteAPI"])
        {
        }
        def PhysicsRevoluteJoint "k" (
            prepend apiSchemas = ["MjcJointAPI", "NewtonMimicAPI", "MjcEqualityJointAPI"])
        {
            rel physics:body1 = </robot/b>
            point3f physics:localPos0 = (1, 0, 0)
            uniform token physics:axis = "Y"
            rel newton:mimicJoint = </robot/a/j>
            float newton:mimicCoef0 = 90
            float newton:mimicCoef1 = -2
            uniform double mjc:coef2 = .5
            rel mjc:target = </robot/a/j>
            uniform double[] mjc:solref = [.04, 1]
        }
    }
    def PhysicsFixedJoint "weld" (prepend apiSchemas = ["MjcEqualityWeldAPI"])
    {
        rel physics:body0 = </robot/a>
        rel physics:body1 = </robot/b>
        uniform bool physics:excludeFromArticulation = 1
        point3f physics:localPos0 = (1, 0, 0)
        point3f physics:localPos1 = (0, 0, 0)
        uniform float mjc:torqueScale = 3
    }
    def MjcTendon "rope"
    {
        rel mjc:path = [</robot/a/tip>, </robot/b/eye>]
        uniform int[] mjc:path:indices = [0, 1, 1, 0]
        uniform int[] mjc:path:segments = [0, 0, 1, 1]
        uniform double[] mjc:path:divisors = [1, 2]
    }
    def MjcActuator "motor"
    {
        rel mjc:target = </robot/a/j>
        uniform double[] mjc:gear = [3, 0, 0, 0, 0, 0]
    }
    def MjcActuator "pull"
    {
        rel mjc:target = </robot/rope>
    }
    def MjcActuator "push"
    {
        rel mjc:target = </robot/a/tip>
        rel mjc:refSite = </robot/b/eye>
    }
}
"""


def _model(angle=""):
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(STAGE % {"angle": angle})
    return compile_scene(parse_stage(stage).scene).mj


@pytest.fixture(scope="module")
def model():
    return _model()


def test_options_and_flags_act(model):
    assert model.opt.integrator == int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    assert model.opt.cone == int(mujoco.mjtCone.mjCONE_ELLIPTIC)
    assert model.opt.disableflags == int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


@pytest.mark.parametrize(
    ("angle", "expected"),
    [
        ("", math.radians(30)),
        ('uniform token mjc:compiler:angle = "degree"', math.radians(30)),
        ('uniform token mjc:compiler:angle = "radian"', 30.0),
    ],
)
def test_angles_are_degrees_unless_said_otherwise(angle, expected):
    assert _model(angle).qpos_spring[0] == pytest.approx(expected)


def test_joint_values_act(model):
    assert model.jnt_stiffness[0] == 5
    np.testing.assert_array_equal(model.jnt_solref[0], [0.03, 0.9])


def test_equalities_on_joint_prims(model):
    kinds = sorted(mujoco.mjtEq(int(kind)).name for kind in model.eq_type)
    assert kinds == ["mjEQ_JOINT", "mjEQ_WELD"]
    joint = int(np.flatnonzero(model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT))[0])
    np.testing.assert_allclose(model.eq_data[joint][:5], [math.pi / 2, -2, 0.5, 0, 0], atol=1e-6)
    np.testing.assert_array_equal(model.eq_solref[joint], [0.04, 1])
    weld = int(np.flatnonzero(model.eq_type == int(mujoco.mjtEq.mjEQ_WELD))[0])
    np.testing.assert_allclose(model.eq_data[weld][3:6], [1, 0, 0])
    assert model.eq_data[weld][10] == 3


def test_tendon_segments_are_pulleys(model):
    kinds = [mujoco.mjtWrap(int(kind)).name for kind in model.wrap_type]
    assert kinds == ["mjWRAP_SITE"] * 2 + ["mjWRAP_PULLEY"] + ["mjWRAP_SITE"] * 2
    assert model.wrap_prm[2] == 2


def test_transmissions_follow_from_targets(model):
    kinds = [mujoco.mjtTrn(int(kind)).name for kind in model.actuator_trntype]
    assert kinds == ["mjTRN_JOINT", "mjTRN_TENDON", "mjTRN_SITE"]
    assert model.actuator_gear[0, 0] == 3
    assert model.actuator_trnid[2, 1] == model.site("/robot/b/eye").id


@pytest.mark.parametrize(("kind", "unit"), [("Revolute", math.radians(1.0)), ("Prismatic", 1.0)])
def test_limits_beside_a_reference_are_the_range(kind, unit):
    """As MuJoCo's own tools write and read them: counted like the reference."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    prim = UsdGeom.Cube.Define(stage, "/arm").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    UsdPhysics.CollisionAPI.Apply(prim)
    joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, "/arm/joint")
    joint.CreateBody1Rel().SetTargets(["/arm"])
    joint.CreateLowerLimitAttr(-90.0)
    joint.CreateUpperLimitAttr(90.0)
    joint.GetPrim().AddAppliedSchema("MjcJointAPI")
    joint.GetPrim().CreateAttribute("mjc:ref", Sdf.ValueTypeNames.Double).Set(30.0)
    model = compile_scene(parse_stage(stage).scene).mj
    np.testing.assert_allclose(model.qpos0, [30.0 * unit])
    np.testing.assert_allclose(model.jnt_range, [[-90.0 * unit, 90.0 * unit]], rtol=1e-6)
