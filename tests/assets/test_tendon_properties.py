"""Tendons of an articulation: names, properties, and that what is set acts once it is written."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from articulation_stages import ARM, INERTIA, MASS, ROBOT, advance, chain, running, values
from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError, ShapeError, UnknownNameError
from usdsim.views import FIELDS

pytestmark = pytest.mark.usefixtures("device")

ABOUT_JOINT = INERTIA + MASS * ARM**2
GEAR = 0.5
"""Metres of tendon per radian."""
FIXED = [name for name in FIELDS if name.startswith("fixed_tendon_")]
SPATIAL = [name for name in FIELDS if name.startswith("spatial_tendon_")]


def write(prim: Usd.Prim, tendon: str, **numbers: float) -> None:
    for name, value in numbers.items():
        prim.CreateAttribute(f"physxTendon:{tendon}:{name}", Sdf.ValueTypeNames.Float).Set(value)


def fixed_tendon(
    links=1, root=1, tendon="t", gear=GEAR, stage=None, force=None, **numbers
) -> Usd.Stage:
    """A chain with a tendon over its joints from `root` on, of `force` torque per force [m]."""
    stage = stage or chain(links)
    for i in range(root, links + 1):
        prim = stage.GetPrimAtPath(f"{ROBOT}/joint_{i}")
        prim.AddAppliedSchema(f"PhysxTendonAxis{'Root' if i == root else ''}API:{tendon}")
        for name, value in (("gearing", gear * np.pi / 180.0), ("forceCoefficient", force or gear)):
            kind = Sdf.ValueTypeNames.FloatArray
            prim.CreateAttribute(f"physxTendon:{tendon}:{name}", kind).Set([value])
    write(stage.GetPrimAtPath(f"{ROBOT}/joint_{root}"), tendon, **numbers)
    return stage


def spatial_tendon(**numbers) -> Usd.Stage:
    """A slide on z with a line from the base, two metres to the side, to the link."""
    stage = chain(1, kind="Prismatic", axis="Z")
    base, link = (stage.GetPrimAtPath(f"{ROBOT}/{name}") for name in ("base", "link_1"))
    base.AddAppliedSchema("PhysxTendonAttachmentRootAPI:rope")
    link.AddAppliedSchema("PhysxTendonAttachmentLeafAPI:end")
    point = Sdf.ValueTypeNames.Point3f
    base.CreateAttribute("physxTendon:rope:localPos", point).Set((0.0, 0.0, 2.0))
    link.CreateAttribute("physxTendon:end:localPos", point).Set((0.0, 0.0, 0.0))
    link.CreateRelationship("physxTendon:end:parentLink").SetTargets([f"{ROBOT}/base"])
    link.CreateAttribute("physxTendon:end:parentAttachment", Sdf.ValueTypeNames.Token).Set("rope")
    write(base, "rope", **numbers)
    return stage


def floating(stage, num_envs=1):
    return running(stage, num_envs, dt=0.001, gravity=(0.0, 0.0, 0.0))


def acceleration(robot) -> np.ndarray:
    return values(robot.data.joint_acc)


# -- fixed ---------------------------------------------------------------------------------------


def test_a_fixed_tendon_is_named_after_its_root_joint():
    stage = fixed_tendon(3, root=2, stiffness=1.0)
    with running(stage, 2) as (_, robot):
        assert robot.fixed_tendon_names == ["joint_2"] == robot.data.fixed_tendon_names
        assert robot.num_fixed_tendons == 1 and robot.num_spatial_tendons == 0
        assert robot.find_fixed_tendons("joint.*") == ([0], ["joint_2"])
        assert robot.find_fixed_tendons(".*", tendon_subsets=["joint_2"])[0] == [0]


def test_the_cone_of_a_spherical_joint_is_no_tendon():
    stage = chain(1, kind="Spherical")
    for number in (0, 1):
        name = f"physics:coneAngle{number}Limit"
        cone = stage.GetPrimAtPath(f"{ROBOT}/joint_1").CreateAttribute(
            name, Sdf.ValueTypeNames.Float
        )
        cone.Set(30.0)
    with running(stage) as (_, robot):
        assert robot.num_spatial_tendons == 0


def test_tendons_with_one_root_have_names_of_their_own():
    stage = fixed_tendon(2, tendon="a", stiffness=1.0)
    fixed_tendon(2, tendon="b", stage=stage, stiffness=2.0)
    fixed_tendon(2, root=2, tendon="c", stage=stage, stiffness=3.0)
    with running(stage) as (_, robot):
        stiffness = dict(
            zip(robot.fixed_tendon_names, values(robot.data.fixed_tendon_stiffness)[0], strict=True)
        )
        assert stiffness == {"joint_1:a": 1.0, "joint_1:b": 2.0, "joint_2": 3.0}


def test_authored_properties_are_there():
    stage = fixed_tendon(
        stiffness=30.0, damping=2.0, restLength=0.3, offset=0.1, limitStiffness=500.0,
        lowerLimit=-1.0, upperLimit=2.0,
    )  # fmt: skip
    with running(stage, 2) as (_, robot):
        expected = {
            "stiffness": 30.0, "damping": 2.0, "rest_length": 0.3, "offset": 0.1,
            "limit_stiffness": 500.0, "pos_limits": [-1.0, 2.0], "limit": [-1.0, 2.0],
        }  # fmt: skip
        for name, value in expected.items():
            for prefix in ("", "default_"):
                array = values(getattr(robot.data, f"{prefix}fixed_tendon_{name}"))
                np.testing.assert_allclose(array, np.broadcast_to(value, array.shape), rtol=1e-6)


def test_the_force_coefficient_scales_torques_and_not_lengths():
    """Stiffness 30, length GEAR q: torque -30 GEAR q times the coefficient, whatever GEAR is."""
    angle, force = 0.4, 0.08
    stage = fixed_tendon(force=force, stiffness=30.0)
    with floating(stage, 2) as (sim, robot):
        assert values(robot.data.fixed_tendon_stiffness) == pytest.approx(30.0)
        robot.write_joint_position_to_sim_index(position=np.full((2, 1), angle))
        sim.step()
        expected = -30.0 * GEAR * angle * force / ABOUT_JOINT
        assert acceleration(robot) == pytest.approx(expected, rel=1e-2)
        robot.set_fixed_tendon_stiffness(np.full((1, 1), 60.0), env_ids=[1])
        robot.write_fixed_tendon_properties_to_sim_index()
        robot.write_joint_position_to_sim_index(position=np.full((2, 1), angle))
        robot.write_joint_velocity_to_sim_index(velocity=np.zeros((2, 1)))
        sim.step()
        ratio = acceleration(robot)[:, 0] / expected
        assert ratio == pytest.approx([1.0, 2.0], rel=1e-2)


def test_writing_what_is_authored_changes_nothing():
    stage = fixed_tendon(
        stiffness=30.0, damping=2.0, restLength=0.3, offset=0.1, limitStiffness=500.0,
        lowerLimit=-1.0, upperLimit=2.0,
    )  # fmt: skip
    fields = ("stiffness", "damping", "lengthspring", "range", "limited", "solref_lim")
    with running(stage, 2) as (sim, robot):
        before = {f: np.array(sim.engine.param(f"tendon_{f}")) for f in fields}
        robot.write_fixed_tendon_properties_to_sim()
        for field, value in before.items():
            np.testing.assert_allclose(sim.engine.param(f"tendon_{field}"), value, rtol=1e-6)


def test_spring_damper_rest_length_and_offset_act():
    with floating(fixed_tendon(stiffness=1.0), 3) as (_, robot):
        robot.set_fixed_tendon_stiffness(40.0)
        robot.set_fixed_tendon_damping_index(damping=3.0)
        robot.set_fixed_tendon_rest_length([[0.1], [0.2], [0.3]])
        robot.set_fixed_tendon_offset_mask(offset=[[0.0], [0.05], [-0.1]])
        robot.write_joint_state_to_sim(0.4, 1.5)
        before = acceleration(robot)
        robot.write_fixed_tendon_properties_to_sim_index()
        stretch = GEAR * 0.4 + np.array([0.0, 0.05, -0.1]) - np.array([0.1, 0.2, 0.3])
        pull = -(40.0 * stretch + 3.0 * GEAR * 1.5) * GEAR
        np.testing.assert_allclose(acceleration(robot)[:, 0], pull / ABOUT_JOINT, rtol=1e-5)
        assert not np.allclose(before, acceleration(robot))


def test_set_does_nothing_until_written_and_only_where_written():
    with floating(fixed_tendon(stiffness=10.0), 3) as (sim, robot):
        robot.write_joint_position_to_sim(0.4)
        robot.set_fixed_tendon_stiffness(20.0)
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness"), 10.0)
        np.testing.assert_allclose(values(robot.data.fixed_tendon_stiffness), 20.0)
        robot.write_fixed_tendon_properties_to_sim(env_ids=[2])
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness")[:, 0], [10, 10, 20])
        robot.write_fixed_tendon_properties_to_sim_mask(env_mask=np.array([True, False, False]))
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness")[:, 0], [20, 10, 20])


def test_some_tendons_are_written():
    stage = fixed_tendon(2, root=1, tendon="a", stiffness=1.0)
    fixed_tendon(2, root=2, tendon="b", stage=stage, stiffness=2.0)
    with floating(stage, 2) as (sim, robot):
        robot.set_fixed_tendon_stiffness(9.0)
        robot.write_fixed_tendon_properties_to_sim([1], [0])
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness"), [[1, 9], [1, 2]])
        mask = np.array([True, False])
        robot.write_fixed_tendon_properties_to_sim_mask(fixed_tendon_mask=mask)
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness"), [[9, 9], [9, 2]])


@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_limits_hold_and_shift_with_the_offset(offset):
    with floating(fixed_tendon(offset=offset)) as (sim, robot):
        assert np.isinf(values(robot.data.fixed_tendon_pos_limits)).all()
        robot.set_fixed_tendon_limit([-np.inf, 0.3])
        robot.write_fixed_tendon_properties_to_sim()
        robot.set_joint_effort_target(1.0)
        advance(sim, robot, 1500)
        stopped = (0.3 - offset) / GEAR
        assert values(robot.data.joint_pos).item() == pytest.approx(stopped, abs=0.02)


def test_limits_with_a_stiffness_give_way():
    with floating(fixed_tendon()) as (sim, robot):
        robot.set_fixed_tendon_position_limit([-1.0, 0.1])
        robot.set_fixed_tendon_limit_stiffness(50.0)
        robot.write_fixed_tendon_properties_to_sim()
        robot.write_joint_damping_to_sim(3.0)
        robot.set_joint_effort_target(2.0)
        advance(sim, robot, 3000)
        # The spring of the limit balances the effort.
        beyond = GEAR * values(robot.data.joint_pos).item() - 0.1
        assert beyond == pytest.approx(2.0 / GEAR / 50.0, rel=0.02)
        robot.set_fixed_tendon_limit_stiffness(0.0)
        robot.write_fixed_tendon_properties_to_sim()
        advance(sim, robot, 3000)
        assert GEAR * values(robot.data.joint_pos).item() == pytest.approx(0.1, abs=0.01)


# -- spatial -------------------------------------------------------------------------------------


def test_spatial_tendons():
    with floating(spatial_tendon(stiffness=30.0, damping=1.0), 2) as (_, robot):
        assert robot.spatial_tendon_names == ["base"] == robot.data.spatial_tendon_names
        assert robot.num_spatial_tendons == 1 and robot.num_fixed_tendons == 0
        assert robot.find_spatial_tendons("base") == ([0], ["base"])
        view = robot.root_view
        assert (view.max_spatial_tendons, view.max_fixed_tendons) == (1, 0)
        np.testing.assert_allclose(view.get_spatial_tendon_stiffnesses().numpy(), [[30.0]] * 2)
        np.testing.assert_allclose(view.get_spatial_tendon_dampings().numpy(), [[1.0]] * 2)
        np.testing.assert_allclose(values(robot.data.spatial_tendon_stiffness), 30.0)
        np.testing.assert_allclose(values(robot.data.spatial_tendon_damping), 1.0)
        np.testing.assert_allclose(values(robot.data.spatial_tendon_offset), 0.0)
        robot.write_joint_state_to_sim(-0.2, 0.5)
        # The rest length is that of the initial pose: lowering by 0.2 stretches by as much.
        np.testing.assert_allclose(acceleration(robot), (30.0 * 0.2 - 1.0 * 0.5) / MASS, rtol=1e-5)
        robot.set_spatial_tendon_stiffness(60.0)
        robot.set_spatial_tendon_damping([[1.0], [2.0]])
        robot.set_spatial_tendon_offset([[0.0], [0.1]])
        robot.write_spatial_tendon_properties_to_sim()
        pull = np.array([60.0 * 0.2 - 0.5, 60.0 * 0.3 - 1.0])
        np.testing.assert_allclose(acceleration(robot)[:, 0], pull / MASS, rtol=1e-5)


def test_some_spatial_tendons_are_written():
    with floating(spatial_tendon(stiffness=30.0), 2) as (sim, robot):
        robot.set_spatial_tendon_stiffness(60.0)
        robot.set_spatial_tendon_limit_stiffness(10.0)
        robot.write_spatial_tendon_properties_to_sim_index(env_ids=[1])
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness")[:, 0], [30, 60])
        robot.write_spatial_tendon_properties_to_sim_mask(
            spatial_tendon_mask=np.array([True]), env_mask=np.array([True, False])
        )
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness")[:, 0], 60.0)


# -- the field table -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def robots():
    """One articulation with two fixed tendons, one with a spatial tendon, in three worlds."""
    stage = fixed_tendon(2, root=1, tendon="a", stiffness=1.0)
    fixed_tendon(2, root=2, tendon="b", stage=stage, stiffness=2.0)
    with running(stage, 3) as (_, fixed):
        kept = fixed.root_view
    with running(spatial_tendon(stiffness=1.0), 3) as (_, spatial):
        return {"fixed": kept, "spatial": spatial.root_view}


def sample(row: str, shape: tuple[int, ...]) -> np.ndarray:
    found = np.random.default_rng(1).uniform(0.1, 0.9, (*shape, *FIELDS[row].tail))
    found = found.astype(np.float32)
    return np.sort(found, axis=-1) if FIELDS[row].tail else found


@pytest.mark.parametrize("row", [*FIXED, *SPATIAL])
@pytest.mark.parametrize("rows", [None, [2, 0], slice(1, None), []])
def test_buffers_take_selections(robots, row, rows):
    view = robots[row.split("_")[0]]
    count = 2 if row in FIXED else 1
    before = view.buffers[row].numpy().copy()
    index = np.asarray(rows, int) if isinstance(rows, list) else rows
    env = np.arange(3)[slice(None) if rows is None else index]
    given = sample(row, (len(env), 1))
    view.write(row, given, rows, [count - 1])
    expected = before.copy()
    expected[np.ix_(env, [count - 1])] = given
    np.testing.assert_array_equal(view.buffers[row].numpy(), expected)


@pytest.mark.parametrize("row", [*FIXED, *SPATIAL])
def test_buffers_refuse(robots, row):
    view = robots[row.split("_")[0]]
    before = view.buffers[row].numpy().copy()
    for given, env, ids, error in (
        (np.nan, None, None, InvalidValueError),
        (np.zeros((7, 1, *FIELDS[row].tail)), None, None, ShapeError),
        (0.5, [3], None, InvalidValueError),
        (0.5, None, [5], InvalidValueError),
        ("a", None, None, InvalidValueError),
    ):
        with pytest.raises(error):
            view.write(row, given, env, ids)
    np.testing.assert_array_equal(view.buffers[row].numpy(), before)


def test_unknown_tendons_are_refused_and_nothing_is_written():
    with floating(fixed_tendon(stiffness=10.0), 2) as (sim, robot):
        robot.set_fixed_tendon_stiffness(20.0)
        for call in (
            lambda: robot.write_fixed_tendon_properties_to_sim([1]),
            lambda: robot.write_fixed_tendon_properties_to_sim(env_ids=[2]),
            lambda: robot.write_fixed_tendon_properties_to_sim_mask(env_mask=np.ones(3, bool)),
        ):
            with pytest.raises(ValueError):
                call()
        np.testing.assert_allclose(sim.engine.param("tendon_stiffness"), 10.0)


def test_events_draw_limits_of_tendons_and_factors_of_what_they_have():
    torch = pytest.importorskip("torch")
    from usdsim.envs.managers import SceneEntityCfg
    from usdsim.envs.mdp import randomize_fixed_tendon_parameters as randomize
    from usdsim.envs.streams import Streams

    stage = fixed_tendon(stiffness=4.0, lowerLimit=-0.5, upperLimit=0.5)
    with floating(stage, 3) as (_, robot):
        env = SimpleNamespace(scene={"robot": robot}, streams=Streams(3, robot.device, 0))
        some, whole = torch.tensor([0, 2], device=robot.device), SceneEntityCfg("robot")
        randomize(env, some, whole, upper_limit_distribution_params=(0.8, 0.9))
        for _ in range(2):
            randomize(
                env, some, whole, "scale",
                stiffness_distribution_params=(3.0, 3.0), lower_limit_distribution_params=None,
            )  # fmt: skip
        assert values(robot.data.fixed_tendon_stiffness).ravel().tolist() == [36.0, 4.0, 36.0]
        limits = values(robot.data.fixed_tendon_pos_limits)[:, 0]
        assert (limits[:, 0] == -0.5).all() and limits[1, 1] == 0.5
        assert ((limits[[0, 2], 1] >= 0.8) & (limits[[0, 2], 1] <= 0.9)).all()
        with pytest.raises(InvalidValueError, match="limit"):
            randomize(
                env, some, whole,
                damping_distribution_params=(7.0, 7.0), lower_limit_distribution_params=(1.0, 1.0),
            )  # fmt: skip
        robot.write_fixed_tendon_properties_to_sim()
        assert not values(robot.data.fixed_tendon_damping).any()
        with pytest.raises(UnknownNameError, match="upper_limit"):
            randomize(env, some, whole, length_distribution_params=(1.0, 1.0))
