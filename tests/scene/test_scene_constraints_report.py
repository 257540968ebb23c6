"""Reports on constraints against statics and the engine's own rows."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from pxr import Sdf, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import UsdsimError
from usdsim.scene import ConstraintsReport, SceneData, load_mjcf_str

G = 9.81
SCENE = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="box" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
    <body name="low" pos="1 0 1">
      <joint name="low" type="slide" axis="0 0 1" range="-.1 .1"/><geom size=".1" mass="1"/>
    </body>
    <body name="high" pos="2 0 1">
      <joint name="high" type="slide" axis="0 0 -1" range="-.1 .1"/><geom size=".1" mass="3"/>
    </body>
    <body name="rough" pos="3 0 1">
      <joint name="rough" type="slide" axis="0 0 1" frictionloss="50"/><geom size=".1" mass="2"/>
    </body>
    <body name="hung" pos="4 0 1"><freejoint/><geom name="hung" size=".1" mass="1.5"/></body>
    <body name="tied" pos="5 0 1">
      <joint name="tied" type="slide" axis="0 0 1"/><geom size=".1" mass=".5"/>
    </body>
    <body name="ball" pos="6 0 2">
      <joint name="socket" type="ball" range="0 20"/>
      <geom size=".1" pos=".5 0 0" mass="1"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="rope" range="-.05 .05"><joint joint="tied" coef="1"/></fixed>
    <fixed name="brake" frictionloss="0.25"><joint joint="low" coef="1"/></fixed>
  </tendon>
  <equality><weld name="hook" body1="hung" anchor="4 0 1"/></equality>
</mujoco>
"""


@pytest.fixture
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


def _settled(model: usdsim.SceneModel, batch=()) -> SceneData:
    data = SceneData(model, batch=batch)
    model.step_n(data, 1500)
    return data


def test_forces_balance_weights(model):
    report = model.get_constraints_report(_settled(model))
    assert isinstance(report, ConstraintsReport)
    joints = dict(zip(model.joint_names, report.joint_limit_forces, strict=True))
    assert joints["low"] == pytest.approx(G, abs=0.3)
    assert joints["high"] == pytest.approx(-3 * G, rel=1e-3)
    assert joints["rough"] == 0 and joints["tied"] == 0
    assert joints["socket"] == pytest.approx(0.5 * G * np.cos(np.radians(20)), rel=2e-2)
    rough = model.get_joint("rough").dof_vel_index
    assert report.joint_friction_forces[rough] == pytest.approx(2 * G, rel=1e-3)
    assert np.count_nonzero(report.joint_friction_forces) == 1
    np.testing.assert_allclose(report.tendon_limit_forces, [0.5 * G, 0], rtol=1e-3)
    brake = report.tendon_friction_forces
    assert brake[0] == 0 and abs(brake[1]) <= 0.25
    assert joints["low"] + brake[1] == pytest.approx(G, rel=1e-3)
    assert report.equality_paths == model.compiled.names.paths("equality")
    np.testing.assert_allclose(np.abs(report.equality_forces[0, :3]), [0, 0, 1.5 * G], atol=1e-3)
    hung = model.get_body("hung").get_dof_vel_indices()
    np.testing.assert_allclose(report.dof_forces[hung[:3]], [0, 0, 1.5 * G], atol=1e-3)


def test_numbers_are_the_engines(model):
    data = _settled(model, batch=(2,))
    model.floating_bases[0].set_translation(data[1], [0, 0, 5])
    report = model.get_constraints_report(data)
    for world in range(2):
        raw = data.low.world_data(world)
        mujoco.mj_forward(model.low, raw)
        assert report.num_equality[world] == raw.ne == 6
        assert report.num_friction[world] == raw.nf == 2
        assert report.num_limit[world] == raw.nl == 4
        assert report.num_constraints[world] == raw.nefc
        assert report.num_contact[world] == 4 * raw.ncon
        assert report.iterations[world] == raw.solver_niter.max()
        np.testing.assert_allclose(report.dof_forces[world], raw.qfrc_constraint, rtol=1e-6)
    assert report.num_contact[0] == report.num_contact[1] + 16


def test_effort_grows_with_disturbance_and_the_residual_meets_the_tolerance(model):
    data = _settled(model)
    assert model.get_constraints_report(data).residual < 1e-6
    model.floating_bases[0].set_local_angular_velocity(data, [9, -7, 5])
    pushed = model.get_constraints_report(data)
    assert pushed.iterations > 0 and pushed.residual < 1e-6
    model.options.max_iterations = 1
    cut = model.get_constraints_report(data)
    assert cut.iterations == 1 and cut.residual > pushed.residual


def test_rows_of_views(model):
    data = _settled(model, batch=(3,))
    model.floating_bases[0].set_translation(data[1], [0, 0, 5])
    whole = model.get_constraints_report(data)
    part = model.get_constraints_report(data[[2, 1]])
    one = model.get_constraints_report(data[1])
    for name in vars(whole):
        if name != "equality_paths":
            values = getattr(whole, name)
            np.testing.assert_array_equal(getattr(part, name), values[[2, 1]])
            np.testing.assert_array_equal(getattr(one, name), values[1])
            assert not values.flags.writeable


def test_reports_may_be_part_of_the_step(model):
    data, other = _settled(model, batch=(2,)), _settled(model, batch=(2,))
    assert not model.reports_constraints
    model.enable_constraints_report()
    assert model.reports_constraints
    model.step(data)
    report = model.get_constraints_report(data)
    assert model.get_constraints_report(data) is report
    model.enable_constraints_report(False)
    model.step(other)
    late = model.get_constraints_report(other)
    np.testing.assert_array_equal(late.dof_forces, report.dof_forces)
    model.step(data)
    assert model.get_constraints_report(data) is not report


def test_models_without_constraints():
    model = load_mjcf_str(
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    )
    report = model.get_constraints_report(SceneData(model, batch=(2,)))
    assert report.num_constraints.tolist() == [0, 0] and report.residual.tolist() == [0, 0]
    assert report.equality_forces.shape == (2, 0, 6) and report.equality_paths == ()
    with pytest.raises(UsdsimError, match="belongs to"):
        model.get_constraints_report(SceneData(load_mjcf_str(SCENE)))


def test_equalities_of_every_kind():
    model = load_mjcf_str(
        """
        <mujoco>
          <worldbody>
            <body name="a" pos="0 0 1"><freejoint/><geom size=".1" mass="2"/></body>
            <body name="b" pos="1 0 1"><joint name="b" type="slide" axis="0 0 1"/>
              <geom size=".1" mass="1"/></body>
            <body name="c" pos="2 0 1"><joint name="c" type="slide" axis="0 0 1" stiffness="1e4"/>
              <geom size=".1" mass="1"/></body>
            <flexcomp name="rope" type="grid" count="5 1 1" spacing=".2 .1 .1" dim="1" mass=".1"
              pos="0 3 1" radius=".01"><edge equality="true"/><pin id="0 4"/></flexcomp>
          </worldbody>
          <equality>
            <connect name="hook" body1="a" anchor="0 0 0"/>
            <joint name="pair" joint1="b" joint2="c"/>
          </equality>
        </mujoco>
        """
    )
    data = SceneData(model)
    model.step_n(data, 1500)
    report, raw = model.get_constraints_report(data), data.low.world_data(0)
    mujoco.mj_forward(model.low, raw)
    forces = dict(zip(report.equality_paths, report.equality_forces, strict=True))
    hook = next(value for path, value in forces.items() if path.endswith("hook"))
    pair = next(value for path, value in forces.items() if path.endswith("pair"))
    np.testing.assert_allclose(hook, [0, 0, 2 * G, 0, 0, 0], atol=1e-2)
    assert abs(pair[0]) == pytest.approx(G, rel=2e-2) and not pair[1:].any()
    soft = int(np.flatnonzero(model.low.eq_type == mujoco.mjtEq.mjEQ_FLEX)[0])
    rows = raw.efc_force[: raw.ne][raw.efc_id[: raw.ne] == soft]
    assert len(rows) == 4 and np.linalg.norm(rows) > 0.1
    assert report.equality_forces[soft, 0] == pytest.approx(np.linalg.norm(rows), rel=1e-5)


def test_limits_of_cones_are_nobodys_tendons(tmp_path):
    """A ball leans on its cone, beside a weight that hangs on a string."""
    source = tmp_path / "m.xml"
    source.write_text("""<mujoco><worldbody><site name="a" pos="0 0 2"/>
      <body name="w" pos="0 0 1"><joint type="slide" axis="0 0 1"/><geom size=".1" mass="2"/>
      <site name="b"/></body></worldbody><tendon><spatial name="string" range="0 1" limited="true">
      <site site="a"/><site site="b"/></spatial></tendon></mujoco>""")
    stage = usdsim.convert(source)
    ball = UsdGeom.Sphere.Define(stage, "/A/ball").GetPrim()
    for api in ("PhysicsRigidBodyAPI", "PhysicsMassAPI"):
        ball.AddAppliedSchema(api)
    ball.CreateAttribute("physics:mass", Sdf.ValueTypeNames.Float).Set(1.0)
    ball.CreateAttribute("physics:diagonalInertia", Sdf.ValueTypeNames.Float3).Set((1, 1, 1))
    joint = UsdPhysics.SphericalJoint.Define(stage, "/A/cone")
    joint.CreateBody1Rel().SetTargets([ball.GetPath()])
    joint.CreateLocalPos1Attr((1.0, 0.0, 0.0))
    joint.CreateLocalPos0Attr((1.0, 0.0, 0.0))
    joint.CreateConeAngle0LimitAttr(20.0)
    joint.CreateConeAngle1LimitAttr(20.0)
    model = usdsim.load_model(stage)
    assert [one.name for one in model.tendons] == ["string"]
    data = SceneData(model)
    for _ in range(1000):
        model.step(data)
        data.dof_vel = 0.99 * data.dof_vel
    report = model.get_constraints_report(data)
    assert report.tendon_limit_forces == pytest.approx([-2.0 * G], rel=1e-3)
    assert report.tendon_friction_forces.shape == (1,)
    assert report.num_limit == 2
