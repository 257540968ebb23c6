"""What an articulation is found to be: matches, names, order, defaults, errors."""

from __future__ import annotations

import copy
import logging

import numpy as np
import pytest
from articulation_stages import (
    ANYWHERE,
    ROBOT,
    add_body,
    add_joint,
    advance,
    chain,
    new_stage,
    running,
    values,
)
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.assets.articulation.ordering import body_order, joint_order, listed_order
from usdsim.core.errors import InvalidValueError, StageError, UnknownNameError
from usdsim.math.rotations import quat_from_axis_angle
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext

pytestmark = pytest.mark.usefixtures("device")


def tree() -> Usd.Stage:
    """A base with two legs of two links, whose orders by breadth and by depth differ."""
    stage = new_stage()
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(ROBOT))
    add_body(stage, f"{ROBOT}/base", com=(0, 0, 0))
    for leg in ("left", "right"):
        for i, (part, parent) in enumerate((("thigh", "base"), ("shank", f"{leg}_thigh"))):
            add_body(stage, f"{ROBOT}/{leg}_{part}", pos=(0, 0, -i))
            add_joint(
                stage,
                f"{ROBOT}/{leg}_{('hip', 'knee')[i]}",
                "Revolute",
                f"{ROBOT}/{parent}",
                f"{ROBOT}/{leg}_{part}",
                (0, 0, -i),
            )
    return stage


DEPTH_BODIES = ["base", "left_thigh", "left_shank", "right_thigh", "right_shank"]
BREADTH_BODIES = ["base", "left_thigh", "right_thigh", "left_shank", "right_shank"]
DEPTH_JOINTS = ["left_hip", "left_knee", "right_hip", "right_knee"]
BREADTH_JOINTS = ["left_hip", "right_hip", "left_knee", "right_knee"]


# -- order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ordering, bodies, joints",
    [
        (None, DEPTH_BODIES, DEPTH_JOINTS),
        ("depth-first", DEPTH_BODIES, DEPTH_JOINTS),
        ("mjwarp", DEPTH_BODIES, DEPTH_JOINTS),
        ("breadth-first", BREADTH_BODIES, BREADTH_JOINTS),
        ("physx", BREADTH_BODIES, BREADTH_JOINTS),
    ],
)
def test_conventions_order_bodies_and_joints(ordering, bodies, joints):
    with running(tree(), body_ordering=ordering, joint_ordering=ordering) as (_, robot):
        assert robot.body_names == bodies and robot.joint_names == joints
        assert robot.data.body_names == bodies and robot.data.joint_names == joints
        assert robot.backend_body_names == DEPTH_BODIES
        assert robot.backend_joint_names == DEPTH_JOINTS
        mapped = [robot.backend_joint_names[i] for i in robot.map_joint_ids_to_backend()]
        assert mapped == joints
        some = robot.map_body_ids_to_backend([3, 1])
        assert [robot.backend_body_names[i] for i in some] == [bodies[3], bodies[1]]


def test_everything_is_in_the_order_chosen():
    order = list(reversed(DEPTH_JOINTS))
    links = ["base", "right_shank", "right_thigh", "left_shank", "left_thigh"]
    drive = {"legs": ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness={".*knee": 30.0})}
    with (
        running(
            tree(), 2, joint_ordering=order, body_ordering=links, actuators=drive, gravity=(0, 0, 0)
        ) as (sim, robot),
    ):
        np.testing.assert_allclose(values(robot.data.joint_stiffness), [[30, 0, 30, 0]] * 2)
        robot.write_joint_position_to_sim([0.1, 0.2, 0.3, 0.4])
        left_knee = robot.root_view.engine.compiled.names.index("joint", f"{ROBOT}/left_knee")
        at = sim.engine.compiled.mj.jnt_qposadr[left_knee]
        np.testing.assert_allclose(sim.engine.read("qpos")[:, at], 0.3)
        np.testing.assert_allclose(values(robot.data.joint_pos), [[0.1, 0.2, 0.3, 0.4]] * 2)
        robot.set_masses([[1.0, 2.0, 3.0, 4.0, 5.0]] * 2)
        body = sim.engine.compiled.names.index("body", f"{ROBOT}/right_shank")
        assert (sim.engine.param("body_mass")[:, body] == 2.0).all()
        robot.set_joint_effort_target([[0.0, 4.0, 0.0, 0.0]])
        robot.write_data_to_sim()
        drive = sim.engine.compiled.names.index("actuator", f"{ROBOT}/right_hip")
        effort = sim.engine.compiled.mj.actuator_ctrladr[drive] + 2
        np.testing.assert_allclose(sim.engine.read("ctrl")[:, effort], 4.0)
        assert np.count_nonzero(sim.engine.read("ctrl")[:, 2::3]) == 2


def test_orders_by_hand():
    parents = [-1, 0, 1, 0, 3]
    assert body_order("breadth-first", list("abcde"), parents) == [0, 1, 3, 2, 4]
    assert body_order("depth-first", list("abcde"), parents) == [0, 1, 2, 3, 4]
    assert joint_order("physx", list("wxyz"), [2, 1, 3, 3], parents) == [1, 2, 3, 0]
    assert listed_order("it", ["b", "a"], ["a", "b"]) == [1, 0]


@pytest.mark.parametrize(
    "wanted, word",
    [(["a"], "lacks 'b'"), (["a", "b", "c"], "unknown 'c'"), (["a", "b", "a"], "repeats 'a'")],
)
def test_a_list_has_each_name_once(wanted, word):
    with pytest.raises(InvalidValueError, match=word):
        listed_order("joint_ordering", wanted, ["a", "b"])


def test_an_ordering_that_does_not_fit_is_refused_at_the_start():
    with (
        pytest.raises(InvalidValueError, match="joint_ordering"),
        running(tree(), joint_ordering=["left_hip"]),
    ):
        pass


# -- names and finding ---------------------------------------------------------------------------


def test_finding():
    with running(tree(), joint_ordering="breadth-first") as (_, robot):
        assert robot.find_joints(".*_knee") == ([2, 3], ["left_knee", "right_knee"])
        found = robot.find_joints(["right_.*", "left_hip"], preserve_order=True)
        assert found == ([1, 3, 0], ["right_hip", "right_knee", "left_hip"])
        assert robot.find_joints(["right_.*", "left_hip"])[0] == [0, 1, 3]
        # Indices are those of all joints whatever is searched, so that they can be written with.
        assert robot.find_joints(".*", joint_subset=["right_knee", "left_knee"]) == (
            [3, 2],
            ["right_knee", "left_knee"],
        )
        assert robot.find_bodies("base") == ([0], ["base"])
        assert robot.find_bodies(["right_.*", "base"], preserve_order=True)[1][-1] == "base"
        for call in (
            lambda: robot.find_joints("ankle"),
            lambda: robot.find_joints(".*", joint_subset=["ankle"]),
            lambda: robot.find_bodies("foot"),
            lambda: robot.find_fixed_tendons(".*"),
            lambda: robot.find_spatial_tendons("rope"),
        ):
            with pytest.raises(UnknownNameError, match="articulation"):
                call()


def test_axes_of_a_joint_with_several_are_joints():
    stage = chain(0)
    add_body(stage, f"{ROBOT}/arm")
    shoulder = add_joint(stage, f"{ROBOT}/shoulder", "", f"{ROBOT}/base", f"{ROBOT}/arm")
    for axis in ("transX", "transY", "transZ", "rotZ"):
        api = UsdPhysics.LimitAPI.Apply(shoulder, axis)
        api.CreateLowAttr(1.0)
        api.CreateHighAttr(-1.0)
    with running(stage) as (_, robot):
        assert robot.joint_names == ["shoulder:rotX", "shoulder:rotY"]
        robot.write_joint_state_to_sim([0.2, 0.3], [1.0, 2.0])
        np.testing.assert_allclose(values(robot.data.joint_pos), [[0.2, 0.3]])


def ball_stage() -> Usd.Stage:
    """A hinge, a ball below it and another ball below that."""
    stage = chain(1)
    parent = "link_1"
    for i, name in enumerate(("socket", "second")):
        add_body(stage, f"{ROBOT}/ball_{i}", pos=(0, 0, -1 - i))
        add_joint(
            stage, f"{ROBOT}/{name}", "Spherical", f"{ROBOT}/{parent}", f"{ROBOT}/ball_{i}",
            (0, 0, -1),
        )  # fmt: skip
        parent = f"ball_{i}"
    return stage


def test_ball_joints_are_read_and_written():
    with running(ball_stage(), 2) as (sim, robot):
        assert robot.joint_names == ["joint_1"]
        assert robot.ball_joint_names == ["socket", "second"] == robot.data.ball_joint_names
        np.testing.assert_array_equal(
            values(robot.data.ball_joint_quat), np.tile([0, 0, 0, 1.0], (2, 2, 1))
        )
        turn = quat_from_axis_angle([1.0, 0.0, 0.0], 0.6)
        robot.write_ball_joint_state_to_sim(turn, [0.1, 0.2, 0.3], [1], [1])
        np.testing.assert_allclose(values(robot.data.ball_joint_quat)[1, 1], turn, rtol=1e-6)
        np.testing.assert_allclose(values(robot.data.ball_joint_ang_vel)[1, 1], [0.1, 0.2, 0.3])
        assert (values(robot.data.ball_joint_quat)[0] == [0, 0, 0, 1]).all()
        body = values(robot.data.body_link_quat_w)[1, robot.find_bodies("ball_1")[0][0]]
        np.testing.assert_allclose(body, turn, atol=1e-6)
        before = values(robot.data.ball_joint_quat)
        for bad in (
            ([1.0, 1.0, 0.0, 0.0], 0.0, None, None),
            (turn, np.nan, None, None),
            (turn, 0.0, [2], None),
            (turn, 0.0, None, [2]),
        ):
            with pytest.raises(InvalidValueError):
                robot.write_ball_joint_state_to_sim(*bad)
        np.testing.assert_array_equal(values(robot.data.ball_joint_quat), before)
        advance(sim, robot, 5)
        assert (values(robot.data.ball_joint_quat)[1] != before[1]).any()


def test_no_joints_at_all():
    with running(chain(0, fixed=False), 2) as (sim, robot):
        assert robot.num_joints == 0 and robot.data.joint_pos.shape == (2, 0)
        assert len(robot.actuators) == 0
        advance(sim, robot, 3)
        robot.reset()
        robot.reset([1])
        assert values(robot.data.root_lin_vel_w)[0, 2] < 0.0


# -- matching ------------------------------------------------------------------------------------


def test_several_articulations_in_one_world():
    stage = chain(2, fixed=False)
    for name in ("One", "Two"):
        copied = UsdGeom.Xform.Define(stage, f"/World/envs/env_0/{name}").GetPrim()
        copied.GetReferences().AddInternalReference(ROBOT)
        UsdGeom.Xformable(copied).AddTranslateOp().Set((0, 2.0 + (name == "Two"), 0))
    with running(stage, 2, cfg=ArticulationCfg(prim_path="{ENV_REGEX_NS}/(One|Two)")) as (
        sim,
        robot,
    ):
        assert robot.num_instances == 4
        position = np.arange(8.0).reshape(4, 2) / 10
        robot.write_joint_state_to_sim(position, 0.0)
        np.testing.assert_allclose(values(robot.data.joint_pos), position, rtol=1e-6)
        np.testing.assert_allclose(
            values(robot.data.root_pos_w)[:, 1] - np.repeat(sim.env_origins[:, 1], 2),
            [2.0, 3.0, 2.0, 3.0],
        )
        robot.write_joint_stiffness_to_sim([[1.0, 2.0]], env_ids=[2])
        expected = np.zeros((4, 2))
        expected[2] = 1.0, 2.0
        np.testing.assert_allclose(values(robot.data.joint_stiffness), expected)
        target = position + 0.1
        robot.set_joint_position_target(target)
        robot.write_data_to_sim()
        names = sim.engine.compiled.names
        for match, name in enumerate(("One", "Two")):
            drive = names.index("actuator", f"/World/envs/env_0/{name}/joint_2")
            at = sim.engine.compiled.mj.actuator_ctrladr[drive]
            np.testing.assert_allclose(
                sim.engine.read("ctrl")[:, at], target[match::2, 1], rtol=1e-6
            )


def start(stage: Usd.Stage, **options) -> None:
    with running(stage, **options):
        pass


def test_no_articulation_root():
    stage = chain()
    stage.GetPrimAtPath(ROBOT).RemoveAPI(UsdPhysics.ArticulationRootAPI)
    with pytest.raises(StageError, match=r"No articulation root at or below .*Robot"):
        start(stage)


def test_two_articulation_roots_need_a_choice():
    stage = chain()
    other = "/World/envs/env_0/Robot/Other"
    UsdGeom.Xform.Define(stage, other)
    add_body(stage, f"{other}/base", com=(0, 0, 0))
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(f"{other}/base"))
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(f"{ROBOT}/base"))
    stage.GetPrimAtPath(ROBOT).RemoveAPI(UsdPhysics.ArticulationRootAPI)
    with pytest.raises(StageError, match=r"2 articulation roots.*articulation_root_prim_path"):
        start(stage)
    with running(stage, articulation_root_prim_path="/Other/base") as (_, robot):
        assert robot.body_names == ["base"] and robot.num_joints == 0
    with running(stage, articulation_root_prim_path="/base") as (_, robot):
        assert robot.joint_names == ["joint_1"]
    with pytest.raises(StageError, match="/Elsewhere"):
        start(stage, articulation_root_prim_path="/Elsewhere")


def test_nothing_at_the_path():
    with pytest.raises(StageError, match="Rob"):
        start(chain(), cfg=ArticulationCfg(prim_path="/World/envs/env_.*/Robert"))


def test_reading_before_the_start():
    stage = chain()
    with SimulationContext(SimulationCfg(), stage) as sim:
        robot = Articulation(ArticulationCfg(prim_path=ANYWHERE))
        for call in (
            lambda: robot.data,
            lambda: robot.joint_names,
            lambda: robot.actuators,
            lambda: robot.write_joint_position_to_sim(0.0),
            lambda: robot.set_joint_position_target(0.0),
            lambda: robot.write_data_to_sim(),
            lambda: robot.reset(),
        ):
            with pytest.raises(StageError, match=r"sim\.reset\(\)"):
                call()
        sim.reset()
        robot.write_data_to_sim()
        sim.stop()
        with pytest.raises(StageError, match=r"sim\.reset\(\)"):
            robot.data.joint_pos  # noqa: B018
        sim.reset()
        assert values(robot.data.joint_pos).shape == (1, 1)


# -- configuration -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, word",
    [
        ({"soft_joint_pos_limit_factor": -0.5}, "soft_joint_pos_limit_factor"),
        ({"soft_joint_pos_limit_factor": np.nan}, "soft_joint_pos_limit_factor"),
        ({"articulation_root_prim_path": "base"}, "articulation_root_prim_path"),
        ({"joint_ordering": "alphabetical"}, "joint_ordering"),
        ({"actuators": {"legs": 3}}, "legs"),
        ({"actuators": [1]}, "actuators"),
    ],
)
def test_configurations_are_checked(changes, word):
    with pytest.raises(ValueError, match=word):
        ArticulationCfg(prim_path=ANYWHERE, **changes).validate()


@pytest.mark.parametrize(
    "changes, word",
    [
        ({"joint_pos": {".*": np.nan}}, "joint_pos"),
        ({"joint_vel": 3.0}, "joint_vel"),
        ({"lin_vel": (1.0, 2.0)}, "lin_vel"),
        ({"rot": (0.0, 0.0, 0.0, 0.0)}, "rot"),
    ],
)
def test_initial_states_are_checked(changes, word):
    state = ArticulationCfg.InitialStateCfg(**changes)
    with pytest.raises(ValueError, match=word):
        ArticulationCfg(prim_path=ANYWHERE, init_state=state).validate()


def test_defaults_come_from_the_configuration_which_stays_as_it_is():
    cfg = ArticulationCfg(
        prim_path=ANYWHERE,
        init_state=ArticulationCfg.InitialStateCfg(
            pos=(0.0, 0.0, 1.0),
            lin_vel=(1.0, 2.0, 3.0),
            joint_pos={".*": 0.1, "joint_2": 0.5},
            joint_vel={"joint_1": -1.0},
        ),
        actuators={"all": ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=3.0)},
    )
    before = copy.deepcopy(cfg)
    with running(chain(2), 2, cfg=cfg) as (_, robot):
        data = robot.data
        np.testing.assert_allclose(values(data.default_joint_pos), [[0.1, 0.5]] * 2)
        np.testing.assert_allclose(values(data.default_joint_vel), [[-1.0, 0.0]] * 2)
        expected = [0, 0, 1, 0, 0, 0, 1, 1, 2, 3, 0, 0, 0]
        np.testing.assert_allclose(values(data.default_root_state), [expected] * 2)
        assert robot.cfg is not cfg and data.is_primed
        # The simulation starts as authored; defaults are there to be written.
        assert (values(data.joint_pos) == 0.0).all()
    assert cfg == before


def test_default_positions_outside_limits_are_refused_by_name():
    state = ArticulationCfg.InitialStateCfg(joint_pos={"joint_1": 2.0, "joint_3": -2.0})
    cfg = ArticulationCfg(prim_path=ANYWHERE, init_state=state)
    with pytest.raises(ValueError) as info:
        start(chain(3, limits=(-90.0, 90.0)), cfg=cfg)
    assert "joint_1" in str(info.value) and "joint_3" in str(info.value)
    assert "joint_2" not in str(info.value)


def test_default_velocities_above_limits_are_refused_by_name():
    state = ArticulationCfg.InitialStateCfg(joint_vel={"joint_2": -5.0})
    limited = {"all": ImplicitActuatorCfg(joint_names_expr=[".*"], velocity_limit_sim=4.0)}
    cfg = ArticulationCfg(prim_path=ANYWHERE, init_state=state, actuators=limited)
    with pytest.raises(ValueError, match=r"joint_vel.*joint_2"):
        start(chain(2), cfg=cfg)


def test_a_pattern_for_no_joint_is_refused():
    state = ArticulationCfg.InitialStateCfg(joint_pos={"ankle": 0.0})
    with pytest.raises(UnknownNameError, match="ankle"):
        start(chain(2), cfg=ArticulationCfg(prim_path=ANYWHERE, init_state=state))


def test_the_example_of_every_manual(caplog):
    caplog.set_level(logging.WARNING)
    with running(chain(2, drive={"Stiffness": 1.0, "Damping": 0.1}), 2) as (sim, my_articulation):
        position = np.full((2, 2), 0.25, np.float32)
        my_articulation.set_joint_position_target(position)
        my_articulation.write_data_to_sim()
        sim.step()
        my_articulation.update(sim.physics_dt)
        assert (values(my_articulation.data.joint_pos) != 0.0).all()
