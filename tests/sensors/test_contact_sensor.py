"""Contact forces against weights, and air times against a bounce made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import UsdGeom, UsdPhysics
from sensor_stages import ANY, ENV, G, block_on_ramp, box, floor, frame, tower, turned, vectors

from usdsim.core.errors import InvalidValueError, StageError, UnknownNameError
from usdsim.sensors import ContactSensor, ContactSensorCfg
from usdsim.views.usable import UsableArray


def settle(sim, sensors=(), steps=400):
    for _ in range(steps):
        sim.step()
        for sensor in sensors:
            sensor.update(sim.physics_dt)


def test_net_force_of_boxes_at_rest_is_their_weight(make_sim):
    sim = make_sim(tower)
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/.*"))
    sim.reset()
    sim.step_n(400)
    assert sensor.num_instances == 2 and sensor.num_bodies == 3
    assert sensor.body_names == sensor.sensor_names == ["lower", "upper", "bird"]
    assert sensor.num_sensors == 3
    assert sensor.find_sensors(".*er") == sensor.find_bodies(".*er") == ([0, 1], ["lower", "upper"])
    expected = np.array([[0, 0, G], [0, 0, 2 * G], [0, 0, 0]])
    assert vectors(sensor.data.net_forces_w) == pytest.approx(np.array([expected] * 2), abs=2e-3)
    assert sensor.data.force_matrix_w is None and sensor.data.pos_w is None
    assert sensor.data.net_forces_w_history.shape == (2, 1, 3)


def test_forces_are_told_apart_by_filters(make_sim):
    sim = make_sim(tower)
    sensor = ContactSensor(
        ContactSensorCfg(
            prim_path=f"{ANY}/(lower|upper)",
            filter_prim_paths_expr=[f"{ANY}/upper", "/World/floor", f"{ANY}/lower"],
        )
    )
    sim.reset()
    sim.step_n(400)
    assert sensor.filter_paths == [f"{ENV}/upper", "/World/floor", f"{ENV}/lower"]
    assert sensor.num_filters == 3
    matrix = vectors(sensor.data.force_matrix_w)
    assert matrix.shape == (2, 2, 3, 3)
    assert matrix[..., :2] == pytest.approx(0.0, abs=2e-3)
    expected = [[-2 * G, 3 * G, 0], [0, 0, 2 * G]]
    assert matrix[..., 2] == pytest.approx(np.array([expected] * 2), abs=3e-3)
    assert matrix.sum(axis=2) == pytest.approx(vectors(sensor.data.net_forces_w), abs=1e-4)


def test_a_filter_of_several_colliders_is_their_sum(make_sim):
    def build(stage):
        frame(stage, f"{ENV}/feet", turned())
        for i, x in enumerate((-0.4, 0.4)):
            box(stage, f"{ENV}/feet/foot_{i}", (x, 0, 0.1), body=False)
        box(stage, f"{ENV}/plank", (0, 0, 0.7), half=0.5, mass=4.0)

    sim = make_sim(build)
    sensor = ContactSensor(
        ContactSensorCfg(
            prim_path=f"{ANY}/plank",
            filter_prim_paths_expr=[f"{ANY}/feet", f"{ANY}/feet/foot_0"],
        )
    )
    sim.reset()
    sim.step_n(500)
    matrix = vectors(sensor.data.force_matrix_w)[:, 0]
    assert matrix[:, 0, 2] == pytest.approx(4 * G, rel=1e-3)
    assert matrix[:, 1, 2] == pytest.approx(2 * G, rel=2e-2)


def test_a_filter_of_a_mesh_is_the_sum_over_its_convex_parts(make_sim):
    def build(stage):
        corners = np.stack(np.meshgrid(*[(-0.1, 0.1)] * 3, indexing="ij"), -1).reshape(-1, 3)
        quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4],
                          [1, 5, 7, 3]])  # fmt: skip
        mesh = UsdGeom.Mesh.Define(stage, f"{ENV}/feet")
        mesh.CreatePointsAttr(np.concatenate([np.add(corners, (x, 0.1, 0.1)) for x in (-0.3, 0.5)]))
        mesh.CreateFaceVertexIndicesAttr(np.concatenate([quads, quads + 8]).ravel())
        mesh.CreateFaceVertexCountsAttr([4] * 12)
        UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
        decomposed = UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim())
        decomposed.CreateApproximationAttr("convexDecomposition")
        box(stage, f"{ENV}/plank", (0.1, 0.1, 0.7), half=0.5, mass=4.0)

    sim = make_sim(build)
    cfg = ContactSensorCfg(prim_path=f"{ANY}/plank", filter_prim_paths_expr=[f"{ANY}/fe.*"])
    sensor = ContactSensor(cfg)
    sim.reset()
    sim.step_n(500)
    assert sensor.filter_paths == [f"{ENV}/feet"]
    assert vectors(sensor.data.force_matrix_w)[:, 0, 0, 2] == pytest.approx(4 * G, rel=1e-3)


def test_friction_belongs_to_the_force(make_sim):
    sim = make_sim(lambda stage: block_on_ramp(stage, 0.2))
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/block"))
    sim.reset()
    sim.step_n(500)
    assert vectors(sensor.data.net_forces_w)[:, 0] == pytest.approx(
        np.array([[0, 0, G]] * 2), abs=0.05
    )


def test_forces_describe_the_state_after_a_reset_without_a_step(make_sim):
    sim = make_sim(tower)
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/lower"))
    sim.reset()
    sim.step_n(400)
    lifted = sim.engine.read("qpos").copy()
    lifted[:, 2] += 3.0
    sim.engine.write("qpos", lifted[[1]], env_ids=[1])
    force = vectors(sensor.data.net_forces_w)[:, 0, 2]
    assert force[0] == pytest.approx(G, abs=2e-3) and force[1] == 0.0


def test_a_partial_reset_leaves_other_worlds_as_they_are(make_sim):
    sim = make_sim(tower, envs=3)
    sensor = ContactSensor(
        ContactSensorCfg(
            prim_path=f"{ANY}/.*",
            history_length=3,
            track_air_time=True,
            filter_prim_paths_expr=["/World/floor"],
        )
    )
    sim.reset()
    settle(sim, [sensor], 30)
    names = (
        "net_forces_w",
        "net_forces_w_history",
        "force_matrix_w",
        "force_matrix_w_history",
        "current_air_time",
        "current_contact_time",
        "last_air_time",
        "last_contact_time",
    )
    before = {name: vectors(getattr(sensor.data, name)) for name in names}
    sim.engine.reset([1])
    sensor.reset([1])
    for name in names:
        now = vectors(getattr(sensor.data, name))
        assert np.array_equal(now[[0, 2]], before[name][[0, 2]]), name
        if name != "net_forces_w" and name != "force_matrix_w":
            assert not now[1].any(), name
    assert before["current_air_time"][1, 2] > 0.0 and before["net_forces_w_history"][1].any()


def test_worlds_that_sample_by_themselves_get_the_same_forces(make_sim):
    sim = make_sim(tower)
    sensor = ContactSensor(
        ContactSensorCfg(
            prim_path=f"{ANY}/lower", update_period=10.0, filter_prim_paths_expr=["/World/floor"]
        )
    )
    sim.reset()
    at_start = vectors(sensor.data.net_forces_w)
    sim.step_n(400)
    sensor.reset([1])
    force, matrix = vectors(sensor.data.net_forces_w), vectors(sensor.data.force_matrix_w)
    assert np.array_equal(force[0], at_start[0])
    assert force[1, 0] == pytest.approx([0, 0, G], abs=2e-3)
    assert matrix[1, 0, 0] == pytest.approx([0, 0, 3 * G], abs=3e-3)


def test_history_has_the_newest_sample_first_and_reading_does_not_add_to_it(make_sim):
    sim = make_sim(tower)
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/lower", history_length=3))
    sim.reset()
    taken = []
    for _ in range(5):
        sim.step()
        _ = sensor.data
        sensor.update(sim.physics_dt)
        taken.append(vectors(sensor.data.net_forces_w))
    assert len({float(force[0, 0, 2]) for force in taken}) > 3
    history = vectors(sensor.data.net_forces_w_history)
    assert history.shape == (2, 3, 1, 3)
    assert np.array_equal(history, np.stack(taken[:1:-1], axis=1))


def test_poses_are_those_of_the_bodies(make_sim):
    def build(stage):
        floor(stage)
        box(stage, f"{ENV}/box", pose=turned((0.5, 0, 1.0), (0, 0, 1), 0.4))

    sim = make_sim(build)
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/box", track_pose=True))
    sim.reset()
    assert vectors(sensor.data.pos_w)[:, 0] == pytest.approx(
        np.array([[0.5, 0, 1], [3.5, 0, 1]]), abs=1e-6
    )
    expected = [0, 0, np.sin(0.2), np.cos(0.2)]
    assert vectors(sensor.data.quat_w)[1, 0] == pytest.approx(expected, abs=1e-6)


def test_air_times_of_a_bounce_made_by_hand(make_sim):
    """The box is put on the floor or above it before each step, so that contact is as planned."""
    sim = make_sim(tower, dt=0.01)
    sensor = ContactSensor(
        ContactSensorCfg(prim_path=f"{ANY}/lower", track_air_time=True, force_threshold=0.1)
    )
    sim.reset()
    start = sim.engine.read("qpos").copy()
    plan = [0, 0, 0, 1, 1, 0, 0, 0, 0, 1]
    current = {0: 0.0, 1: 0.0}
    last = {0: 0.0, 1: 0.0}
    for touching in plan:
        qpos = start.copy()
        qpos[:, 2] = 0.0999 if touching else 3.0
        qpos[:, 9] = 6.0
        sim.engine.write("qpos", qpos)
        sim.engine.write("qvel", 0.0)
        sim.step()
        sensor.update(0.01)
        other = 1 - touching
        if current[other]:
            last[other] = current[other] + 0.01
        current[touching] += 0.01
        current[other] = 0.0
        data = sensor.data
        for name, value in (
            ("current_air_time", current[0]),
            ("current_contact_time", current[1]),
            ("last_air_time", last[0]),
            ("last_contact_time", last[1]),
        ):
            assert vectors(getattr(data, name)) == pytest.approx(value, abs=1e-6), name
        first_contact = sensor.compute_first_contact(0.01).numpy()
        first_air = sensor.compute_first_air(0.01).numpy()
        assert first_contact.all() == (abs(current[1] - 0.01) < 1e-6)
        assert first_air.all() == (abs(current[0] - 0.01) < 1e-6)
        assert first_contact.dtype == np.bool_ and first_contact.shape == (2, 1)
        assert isinstance(sensor.compute_first_air(0.01), UsableArray), "a tensor for who wants one"
    assert last[0] == pytest.approx(0.05) and sensor.compute_first_air(1.0).numpy().sum() == 0


def test_bodies_nested_in_bodies_are_found_by_pattern(make_sim):
    def build(stage):
        box(stage, f"{ENV}/robot/base", (0, 0, 1))
        shin = box(stage, f"{ENV}/robot/base/shin", (0, 0, -0.5))
        box(stage, f"{ENV}/robot/base/shin/left_foot", (0, 0, -0.5))
        joint = UsdPhysics.RevoluteJoint.Define(stage, f"{ENV}/robot/knee")
        joint.CreateBody0Rel().SetTargets([f"{ENV}/robot/base"])
        joint.CreateBody1Rel().SetTargets([shin.GetPath()])
        for prim in stage.Traverse():
            if prim.IsA(UsdGeom.Cube):
                UsdGeom.Xformable(prim).SetResetXformStack(False)

    sim = make_sim(build)
    by_path = {
        f"{ANY}/robot/.*": ["base", "shin", "left_foot"],
        f"{ANY}/robot/.*_foot": ["left_foot"],
        f"{ANY}/robot/base": ["base"],
        f"{ANY}/robot": ["base", "shin", "left_foot"],
        f"{ANY}/robot/left_foot": ["left_foot"],
    }
    sensors = {path: ContactSensor(ContactSensorCfg(prim_path=path)) for path in by_path}
    sim.reset()
    assert {path: sensor.body_names for path, sensor in sensors.items()} == by_path
    sensor = sensors[f"{ANY}/robot/.*"]
    assert sensor.find_bodies(["shin", "base"]) == ([0, 1], ["base", "shin"])
    assert sensor.find_bodies(["shin", "base"], preserve_order=True) == ([1, 0], ["shin", "base"])
    with pytest.raises(UnknownNameError, match="hand"):
        sensor.find_bodies("hand")


def test_matches_of_one_world_are_instances_of_their_own(make_sim):
    def build(stage):
        floor(stage)
        for i, mass in enumerate((1.0, 3.0)):
            frame(stage, f"{ENV}/robot_{i}", turned((0, float(i), 0)))
            box(stage, f"{ENV}/robot_{i}/foot", (0, 0, 0.1), mass=mass)

    sim = make_sim(build)
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/robot_.*/foot", track_pose=True))
    sim.reset()
    sim.step_n(400)
    assert sensor.num_instances == 4 and sensor.num_bodies == 1
    assert vectors(sensor.data.net_forces_w)[:, 0, 2] == pytest.approx(
        [G, 3 * G, G, 3 * G], abs=5e-3
    )
    assert vectors(sensor.data.pos_w)[:, 0, :2] == pytest.approx(
        np.array([[0, 0], [0, 1], [3, 0], [3, 1]]), abs=1e-3
    )


def test_sensors_that_measure_the_same_share_it(make_sim):
    sim = make_sim(tower)
    first = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/lower"))
    second = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/.*"))
    sim.reset()
    assert sim.engine.compiled.mj.nsensor == 3
    sim.step_n(100)
    assert np.array_equal(vectors(first.data.net_forces_w)[:, 0],
                          vectors(second.data.net_forces_w)[:, 0])  # fmt: skip


def test_what_cannot_be_measured_is_refused(make_sim):
    sim = make_sim(tower)
    with pytest.raises(StageError, match=r"prim_path is missing"):
        ContactSensor(ContactSensorCfg())
    with pytest.raises(StageError, match=r"absolute path"):
        ContactSensor(ContactSensorCfg(prim_path="Robot/foot"))
    for name, value in (
        ("force_threshold", -1.0),
        ("force_threshold", float("nan")),
        ("update_period", -0.1),
        ("update_period", float("inf")),
        ("history_length", -1),
        ("history_length", 1.5),
        ("filter_prim_paths_expr", f"{ANY}/upper"),
    ):
        with pytest.raises(InvalidValueError, match=name):
            ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/lower", **{name: value}))
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/lower"))
    for call in (
        lambda: sensor.data,
        lambda: sensor.update(0.1),
        lambda: sensor.reset(),
        lambda: sensor.num_instances,
        lambda: sensor.body_names,
        lambda: sensor.num_filters,
        lambda: sensor.compute_first_air(0.1),
    ):
        with pytest.raises(StageError, match="before the simulation starts"):
            call()
    sim.reset()
    with pytest.raises(StageError, match="track_air_time"):
        sensor.compute_first_contact(0.1)
    with pytest.raises(InvalidValueError, match="dt"):
        sensor.update(-0.1)
    with pytest.raises(InvalidValueError, match="env_ids"):
        sensor.reset([5])
    sim.stop()
    with pytest.raises(StageError, match="before the simulation starts"):
        _ = sensor.data


def test_first_contact_looks_back_by_a_positive_time(make_sim):
    sim = make_sim(tower)
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/lower", track_air_time=True))
    sim.reset()
    with pytest.raises(InvalidValueError, match="dt"):
        sensor.compute_first_contact(0.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"prim_path": f"{ANY}/wheel"}, "matches no rigid body"),
        ({"prim_path": "/World/envs/env_1/lower"}, "matches /World/envs/env_1 but not"),
        ({"prim_path": f"{ANY}/lower", "filter_prim_paths_expr": [f"{ANY}/wall"]}, "wall"),
    ],
)
def test_what_matches_nothing_is_refused_at_the_start(make_sim, values, message):
    sim = make_sim(tower)
    ContactSensor(ContactSensorCfg(**values))
    with pytest.raises(StageError, match=message):
        sim.reset()


def test_a_filter_without_colliders_is_refused(make_sim):
    def build(stage):
        tower(stage)
        prim = box(stage, f"{ENV}/ghost", body=False)
        prim.RemoveAPI(UsdPhysics.CollisionAPI)

    sim = make_sim(build)
    ContactSensor(
        ContactSensorCfg(prim_path=f"{ANY}/lower", filter_prim_paths_expr=[f"{ANY}/ghost"])
    )
    with pytest.raises(StageError, match="ghost"):
        sim.reset()


def test_robots_built_differently_do_not_share_a_sensor(make_sim):
    def build(stage):
        for i, name in enumerate(("foot_l", "foot_r")):
            frame(stage, f"{ENV}/robot_{i}", turned((0, float(i), 0)))
            box(stage, f"{ENV}/robot_{i}/{name}", (0, 0, 0.1))

    sim = make_sim(build)
    ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/robot_.*/foot_.*"))
    with pytest.raises(StageError, match="other bodies"):
        sim.reset()


def test_the_sensor_works_on_a_copy_of_its_configuration(make_sim):
    make_sim(tower)
    cfg = ContactSensorCfg(prim_path=f"{ANY}/lower")
    sensor = ContactSensor(cfg)
    cfg.filter_prim_paths_expr.append("/World/floor")
    assert sensor.cfg.filter_prim_paths_expr == []
    assert cfg.class_type is ContactSensor and isinstance(str(sensor), str)
    assert cfg.replace(history_length=4).history_length == 4 and cfg.history_length == 0
