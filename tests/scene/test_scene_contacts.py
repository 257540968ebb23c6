"""Contacts: who touches whom, and the forces, against statics and the engine's own functions."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError, UsdsimError
from usdsim.scene import ContactQuery, DisjointIndices, SceneData, load_mjcf_str, load_model

G = 9.81
SCENE = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="box" pos="0 0 .1">
      <freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="2"/>
    </body>
    <body name="ball" pos="1 0 .1">
      <freejoint/><geom name="ball" size=".1" mass="1"/>
      <body name="hat" pos="0 0 .3"><geom name="hat" size=".05" mass=".5"/></body>
    </body>
  </worldbody>
</mujoco>
"""
SLOPE = """
<mujoco>
  <option timestep="0.002" cone="{cone}"/>
  <worldbody>
    <geom name="ramp" type="plane" size="0 0 1" euler="0 {angle} 0" friction="1" condim="{dim}"/>
    <body name="box">
      <freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="2" friction="1"
        condim="{dim}"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


def _resting(model: usdsim.SceneModel, batch=()) -> SceneData:
    data = SceneData(model, batch=batch)
    model.step_n(data, 500)
    return data


def _lift(model: usdsim.SceneModel, data: SceneData, base: int, height: float) -> None:
    model.floating_bases[base].set_translation(data, [float(base), 0.0, height])


def test_weights_rest_on_the_floor(model):
    data = _resting(model)
    forces = model.get_link_net_contact_forces(data)
    assert forces.shape == (3, 6)
    np.testing.assert_allclose(forces[0], [0, 0, 2 * G, 0, 0, 0], atol=1e-3)
    np.testing.assert_allclose(forces[1], [0, 0, 1.5 * G, 0, 0, 0], atol=1e-3)
    np.testing.assert_allclose(forces[2], 0, atol=1e-9)
    contacts = model.get_contacts(data)
    assert len(contacts) == 5 and repr(contacts) == "<Contacts 5>"
    np.testing.assert_allclose(contacts.normal, [[0, 0, 1]] * 5, atol=1e-6)
    np.testing.assert_allclose(contacts.position[:, 2], 0, atol=1e-3)
    assert (contacts.depth > 0).all() and (contacts.force[:, 0] > 0).all()
    box = contacts[contacts.geom2 == model.get_geom_index("box")]
    assert len(box) == 4 and box.force_w[:, 2].sum() == pytest.approx(2 * G, rel=1e-4)


def test_forces_on_some_links_fill_an_array_of_the_caller(model):
    data = _resting(model, batch=(2,))
    forces = model.get_link_net_contact_forces(data)
    out = np.empty((2, 2, 6), np.float32)
    assert model.get_link_net_contact_forces(data, [1, 0], out=out) is out
    np.testing.assert_array_equal(out, forces[:, [1, 0]])
    np.testing.assert_array_equal(
        model.get_link_net_contact_forces(data, slice(2, None)), forces[:, 2:]
    )
    with pytest.raises(ShapeError, match=r"\(2, 3, 6\)"):
        model.get_link_net_contact_forces(data, out=out)
    with pytest.raises(InvalidValueError, match="0 to 2"):
        model.get_link_net_contact_forces(data, [3])


def test_contacts_of_fresh_data_are_known_before_any_step(model):
    data = SceneData(model)
    _lift(model, data, 0, 0.09)
    query = model.get_contact_query(data)
    pair = [[model.get_geom_index("box"), model.get_geom_index("floor")]]
    assert query.num_contacts == 5 and query.is_colliding(pair).tolist() == [True]
    _lift(model, data, 0, 1.0)
    assert query.num_contacts == 1 and query.is_colliding(pair).tolist() == [False]


MIXED = """
<mujoco><option cone="{cone}"/><worldbody><geom type="plane" size="5 5 .1" condim="1"/>
  <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" condim="1"/></body>
  <body pos="1 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" condim="3"/></body>
  <body pos="2 0 .1"><freejoint/><geom type="capsule" size=".1 .2" condim="6"/></body>
</worldbody></mujoco>
"""


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_contacts_of_many_worlds_are_those_of_each_by_any_number_of_threads(cone):
    model = load_mjcf_str(MIXED.format(cone=cone))
    worlds = 70
    velocities = np.random.default_rng(0).normal(size=(worlds, model.num_dof_vel))
    found = []
    for threads in (1, 2):
        data = SceneData(model, (worlds,), threads=threads)
        data.set_dof_vel(velocities)
        model.step_n(data, 8)
        found.append(model.get_contacts(data))
    one, two = found
    for field in dataclasses.fields(one):
        assert (getattr(one, field.name) == getattr(two, field.name)).all(), field.name
    assert len(np.unique(one.world)) > worlds // 2 and (one.force[:, 0] > 0.0).any()
    for world in (0, 33, worlds - 1):
        raw, mine = data.low.world_data(world), one.in_world(world)
        mujoco.mj_forward(model.low, raw)
        assert len(mine) == raw.ncon
        expected = np.zeros((raw.ncon, 6))
        for i, row in enumerate(expected):
            mujoco.mj_contactForce(model.low, raw, i, row)
        wrench = np.concatenate([mine.force, mine.torque], axis=1)
        np.testing.assert_allclose(wrench, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("dim", [1, 3, 4, 6])
def test_wrenches_are_the_engines_own(cone, dim):
    model = load_mjcf_str(SLOPE.format(angle=10, cone=cone, dim=dim))
    data = SceneData(model)
    base = model.floating_bases[0]
    base.set_translation(data, [0, 0, 0.1])
    base.set_local_angular_velocity(data, [0.3, -0.5, 2.0])
    model.step_n(data, 5)
    contacts = model.get_contacts(data)
    count = len(contacts)
    assert count > 1
    raw = data.low.world_data(0)
    mujoco.mj_forward(model.low, raw)
    expected = np.zeros((count, 6))
    for i in range(count):
        mujoco.mj_contactForce(model.low, raw, i, expected[i])
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(contacts.force, expected[:, :3], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(contacts.torque, expected[:, 3:], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(contacts.frame.reshape(count, 9), raw.contact.frame, atol=1e-6)


def test_adhesion_is_not_a_contact_force():
    model = load_mjcf_str(
        SCENE.replace(
            "</worldbody>",
            '</worldbody><actuator><adhesion body="box" gain="30" ctrlrange="0 1"/></actuator>',
        )
    )
    data = SceneData(model)
    data.actuator_ctrls = [1.0]
    model.step_n(data, 300)
    contacts, raw = model.get_contacts(data), data.low.world_data(0)
    mujoco.mj_forward(model.low, raw)
    expected = np.zeros((len(contacts), 6))
    for i in range(len(contacts)):
        mujoco.mj_contactForce(model.low, raw, i, expected[i])
    np.testing.assert_allclose(contacts.force, expected[:, :3], rtol=1e-5, atol=1e-6)


def test_friction_holds_a_box_on_a_slope():
    angle = math.radians(20)
    model = load_mjcf_str(SLOPE.format(angle=20, cone="elliptic", dim=3))
    data = SceneData(model)
    base = model.floating_bases[0]
    normal = np.array([math.sin(angle), 0, math.cos(angle)])
    base.set_translation(data, 0.0999 * normal)
    base.set_rotation(data, [0, math.sin(angle / 2), 0, math.cos(angle / 2)])
    model.step_n(data, 500)
    force = model.get_link_net_contact_forces(data)[0]
    np.testing.assert_allclose(force[:3], [0, 0, 2 * G], atol=2e-2)
    # Friction acts at the foot, so the pressure moves downhill until the torques cancel.
    np.testing.assert_allclose(force[3:], 0, atol=2e-2)
    contacts = model.get_contacts(data)
    assert contacts.force[:, 0].sum() == pytest.approx(2 * G * math.cos(angle), rel=2e-3)
    rubbing = np.linalg.norm(contacts.force[:, 1:].sum(axis=0))
    assert rubbing == pytest.approx(2 * G * math.sin(angle), rel=5e-3)


def test_momentum_of_a_bounce_is_the_sum_of_contact_forces(model):
    data = SceneData(model)
    base = model.floating_bases[0]
    base.set_translation(data, [0, 0, 0.1005])
    base.set_global_linear_velocity(data, [0.2, 0, -1.0])
    impulse, before = np.zeros(3), 2 * base.get_global_linear_velocity(data).astype(float)
    for _ in range(60):
        impulse += 0.002 * model.get_link_net_contact_forces(data)[0, :3].astype(float)
        model.step(data)
    after = 2 * base.get_global_linear_velocity(data).astype(float)
    assert impulse[2] > 2.0
    np.testing.assert_allclose(
        after - before, impulse + np.array([0, 0, -2 * G * 60 * 0.002]), rtol=1e-3, atol=1e-3
    )


def test_reading_changes_nothing(model):
    alone, watched = SceneData(model, batch=(3,)), SceneData(model, batch=(3,))
    for data in (alone, watched):
        _lift(model, data, 0, 0.15)
    for _ in range(60):
        model.step(alone)
        before = watched.low.read("qfrc_constraint").copy()
        model.get_contacts(watched)
        model.get_link_net_contact_forces(watched)
        np.testing.assert_array_equal(watched.low.read("qfrc_constraint"), before)
        model.step(watched)
    np.testing.assert_array_equal(alone.low.batch.state, watched.low.batch.state)


def test_forces_follow_what_is_written(model):
    data = _resting(model, batch=(2,))
    link = model.get_link("box")
    link.add_external_force(data, [[0, 0, -10], [0, 0, 0]], local=False)
    forces = model.get_link_net_contact_forces(data)[:, 0, 2]
    np.testing.assert_allclose(forces[1], 2 * G, rtol=1e-3)
    assert forces[0] > 2 * G + 5
    link.set_mass_override(data, [2.0, 4.0])
    model.step_n(data, 500)
    forces = model.get_link_net_contact_forces(data)[:, 0, 2]
    np.testing.assert_allclose(forces, [2 * G, 4 * G], rtol=1e-3)
    model.options.gravity = [0, 0, -5.0]
    try:
        model.step_n(data, 500)
        forces = model.get_link_net_contact_forces(data)[:, 0, 2]
        np.testing.assert_allclose(forces, [10, 20], rtol=1e-2)
    finally:
        model.options.gravity = [0, 0, -G]


def test_forces_on_many_bodies_need_no_other_model(monkeypatch):
    """The sensors of many bodies would each look at all contacts."""
    count = 121
    bodies = "".join(
        f'<body pos="{0.3 * (i % 11)} {0.3 * (i // 11)} .1"><freejoint/>'
        f'<geom type="box" size=".1 .1 .1" mass="{1 + i / count}"/></body>'
        for i in range(count)
    )
    plane = '<geom type="plane" size="0 0 1"/>'
    many = load_mjcf_str(f"<mujoco><worldbody>{plane}{bodies}</worldbody></mujoco>")
    data = SceneData(many)
    many.step_n(data, 200)
    monkeypatch.setattr("usdsim.engine.mirror.compile_scene", None)
    expected = np.zeros((count, 6))
    expected[:, 2] = G * (1 + np.arange(count) / count)
    np.testing.assert_allclose(many.get_link_net_contact_forces(data), expected, atol=0.02)


def _summed(model: usdsim.SceneModel, data: SceneData) -> np.ndarray:
    """Net forces, contact by contact."""
    contacts, total = model.get_contacts(data), np.zeros((*data.shape, model.num_links, 6))
    centres = data.low.read("xipos")[data.all_worlds].reshape(*data.shape, -1, 3)
    for i in range(len(contacts)):
        row = (contacts.world[i],) if data.shape else ()
        for geom, sign in ((contacts.geom1[i], -1), (contacts.geom2[i], 1)):
            link = model.geoms[geom].link
            if link is not None:
                arm = contacts.position[i] - centres[(*row, link.index + 1)]
                force = sign * contacts.force_w[i].astype(float)
                total[(*row, link.index)] += [
                    *force,
                    *(sign * contacts.torque_w[i] + np.cross(arm, force)),
                ]
    return total


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("loose", [False, True])
def test_net_forces_are_sums_over_contacts(cone, loose):
    model = load_mjcf_str(
        SCENE.replace("<option", f"<option cone='{cone}'").replace(
            'name="ball" pos="1 0 .1"', 'name="ball" pos="0 .02 .3"'
        )
    )
    data = SceneData(model, batch=(3,))
    rng = np.random.default_rng(0)
    data.set_dof_vel(rng.normal(size=(3, 12)))
    model.get_link("ball").set_mass_override(data, [1.0, 2.0, 3.0])
    model.get_geom("box").set_friction_override(data, [[1, 0.01, 0.001], [0.1, 0, 0], [2, 0, 0]])
    if loose:
        model.get_link("box").set_center_of_mass_override(data, [0.02, 0.01, 0.0])
    data[1].low.set_param("opt.gravity", [0, 0, -3], env_ids=[1])
    for _ in range(20):
        model.step_n(data, 3)
        forces = model.get_link_net_contact_forces(data)
        np.testing.assert_allclose(forces, _summed(model, data), rtol=1e-4, atol=2e-4)
        np.testing.assert_array_equal(model.get_link_net_contact_forces(data[1]), forces[1])
    assert np.abs(forces).max() > 1


def test_net_forces_of_models_that_cannot_be_copied_are_summed():
    model = load_mjcf_str(
        SCENE.replace("<option", "<option sleep_tolerance='0.0001'").replace(
            "<worldbody>", "<option><flag sleep='enable'/></option><worldbody>"
        )
    )
    data = SceneData(model, batch=(2,))
    model.step_n(data, 40)
    forces = model.get_link_net_contact_forces(data)
    np.testing.assert_allclose(forces[:, 0, 2], 2 * G, rtol=1e-2)
    np.testing.assert_allclose(forces, _summed(model, data), rtol=1e-4, atol=1e-4)


# Rows -------------------------------------------------------------------------------------------


def _mixed(model: usdsim.SceneModel) -> SceneData:
    """Worlds with 5, 1, 4 and 0 contacts."""
    data = _resting(model, batch=(4,))
    _lift(model, data[1], 0, 1.0)
    _lift(model, data[2], 1, 1.0)
    _lift(model, data[3], 0, 1.0)
    _lift(model, data[3], 1, 1.0)
    return data


VIEWS = [
    slice(None),
    slice(1, 3),
    [3, 0],
    DisjointIndices([2, 1]),
    np.array([True, False, False, True]),
]


@pytest.mark.parametrize("key", VIEWS, ids=str)
def test_rows_of_views_are_rows_of_the_whole(model, key):
    data = _mixed(model)
    view = data[key]
    rows = np.arange(4)[key.values if isinstance(key, DisjointIndices) else key]
    whole, query = model.get_contact_query(data), model.get_contact_query(view)
    pairs = np.array([[1, 0], [0, 2], [1, 2], [0, 1]])
    np.testing.assert_array_equal(whole.num_contacts, [5, 1, 4, 0])
    np.testing.assert_array_equal(query.num_contacts, whole.num_contacts[rows])
    np.testing.assert_array_equal(query.is_colliding(pairs), whole.is_colliding(pairs)[rows])
    np.testing.assert_array_equal(
        model.get_link_net_contact_forces(view), model.get_link_net_contact_forces(data)[rows]
    )
    for row, world in enumerate(rows):
        mine = model.get_contacts(view).in_world(row)
        its = model.get_contacts(data).in_world(world)
        np.testing.assert_array_equal(mine.position, its.position)
        np.testing.assert_array_equal(
            query.contacting_geoms()[row], whole.contacting_geoms()[world]
        )
        single = model.get_contact_query(data[int(world)])
        assert single.num_contacts == whole.num_contacts[world]
        np.testing.assert_array_equal(single.contacting_geoms(), whole.contacting_geoms()[world])
        np.testing.assert_array_equal(single.is_colliding(pairs), whole.is_colliding(pairs)[world])


def test_results_do_not_depend_on_threads_or_batch(model):
    expected = model.get_link_net_contact_forces(_resting(model))
    single = SceneData(model)
    for _ in range(500):
        model.step(single)
    np.testing.assert_array_equal(model.get_link_net_contact_forces(single), expected)
    contacts = model.get_contacts(single)
    for batch, threads in (((5,), 1), ((5,), 2), ((1,), 1)):
        data = SceneData(model, batch=batch, threads=threads)
        model.step_n(data, 500)
        for row, forces in enumerate(model.get_link_net_contact_forces(data)):
            np.testing.assert_array_equal(forces, expected)
            mine = model.get_contacts(data).in_world(row)
            np.testing.assert_array_equal(mine.force, contacts.force)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_any_integers_make_pairs(model, dtype):
    query = model.get_contact_query(_mixed(model))
    pairs = np.array([[1, 0], [2, 0], [2, 1]], dtype=dtype)
    expected = [[True, True, False], [False, True, False], [True, False, False], [False] * 3]
    np.testing.assert_array_equal(query.is_colliding(pairs), expected)
    np.testing.assert_array_equal(query.is_colliding(pairs[:, ::-1]), expected)
    np.testing.assert_array_equal(query.is_colliding(pairs.tolist()), expected)
    assert query.is_colliding(np.zeros((0, 2), dtype)).shape == (4, 0)
    assert query.is_colliding([]).shape == (4, 0)


@pytest.mark.parametrize(
    ("pairs", "error", "words"),
    [
        ([[0, 99]], InvalidValueError, r"geom_pairs\[0, 1\] is 99; allowed: 0 to 3"),
        ([[0, 1], [-1, 0]], InvalidValueError, r"geom_pairs\[1, 0\] is -1"),
        ([[1, 1]], InvalidValueError, "two different geoms.*box"),
        ([[0.0, 1.0]], InvalidValueError, "integers"),
        ([["floor", "box"]], InvalidValueError, "get_geom_index"),
        ([[True, False]], InvalidValueError, "integers"),
        ([0, 1], ShapeError, r"\(P, 2\)"),
        ([[0, 1, 2]], ShapeError, r"\(P, 2\)"),
        ([[0, 1], [2]], InvalidValueError, "pairs"),
    ],
)
def test_bad_pairs_are_refused(model, pairs, error, words):
    with pytest.raises(error, match=words):
        model.get_contact_query(SceneData(model)).is_colliding(pairs)


# Elements ---------------------------------------------------------------------------------------


def test_links_bodies_and_subtrees(model):
    data = _mixed(model)
    query = model.get_contact_query(data)
    ball, hat, floor = model.get_link("ball"), model.get_link("hat"), model.get_geom("floor")
    tree = ball.body
    np.testing.assert_array_equal(query.is_touching(ball), [True, True, False, False])
    np.testing.assert_array_equal(query.is_touching(floor, ball), [True, True, False, False])
    assert not query.is_touching(hat).any() and not query.is_touching(ball, hat).any()
    # Upside down, the hat stands on the floor.
    model.floating_bases[1].set_rotation(data, [1, 0, 0, 0])
    model.floating_bases[1].set_translation(data, [1, 0, 0.3499])
    assert query.is_touching(hat).all() and not query.is_touching(ball).any()
    assert query.is_touching(ball, subtree=True).all() and query.is_touching(tree, floor).all()
    np.testing.assert_array_equal(
        query.get_force(tree), model.get_link_net_contact_forces(data)[:, 2, :3]
    )
    np.testing.assert_allclose(query.get_force(floor, tree), -query.get_force(tree), atol=1e-5)
    assert (query.get_force(tree)[:, 2] > 0.1).all()
    np.testing.assert_array_equal(query.get_force(ball), np.zeros((4, 3)))


def test_forces_between_parts_add_up_to_the_whole():
    model = load_mjcf_str(SCENE.replace('name="ball" pos="1 0 .1"', 'name="ball" pos="0 0 .2995"'))
    data = SceneData(model)
    model.step_n(data, 400)
    query = model.get_contact_query(data)
    box, ball = model.get_link("box"), model.get_link("ball")
    assert query.is_touching(box, ball)
    np.testing.assert_allclose(query.get_force(ball, box), [0, 0, 1.5 * G], atol=2e-2)
    np.testing.assert_allclose(query.get_force(box, ball), [0, 0, -1.5 * G], atol=2e-2)
    np.testing.assert_allclose(query.get_force(box), [0, 0, 2 * G], atol=2e-2)


def test_partners_must_be_elements_of_the_model(model):
    query = model.get_contact_query(SceneData(model))
    other = load_mjcf_str(SCENE)
    with pytest.raises(InvalidValueError, match="a Geom, a Link or a Body"):
        query.is_touching("box")
    with pytest.raises(InvalidValueError, match="an element of"):
        query.get_force(other.get_link("box"))
    with pytest.raises(UsdsimError, match="belongs to"):
        ContactQuery(other, SceneData(model))
    with pytest.raises(UsdsimError, match="belongs to"):
        other.get_link_net_contact_forces(SceneData(model))


def test_results_are_the_callers_own(model):
    query = model.get_contact_query(_mixed(model))
    count, contacts, pairs = query.num_contacts, query.contacts, query.contacting_geoms()[0]
    for array in (count, contacts.force, contacts.geom1, contacts.world, pairs):
        before = array.copy()
        array[...] = -7
        assert not np.array_equal(before, array)
    assert (query.num_contacts != -7).all() and (query.contacting_geoms()[0] != -7).all()
    for name in ("force", "geom1", "world"):
        assert (getattr(query.contacts, name) != -7).all()
    assert len(query.contacts[0]) == 1 and len(query.contacts[:0]) == 0


def test_a_world_without_any_geoms_has_no_contacts():
    model = load_mjcf_str(
        '<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" '
        'diaginertia="1 1 1"/></body></worldbody></mujoco>'
    )
    query = model.get_contact_query(SceneData(model, batch=(2,)))
    assert query.num_contacts.tolist() == [0, 0] and len(query.contacts) == 0
    assert query.is_colliding([]).shape == (2, 0)
    np.testing.assert_array_equal(
        model.get_link_net_contact_forces(SceneData(model, batch=(2,))), np.zeros((2, 1, 6))
    )


def test_disabled_contacts_are_gone():
    model = load_mjcf_str(SCENE)
    data = _resting(model)
    assert model.get_contact_query(data).num_contacts == 5
    model.options.disable_contacts = True
    model.step(data)
    assert model.get_contact_query(data).num_contacts == 0


CLOTH = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="ball" pos="0 0 .1"><freejoint/><geom name="ball" size=".1" mass="5"/></body>
    <flexcomp name="cloth" type="grid" count="5 5 1" spacing=".08 .08 .1" pos="0 0 .25"
      radius=".01" mass=".2" dim="2"><edge equality="true"/></flexcomp>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("scene", ["shapes", "sleeping", "cloth"])
def test_who_touches_agrees_with_the_contacts_of_every_world(scene):
    """Queries look for contacts themselves; lists come from copies of worlds."""
    text = CLOTH if scene == "cloth" else SCENE
    if scene == "sleeping":
        text = text.replace("<worldbody>", "<option><flag sleep='enable'/></option><worldbody>")
    model = load_mjcf_str(text)
    data, ball = SceneData(model, batch=(5,)), model.get_geom("ball")
    if scene == "shapes":
        sizes = np.tile([[0.1], [0.2], [0.3], [0.6], [0.95]], (1, 3))
        data.set_param("geom_size", np.array([ball.engine_id]), sizes[:, None])
        data[3].set_param("body_pos", np.array([model.get_link("hat").engine_id]), [[0, 0, -0.3]])
    touched = set()
    for _ in range(8):
        model.step_n(data, 50)
        contacts = model.get_contacts(data)
        query = model.get_contact_query(data)
        found = query.contacting_geoms()
        np.testing.assert_array_equal(query.num_contacts, np.bincount(contacts.world, minlength=5))
        for world in range(5):
            here = contacts.in_world(world)
            pairs = {tuple(sorted(p)) for p in zip(here.geom1, here.geom2, strict=True)}
            pairs = {pair for pair in pairs if pair[0] >= 0}
            assert pairs == set(map(tuple, found[world]))
            touched |= {(world, *pair) for pair in pairs}
            assert query.is_colliding([[0, ball.index]])[world, 0] == ((0, ball.index) in pairs)
    assert len(touched) >= 5


def test_views_of_no_worlds(model):
    none = _mixed(model)[[]]
    query = model.get_contact_query(none)
    assert query.num_contacts.shape == (0,) and len(query.contacts) == 0
    assert query.contacting_geoms() == [] and query.is_colliding([[0, 1]]).shape == (0, 1)
    assert query.get_force(model.links[0]).shape == (0, 3)
    assert model.get_link_net_contact_forces(none).shape == (0, 3, 6)
    assert model.get_constraints_report(none).dof_forces.shape == (0, 12)
    assert model.cast_rays(none, [0, 0, 1], [0, 0, 1]).normal.shape == (0, 1, 3)
    assert none.get_state().shape == (0,)


@pytest.mark.corpus
@pytest.mark.parametrize("robot", ["dmc_walker", "mj_active_adhesion", "rs_robotiq_140"])
def test_net_forces_of_real_models(corpus, robot):
    (path, *_) = sorted((corpus / "mjcf" / robot).glob("*.xml"))
    model = load_model(path)
    data = SceneData(model, batch=(2,))
    model.step_n(data, 100)
    forces, expected = model.get_link_net_contact_forces(data), _summed(model, data)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(forces, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
