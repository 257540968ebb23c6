"""The page of programs for MotrixSim: each row of its tables is tried, and no row is left out."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import usdsim as mx
from usdsim.core.errors import (
    InvalidValueError,
    OutOfRangeError,
    SimulationError,
    UnknownNameError,
    UnsupportedError,
    UsdsimError,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "motrixsim.md"
ROBOT = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="base" pos="0 0 .1">
      <freejoint/><geom name="trunk" type="box" size=".1 .1 .1"/><site name="imu"/>
      <geom name="paint" size=".2" contype="0" conaffinity="0" mass="0"/>
      <body name="arm" pos=".3 0 0"><joint name="elbow" axis="0 1 0"/><geom size=".05"/></body>
    </body>
  </worldbody>
  <actuator><position name="hold" joint="elbow" kp="5"/></actuator>
  <sensor><gyro name="gyro" site="imu"/></sensor>
</mujoco>
"""
URDF = """
<robot name="r">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
</robot>
"""
STIFF = """<mujoco><option timestep="0.01"/><worldbody><body><joint name="j"/>
<geom size=".05" mass=".01"/></body></worldbody><actuator><position joint="j" kp="1" kv="{kv}"/>
</actuator></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return mx.load_mjcf_str(ROBOT)


@pytest.fixture
def data(model):
    return mx.SceneData(model, batch=(4,))


def same_file(model, data, tmp_path):
    (tmp_path / "robot.xml").write_text(ROBOT)
    assert mx.load_model(str(tmp_path / "robot.xml")).link_names == model.link_names


def same_data(model, data, tmp_path):
    assert mx.SceneData(model, batch=(3,)).shape == mx.SceneData(model, batch=3).shape == (3,)


def same_step(model, data, tmp_path):
    mx.step(model, data)
    model.step(data)
    model.step_n(data, 2)
    np.testing.assert_allclose(data.time, 4 * model.options.timestep)


def kinematics_are_current(model, data, tmp_path):
    pos = data.dof_pos
    pos[:, 2] = 3.0
    data.set_dof_pos(pos, model)
    height = model.get_link("base").get_position(data)[:, 2]
    np.testing.assert_allclose(height, 3.0)
    mx.forward_kinematic(model, data)
    np.testing.assert_array_equal(model.get_link("base").get_position(data)[:, 2], height)


def same_views(model, data, tmp_path):
    for key in (np.array([True, False, True, False]), mx.DisjointIndices([2, 0]), [3, -1][:1]):
        data[key].reset(model)
    assert data[-1].shape == () and data[1:3].shape == (2,)
    with pytest.raises(IndexError) as caught:
        data[9]
    assert isinstance(caught.value, OutOfRangeError)


def same_reset(model, data, tmp_path):
    mx.step(model, data)
    data.reset()
    data.reset(model)
    assert not data.time.any()


def same_poses(model, data, tmp_path):
    assert model.get_link_poses(data).shape == (4, 2, 7)


def same_sensors(model, data, tmp_path):
    assert model.get_sensor_value("gyro", data).shape == (4, 3)


def same_overrides(model, data, tmp_path):
    link = model.get_link("arm")
    link.set_mass_override(data, [1, 2, 3, 4])
    np.testing.assert_allclose(link.get_mass_override(data), [1, 2, 3, 4])


def same_queries(model, data, tmp_path):
    plan = model.compile_query({"links": mx.query.LinkPosition(["arm"]), "arm": "arm.position"})
    program = plan.allocate(data).execute(data)
    np.testing.assert_array_equal(program["links"][:, 0], program["arm"])


def same_writes(model, data, tmp_path):
    plan = model.compile_write({"elbow": mx.write.BodyJointPosition(["elbow"])}, reset=True)
    program = plan.allocate(data)
    program["elbow"][:] = 0.3
    program.execute(data, env_ids=[1])
    np.testing.assert_allclose(data.dof_pos[:, 7], [0, 0.3, 0, 0])


def same_solvers(model, data, tmp_path):
    assert mx.ik.IkChain and mx.ik.DlsSolver and mx.osc.OscSolver
    assert mx.scene.InverseKinematics(model, model.get_link("arm"))


def same_composition(model, data, tmp_path):
    world = mx.msd.from_str("<mujoco><worldbody/></mujoco>")
    world.attach(mx.msd.from_str(ROBOT), other_prefix="a_")
    world.attach(mx.msd.from_str(ROBOT), other_prefix="b_", other_translation=[1, 0, 0])
    assert world.build().link_names == ["a_base", "a_arm", "b_base", "b_arm"]


def same_loop(model, data, tmp_path):
    drawn = []

    def draw():
        drawn.append(float(data.time[0]))
        if len(drawn) == 3:
            raise StopIteration

    mx.run.render_loop(model.options.timestep, 1000.0, lambda: mx.step(model, data), draw)
    assert drawn[-1] > 0.0


def _looked_at(server):
    """Clients of a page: one for what waits for somebody to look, and none that has to be told."""
    return {0: None} if sys._getframe(1).f_code.co_name == "run_watched" else {}


def same_launch(model, data, tmp_path):
    viser = pytest.importorskip("viser")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    called = []
    options = {"play": True, "seconds": 1.0, "port": port}
    mx.viewer.launch(model, data, lambda m, d: called.append((m, d)), **options | {"seconds": 0.1})
    assert not called
    with mock.patch.object(viser.ViserServer, "get_clients", _looked_at):
        mx.viewer.launch(model, data, lambda m, d: called.append((m, d)), **options)
    assert called[0] == (model, data)
    np.testing.assert_allclose(data.time, len(called) * model.options.timestep, rtol=1e-6)


def same_rays(model, data, tmp_path):
    hits = model.cast_rays(data, [2, 2, 1], [0, 0, -1])
    np.testing.assert_allclose(hits.distance, 1.0, atol=1e-6)


def state_after_a_step(model, data, tmp_path):
    mx.step_n(model, data, 5)
    link = model.get_link("base")
    before = link.get_pose(data)
    mx.forward_kinematic(model, data)
    np.testing.assert_array_equal(link.get_pose(data), before)
    np.testing.assert_allclose(before[:, :3], data.dof_pos[:, :3])


def signs_of_quaternions(model, data, tmp_path):
    some = mx.SceneData(model)
    for quat in ([1, 0, 0, 0], [-1, 0, 0, 0], [-0.6, 0, 0.8, 0], [0, 0, 0, -1]):
        model.floating_bases[0].set_rotation(some, quat)
        np.testing.assert_allclose(model.get_link("base").get_rotation(some), quat, atol=1e-6)


def unknown_names(model, data, tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'trunk'"):
        model.get_geom_index("trunc")
    mx.set_unknown_names("none")
    try:
        assert model.get_geom_index("trunc") is None
    finally:
        mx.set_unknown_names("raise")


def _box_on_the_floor(data, number, reduce="none"):
    return mx.load_mjcf_str(f"""<mujoco><worldbody><geom name="floor" type="plane" size="2 2 .1"/>
      <body pos="0 0 .099"><freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="1"/></body>
      </worldbody><sensor><contact name="c" geom1="box" geom2="floor" data="{data}" num="{number}"
      reduce="{reduce}"/></sensor></mujoco>""")


def contacts_of_subtrees(model, data, tmp_path):
    links = [f'<body name="l{i}" pos="{i and 0.3} 0 0"><geom size=".1"/>' for i in range(4)]
    ground = '<body name="g"><body><body><geom type="plane" size="5 5 .1"/></body></body></body>'
    chain = links[0].replace("<geom", "<freejoint/><geom") + "".join(links[1:]) + 4 * "</body>"
    names = "".join(
        f'<contact name="c{i}" subtree1="l{i}" subtree2="g" data="found"/>' for i in range(4)
    )
    carried = mx.load_mjcf_str(
        f"<mujoco><worldbody>{ground}<frame pos='0 0 .09'>{chain}</frame></worldbody>"
        f"<sensor>{names}</sensor></mujoco>"
    )
    some = mx.SceneData(carried)
    assert [carried.get_sensor_value(f"c{i}", some)[0] for i in range(4)] == [4, 3, 2, 1]


def counts_of_contacts(model, data, tmp_path):
    for places, words, size in (
        ("each", "found force pos", 6 * 7),
        ("once", "found force pos", 6 * 6 + 1),
        ("once", "found", 1),
        ("once", "force", 18),
    ):
        mx.set_contact_counts(places)
        try:
            model = _box_on_the_floor(words, 6)
            data = mx.SceneData(model, (2,))
        finally:
            mx.set_contact_counts("each")
        mx.step_n(model, data, 200)
        sensor = model.get_sensor("c")
        values = model.get_sensor_value("c", data)
        assert values.shape == (2, size) == (2, sensor.size)
        np.testing.assert_array_equal(model.compile_query(["c.value"]).read(data), values)
        fields = sensor.get_fields(data)
        if "found" in words:
            assert values[:, 0].tolist() == [4, 4]
            assert fields["found"].shape == (2, 6, 1) and (fields["found"][:, :4] == 4).all()
        if "force" in words:
            np.testing.assert_allclose(fields["force"][:, :, 0].sum(axis=1), 9.81, rtol=1e-3)
        if (places, words) == ("once", "found force pos"):
            apart = values[:, 1:].reshape(2, 6, 6)
            np.testing.assert_array_equal(apart[..., :3], fields["force"])
            np.testing.assert_array_equal(apart[..., 3:], fields["pos"])


def summed_contact_forces(model, data, tmp_path):
    model = _box_on_the_floor("force", 1, "netforce")
    data = mx.SceneData(model)
    mx.step_n(model, data, 200)
    force = model.get_sensor_value("c", data)
    np.testing.assert_allclose(np.abs(force), [0, 0, 9.81], rtol=1e-3, atol=1e-3)


def unknown_indices(model, data, tmp_path):
    with pytest.raises(IndexError):
        model.get_link(99)


def unseen_shapes(model, data, tmp_path):
    assert model.geom_names == ["floor", "trunk", "paint", None]
    paint = model.get_geom("paint")
    assert paint.visual_only and paint.engine_id == -1
    before = paint.get_friction_override(data)
    paint.set_friction_override(data, [0.1, 0.1, 0.1])
    assert np.array_equal(paint.get_friction_override(data), before)
    exact = mx.load_mjcf_str(ROBOT, exact=True)
    assert exact.get_geom("paint").engine_id == 2


def refused_values(model, data, tmp_path):
    link = model.get_link("arm")
    with pytest.raises(InvalidValueError, match=r"link 'arm'.* in world 1"):
        link.set_mass_override(data, [1, -1, 1, 1])
    before = link.get_mass_override(data)
    link.set_mass_override(data, [1, -1, 1, 1], invalid="ignore")
    np.testing.assert_allclose(link.get_mass_override(data), [1, before[1], 1, 1])


def diverging_worlds(model, data, tmp_path):
    for policy in ("raise", "reset", "report"):
        some = mx.SceneData(model, batch=3, on_failure=policy)
        vel = some.dof_vel
        vel[1] = 1e15
        some.set_dof_vel(vel)
        try:
            mx.step_n(model, some, 20)
        except SimulationError as error:
            assert policy == "raise" and list(error.worlds) == [1]
        assert some.failures[0].world == 1
        assert np.isfinite(some.dof_pos[[0, 2]]).all()


def stiff_damping(model, data, tmp_path):
    stiff = mx.load_mjcf_str(STIFF.format(kv=5))
    failed = mx.SceneData(stiff, batch=1, on_failure="report")
    failed.dof_vel = [[1.0]]
    mx.step_n(stiff, failed, 200)
    assert failed.failures
    text = STIFF.format(kv=5).replace("<option ", '<option integrator="implicitfast" ')
    implicit = mx.load_mjcf_str(text)
    calm = mx.SceneData(implicit, batch=1)
    calm.dof_vel = [[1.0]]
    mx.step_n(implicit, calm, 200)
    assert abs(float(calm.dof_vel[0, 0])) < 0.01
    integrators_of_loaded_models(tmp_path)


def integrators_of_loaded_models(tmp_path):
    (tmp_path / "stiff.xml").write_text(STIFF.format(kv=5))
    mx.set_integrators("implicitfast")
    try:
        found = [mx.load_mjcf_str(STIFF.format(kv=5)), mx.load_model(tmp_path / "stiff.xml")]
        found.append(mx.msd.from_file(tmp_path / "stiff.xml").build())
        kept = mx.load_mjcf_str(
            STIFF.format(kv=5).replace("<opt", '<option integrator="implicit"/><opt')
        )
    finally:
        mx.set_integrators("file")
    # Damping d at the end of a step of length h slows a hinge of inertia I by I / (I + h d).
    inertia = 0.4 * 0.01 * 0.05**2
    for model in found:
        one = mx.SceneData(model)
        one.dof_vel = [1.0]
        mx.step(model, one)
        assert one.dof_vel[0] == pytest.approx(inertia / (inertia + 0.01 * 5), rel=1e-4)
    assert kept.options.integrator == "implicit"
    assert mx.load_model(tmp_path / "stiff.xml").options.integrator == "euler"
    with pytest.raises(InvalidValueError, match="implicitfast"):
        mx.set_integrators("euler")


def few_iterations(model, data, tmp_path):
    hinge = STIFF.format(kv=5).replace("<option ", '<option iterations="2" ')
    mx.set_solver_iterations("enough")
    try:
        enough = mx.load_mjcf_str(hinge).options
    finally:
        mx.set_solver_iterations("told")
    told = mx.load_mjcf_str(hinge).options
    assert enough.max_iterations == told.max_iterations == 2
    told.max_iterations = enough.max_iterations = 3
    assert enough.max_iterations == told.max_iterations == 3
    assert (enough.engine_options.iterations, told.engine_options.iterations) == (100, 3)


def bounded_servos(model, data, tmp_path):
    text = """<mujoco><option timestep="0.01" gravity="0 0 0" integrator="implicitfast"/><worldbody>
      <body><joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/></body>
      </worldbody><actuator><position joint="j" kp="5" kv="1" {range}/></actuator></mujoco>"""
    # kp (0.3 - 0.1) - kv 0.5 = 0.5 at the start of the step, 0.25 at its end if nothing bounds it.
    for bound, end in (("", 0.75), ('forcerange="-.4 .4"', 0.9)):
        servo = mx.load_mjcf_str(text.format(range=bound))
        one = mx.SceneData(servo)
        one.dof_pos, one.dof_vel, one.actuator_ctrls = [0.1], [0.5], [0.3]
        mx.step(servo, one)
        assert one.dof_vel[0] == pytest.approx(end, rel=1e-5)


def damping_ratios(model, data, tmp_path):
    # A hinge of inertia I with stiffness k is critically damped by 2 sqrt(k I).
    ratio = mx.load_mjcf_str(
        """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><inertial pos="0 0 0" mass="1"
        diaginertia=".5 .5 .5"/></body></worldbody><actuator>
        <position name="p" joint="j" kp="8" dampratio="1"/></actuator></mujoco>"""
    )
    servo, some = ratio.get_actuator("p"), mx.SceneData(ratio)
    assert servo.damping_type is mx.DampingType.Kv
    assert float(servo.get_damping_override(some)) == pytest.approx(2 * np.sqrt(8 * 0.5))
    servo.set_damping_override(some, 0.5)
    assert float(servo.get_damping_override(some)) == 0.5


def contact_reports(model, data, tmp_path):
    mx.step_n(model, data, 100)
    forces = model.get_link_net_contact_forces(data)
    model.reports.contact_forces = False
    np.testing.assert_array_equal(model.get_link_net_contact_forces(data), forces)
    assert forces[:, 0, 2].min() > 1.0
    model.reports.contact_forces = True


def equal_sources(model, data, tmp_path):
    twice = {name: mx.query.DofPosition() for name in ("a", "b")}
    assert model.compile_query(twice).total_width == 2 * model.num_dof_pos


def lidars(model, data, tmp_path):
    text = ROBOT.replace("<worldbody>", '<asset><lidar name="p" hscan="4"/></asset><worldbody>')
    text = text.replace("</sensor>", '<lidar name="l" site="imu" asset="p" hz="10"/></sensor>')
    scanning = mx.load_mjcf_str(text)
    assert any("hz" in str(finding) for finding in scanning.conversion.warnings)
    some = mx.SceneData(scanning)
    first = scanning.get_sensor_value("l", some)
    pos = some.dof_pos
    # Turned by half a turn about x, the site looks down, at the floor.
    pos[:7] = [1, 0, 2, 1, 0, 0, 0]
    some.set_dof_pos(pos)
    points = scanning.get_sensor_value("l", some).reshape(4, 3)
    assert not first.any()
    np.testing.assert_allclose(points, [[1, 0, 0]] * 4, atol=1e-5)


def ordinary_errors(model, data, tmp_path):
    for wrong in (lambda: mx.step(data, model), lambda: model.get_sensor_value("gyro", None)):
        with pytest.raises((UsdsimError, AttributeError, TypeError)):
            wrong()
    with pytest.raises(UsdsimError):
        data.set_dof_pos(np.zeros(3))


def laws_of_actuators(model, data, tmp_path):
    hinge = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
      <actuator><general joint="j" biastype="affine" gainprm="5" biasprm="{bias}"/></actuator>
      </mujoco>"""
    kinds = {bias: mx.load_mjcf_str(hinge.format(bias=bias)) for bias in ("0 -5 -1", "1 -5 -1")}
    assert [each.actuators[0].typ for each in kinds.values()] == ["position", "general"]


def capsules(model, data, tmp_path):
    r, length = 0.1, 0.6
    one = mx.load_mjcf_str(
        f"""<mujoco><worldbody><body><freejoint/>
        <geom type="capsule" size="{r} {length / 2}" density="1"/></body></worldbody></mujoco>"""
    )
    tube, ball = np.pi * r**2 * length, np.pi * r**3 * 4 / 3
    # Halves of the ball: about their own ends, moved outwards by half the length.
    across = tube * (r**2 / 4 + length**2 / 12)
    across += ball * (2 / 5 * r**2 + length**2 / 4 + 3 / 8 * length * r)
    along = tube * r**2 / 2 + ball * r**2 * 2 / 5
    inertia = one.links[0].get_inertia_override(mx.SceneData(one))
    np.testing.assert_allclose(inertia[:3], [across, across, along], rtol=1e-5)


def drives(model, data, tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    robot = mx.load_model(tmp_path / "r.urdf")
    (drive,) = robot.actuators
    assert isinstance(drive, mx.PidActuator)
    drive.set_targets(mx.SceneData(robot), position=0.5)
    mx.set_urdf_actuators("motors")
    try:
        for robot in (
            mx.load_model(tmp_path / "r.urdf"),
            mx.msd.from_file(tmp_path / "r.urdf").build(),
        ):
            (motor,) = robot.actuators
            assert isinstance(motor, mx.MotorActuator) and motor.name == "turn_motor"
    finally:
        mx.set_urdf_actuators("drives")
    with pytest.raises(InvalidValueError, match="motors"):
        mx.set_urdf_actuators("servos")


def urdf_base(model, data, tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    assert not mx.load_model(tmp_path / "r.urdf").floating_bases
    mx.convert(tmp_path / "r.urdf", tmp_path / "free.usda", fix_base=False)
    assert len(mx.load_model(tmp_path / "free.usda").floating_bases) == 1
    held = URDF.replace("<link", '<link name="world"/><joint name="h" type="fixed"><parent '
                        'link="world"/><child link="base"/></joint><link', 1)  # fmt: skip
    (tmp_path / "held.urdf").write_text(held)
    mx.set_urdf_bases("free")
    try:
        for name, count in (("r", 1), ("held", 0)):
            file = str(tmp_path / f"{name}.urdf")
            assert len(mx.load_model(file).floating_bases) == count
            assert len(mx.msd.from_file(file).build().floating_bases) == count
    finally:
        mx.set_urdf_bases("fixed")


def units(model, data, tmp_path):
    (tmp_path / "cm.usda").write_text(
        '#usda 1.0\n(\n defaultPrim = "W"\n metersPerUnit = 0.01\n upAxis = "Y"\n)\n'
        'def Xform "W" {\n def PhysicsScene "S" {}\n def Sphere "B" (prepend apiSchemas = '
        '["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { double radius = 10\n'
        "double3 xformOp:translate = (0, 200, 0)\n"
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n }\n}\n'
    )
    stage = mx.load_model(tmp_path / "cm.usda")
    place = stage.links[0].get_position(mx.SceneData(stage))
    np.testing.assert_allclose(np.linalg.norm(place), 2.0, atol=1e-6)
    assert stage.geoms[0].radius == pytest.approx(0.1)


def foreign_attributes(model, data, tmp_path):
    foreign = mx.load_mjcf_str(ROBOT.replace('name="trunk"', 'name="trunk" _hard="true"'))
    assert any("_hard" in str(finding) for finding in foreign.conversion.warnings)


def same_hierarchy(model, data, tmp_path):
    world = mx.msd.from_str(ROBOT)
    (body,) = world.hierarchy.bodies
    body.link.local_translation = body.link.local_translation + np.array([0, 0, 1])
    some = mx.SceneData(world.build())
    np.testing.assert_allclose(some.dof_pos[:3], [0, 0, 1.1], atol=1e-6)


def spec_of_a_world(model, data, tmp_path):
    world = mx.msd.World()
    world.spec.worldbody.add_geom(name="box", type=6, size=[1, 1, 1])
    assert world.build().geom_names == ["box"]


def same_parts(model, data, tmp_path):
    world, body, geom = mx.msd.World(), mx.msd.Body(), mx.msd.Geometry()
    geom.name, geom.size, body.free = "ball", [0.1, 0, 0], mx.msd.FreeJoint()
    body.link.geoms.append(geom)
    world.hierarchy.bodies.append(body)
    geom.physics_material.density = 2000.0
    built = world.build()
    assert built.geom_names == ["ball"] and world.spec.geoms[0].density == 2000.0
    np.testing.assert_allclose(built.links[0].mass, 2000 * 4 / 3 * np.pi * 1e-3)


def kept_settings(model, data, tmp_path):
    world = mx.msd.World()
    world.visual.tonemapping.method = mx.msd.ToneMappingMethod.Aces
    assert world.visual.tonemapping.method is mx.msd.ToneMappingMethod.Aces


def laws_of_constraints(model, data, tmp_path):
    laws, geom = mx.msd.ConstraintForceModel, mx.msd.Geometry()
    geom.physics_material.contact_model = laws.impedance(mx.msd.ImpedanceSpring())
    with pytest.raises(UnsupportedError, match="not a law of MuJoCo's constraints"):
        geom.physics_material.contact_model = laws.hard(0.0, 0.2)


def attached_states(model, data, tmp_path):
    text = '<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody>'
    robot = mx.msd.from_str(text + '<keyframe><key name="up" qpos="1"/></keyframe></mujoco>')
    world = mx.msd.World()
    world.attach(robot)
    np.testing.assert_allclose(world.keyframes[0].dof_pos, [1])
    robot.keyframes[0].dof_pos = [2]
    world.keyframes.extend(robot.keyframes)
    np.testing.assert_allclose([key.dof_pos for key in world.build().keyframes], [[2]])


def same_shapes(model, data, tmp_path):
    geom = model.get_geom("trunk")
    geom.set_shape_override(data, np.full(4, mx.Shape.Sphere), np.full((4, 3), 0.1))
    assert (geom.get_shape_override(data) == mx.Shape.Sphere).all()
    assert geom.get_mesh_variant_override(data).tolist() == [-1] * 4
    assert model.mesh_variant_sets == {} and geom.mesh_variant_set is None


def same_low_data(model, data, tmp_path):
    one = mx.SceneData(model)
    one.low.set_dof_positions_unchecked([0, 0, 0.05, 0, 0, 0, 1, 0.2])
    one.low.dof_velocities = np.ones(model.num_dof_vel)
    np.testing.assert_array_equal(one.low.dof_positions, one.dof_pos)
    assert (one.dof_vel == 1.0).all() and one.low.num_envs == 1
    assert {contact.collider_index_a for contact in one.low.get_contacts()} == {0}


def engines_below(model, data, tmp_path):
    assert model.low.nv == model.num_dof_vel
    assert data.low.num_envs == 4
    assert not hasattr(mx.low, "ActuatorDesc")


def same_application(model, data, tmp_path):
    model.cameras.set_system_render_target("image", 40, 30)
    with mx.render.RenderApp(headless=True) as app:
        app.launch(model, batch=4)
        task = app.system_camera.capture()
        app.sync(data)
        assert task.take_image().pixels.shape == (30, 40, 3)


def keys_of_the_page(model, data, tmp_path):
    with mx.render.RenderApp(headless=True) as app:
        app.launch(model, batch=4)
        app.input.tell("w")
        app.sync(data)
        app.sync(data)
        assert app.input.is_key_pressed("w")
        assert not app.input.is_key_just_pressed("w")


def stage_decides_looks(model, data, tmp_path):
    with mx.render.RenderApp(headless=True) as app:
        app.launch(model, batch=4)
        with pytest.raises(UsdsimError, match="visibility"):
            app.opt.set_group_vis(1, False)
        with pytest.raises(UsdsimError, match="stage"):
            app.get_texture_image("grid")


def no_planner(model, data, tmp_path):
    assert not hasattr(mx, "planner")


def same_decomposition(model, data, tmp_path):
    (tmp_path / "t.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (file,) = mx.coacd.decompose(str(tmp_path), dry_run=True).files
    assert file.meshes[0].part_count == 1
    assert not (tmp_path / "t_convex.obj").exists()


def same_names(model, data, tmp_path):
    for name in ("SceneModel", "GeomSDF", "TerrainScanner", "init_thread_pool", "query", "write"):
        assert name in dir(mx) and getattr(mx, name)


def reset_of_overrides(model, data, _):
    hold = model.get_actuator("hold")
    hold.set_kp_override(data, np.full(4, 9.0))
    model.set_gravity_override(data, np.full((4, 3), 1.0))
    data[[1]].reset()
    np.testing.assert_allclose(hold.get_kp_override(data), [9, 5, 9, 9])
    np.testing.assert_allclose(model.get_gravity_override(data)[:, 0], [1, 0, 1, 1])


def silent_keyframes(_, __, ___):
    text = ROBOT.replace("</mujoco>", "<keyframe><key name='k' time='1'/></keyframe></mujoco>")
    model = mx.load_mjcf_str(text)
    data = mx.SceneData(model)
    data.set_dof_vel(np.ones(model.num_dof_vel))
    data.actuator_ctrls = np.ones(1)
    model.get_keyframe("k").apply(data)
    assert not data.dof_vel.any() and not data.actuator_ctrls.any()


def forces_in_the_world(_, __, ___):
    model = mx.load_mjcf_str(
        """<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>
        <body name="b" euler="0 0 90">
        <freejoint/><geom type="box" size=".1 .2 .3" mass="2"/></body></worldbody></mujoco>"""
    )
    pushed = {}
    for local in (True, False):
        data = mx.SceneData(model)
        model.get_link("b").add_external_force(data, np.array([4.0, 0, 0]), local=local)
        model.step(data)
        pushed[local] = data.dof_vel[:3]
    np.testing.assert_allclose(pushed[True], [0, 0.002, 0], atol=1e-9)
    np.testing.assert_allclose(pushed[False], [0.002, 0, 0], atol=1e-9)


ROWS = {
    "`import motrixsim as mx`": same_names,
    "`mx.load_model(path)`": same_file,
    "`mx.SceneData(model, batch=(N,))`": same_data,
    "`mx.step(model, data)`": same_step,
    "`mx.forward_kinematic(model, data)`": kinematics_are_current,
    "`data[mask]`, `data[DisjointIndices(...)]`": same_views,
    "`data.reset(model)`": same_reset,
    "`model.get_link_poses(data)`": same_poses,
    "`model.get_sensor_value(name, data)`": same_sensors,
    "`link.set_mass_override(data, m)`": same_overrides,
    "`geom.set_shape_override`, `model.mesh_variant_sets`": same_shapes,
    "`model.compile_query(...)`": same_queries,
    "`model.compile_write(...)`": same_writes,
    "`motrixsim.ik`, `motrixsim.osc`": same_solvers,
    "`msd.from_file`, `World.attach`, `build`": same_composition,
    "`World.hierarchy`": same_hierarchy,
    "`msd.World` of parts (`assets`, `Geometry` and so on)": same_parts,
    "`viewer.launch(model, data)`": same_launch,
    "`render.RenderApp`": same_application,
    "`run.render_loop`": same_loop,
    "`motrixsim.low` ray casts": same_rays,
    "`data.low`": same_low_data,
    "`coacd.decompose`": same_decomposition,
    "poses and velocities after a step": state_after_a_step,
    "signs of quaternions": signs_of_quaternions,
    "a name that does not exist": unknown_names,
    "contact sensors with `found` and several contacts": counts_of_contacts,
    'contact sensors with `reduce="netforce"`': summed_contact_forces,
    "contact sensors with `subtree1` and `subtree2`": contacts_of_subtrees,
    "an index that does not exist": unknown_indices,
    "shapes that neither collide nor weigh": unseen_shapes,
    "`data.reset()`": reset_of_overrides,
    "keyframes without velocities or controls": silent_keyframes,
    "`add_external_force(..., local=False)`, torques too": forces_in_the_world,
    "a value that is not allowed": refused_values,
    "a world that diverges": diverging_worlds,
    "stiff actuator damping": stiff_damping,
    "few iterations of the constraint solver, `max_iterations` 1 to 3": few_iterations,
    "`forcerange` of damped actuators": bounded_servos,
    "`dampratio` of position actuators": damping_ratios,
    "keys, buttons and widgets of `RenderApp`": keys_of_the_page,
    "reports of contacts": contact_reports,
    "fields of two equal sources": equal_sources,
    "lidars": lidars,
    "settings of worlds for that renderer alone, such as `tonemapping`": kept_settings,
    "laws of constraints of worlds": laws_of_constraints,
    "states by name of a world that is attached": attached_states,
    "slow or wrong input": ordinary_errors,
    "actuators": drives,
    "kinds of actuators": laws_of_actuators,
    "inertia of capsules": capsules,
    "URDF base": urdf_base,
    "units of a stage": units,
    "attributes of other engines in MJCF": foreign_attributes,
    "the rest of `motrixsim.msd`: splats, probes, its file format": spec_of_a_world,
    "descriptions of colliders, tendons and so on in `motrixsim.low`": engines_below,
    "hidden groups and changed textures of `RenderApp`": stage_decides_looks,
    "motion planning": no_planner,
}


def _rows():
    """First cells of the rows of all tables of the page."""
    found = []
    for line in PAGE.read_text().splitlines():
        if line.startswith("|"):
            found.append(re.split(r"(?<!\\)\|", line)[1].strip())
    return [cell for cell in found if cell not in ("", "---", "MotrixSim")]


def test_every_row_of_the_page_is_tried():
    assert _rows() == [*ROWS]


@pytest.mark.parametrize("row", ROWS)
def test_the_row_is_true(row, model, data, tmp_path):
    ROWS[row](model, data, tmp_path)
