"""Contact points and friction forces against blocks on ramps, towers and bounces."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pxr import UsdPhysics, UsdShade
from sensor_stages import ANY, ENV, SPACING, G, block_on_ramp, box, floor, tower, vectors

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.sensors import ContactSensor, ContactSensorCfg

ANGLE = 0.2


def tracked(body, *filters, **values):
    """A sensor of points and friction forces."""
    return ContactSensor(
        ContactSensorCfg(
            prim_path=f"{ANY}/{body}",
            track_contact_points=True,
            track_friction_forces=True,
            filter_prim_paths_expr=list(filters),
            **values,
        )
    )


def singles(sensor, dt):
    """Sums of what the view of a sensor tells of single contacts, and means of their points."""
    view, names = sensor.contact_view, ("force", "point", "normal", "distance", "count", "begin")
    told = dict(zip(names, (a.numpy() for a in view.get_contact_data(dt)), strict=True))
    friction, at, *rest = (a.numpy() for a in view.get_friction_data(dt))
    assert np.array_equal(at, told["point"]) and np.array_equal(rest[0], told["count"])
    assert (told["distance"] <= 0.0).all() and told["count"].sum() == len(friction)
    pressing = told["force"] * told["normal"]
    shape = (view.count, view.filter_count)
    sums = np.zeros((3, *shape, 3))
    for place in np.ndindex(*shape):
        begin = told["begin"][place]
        mine = slice(begin, begin + told["count"][place])
        sums[(0, *place)], sums[(1, *place)] = (
            pressing[mine].sum(axis=0),
            friction[mine].sum(axis=0),
        )
        sums[(2, *place)] = told["point"][mine].mean(axis=0) if told["count"][place] else np.nan
    return sums


def expect_singles(sensor, dt):
    """Single contacts are the parts of forces, frictions and mean points."""
    pressing, friction, points = singles(sensor, dt)
    data = sensor.data
    rubbing = vectors(data.friction_forces_w).reshape(friction.shape)
    assert friction == pytest.approx(rubbing, rel=1e-4, abs=1e-4)
    whole = vectors(data.force_matrix_w).reshape(pressing.shape)
    assert pressing == pytest.approx(whole - rubbing, rel=1e-4, abs=1e-3)
    means = vectors(data.contact_pos_w).reshape(points.shape)
    assert points == pytest.approx(means, abs=1e-5, nan_ok=True)


def test_friction_holds_a_block_on_a_ramp_and_points_lie_under_it(make_sim):
    sim = make_sim(lambda stage: block_on_ramp(stage, ANGLE))
    sensor = tracked("block", f"{ANY}/ramp", track_pose=True)
    sim.reset()
    sim.step_n(500)
    data = sensor.data
    normal = np.array([np.sin(ANGLE), 0.0, np.cos(ANGLE)])
    uphill = np.array([-np.cos(ANGLE), 0.0, np.sin(ANGLE)])
    friction = vectors(data.friction_forces_w)[:, 0, 0]
    assert friction == pytest.approx(np.array([G * np.sin(ANGLE) * uphill] * 2), abs=0.02)
    pressing = vectors(data.force_matrix_w)[:, 0, 0] - friction
    assert pressing == pytest.approx(np.array([G * np.cos(ANGLE) * normal] * 2), abs=0.02)
    below = vectors(data.pos_w)[:, 0] - 0.1 * normal
    assert vectors(data.contact_pos_w)[:, 0, 0] == pytest.approx(below, abs=2e-3)
    expect_singles(sensor, sim.physics_dt)
    view = sensor.contact_view
    impulses = view.get_net_contact_forces().numpy()
    assert impulses == pytest.approx(vectors(data.net_forces_w)[:, 0] * sim.physics_dt)
    matrix = view.get_contact_force_matrix(sim.physics_dt).numpy()
    assert matrix == pytest.approx(vectors(data.force_matrix_w)[:, 0])
    with pytest.raises(InvalidValueError, match="above 0"):
        view.get_contact_data(0.0)


def test_points_and_friction_are_told_apart_by_body_and_filter(make_sim):
    sim = make_sim(tower)
    sensor = tracked(".*", f"{ANY}/upper", "/World/floor")
    sim.reset()
    sim.step_n(300)
    points = vectors(sensor.data.contact_pos_w)
    assert points.shape == (2, 3, 2, 3)
    touching = np.array([[True, True], [False, False], [False, False]])
    assert np.array_equal(np.isfinite(points).all(axis=-1), [touching] * 2)
    middle = np.array([[0, 0, 0.2], [0, 0, 0]])
    assert points[0, 0] == pytest.approx(middle, abs=1e-3)
    assert points[1, 0] == pytest.approx(middle + np.array([SPACING, 0, 0]), abs=1e-3)
    assert vectors(sensor.data.friction_forces_w) == pytest.approx(0.0, abs=2e-3)
    expect_singles(sensor, sim.physics_dt)


def test_friction_of_a_sliding_block_is_that_of_coulomb(make_sim):
    def build(stage):
        prim = floor(stage)
        box(stage, f"{ENV}/block", (0, 0, 0.1), mass=2.0)
        material = UsdShade.Material.Define(stage, "/World/ice")
        api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        api.CreateStaticFrictionAttr(0.25)
        api.CreateDynamicFrictionAttr(0.25)
        for one in (prim, stage.GetPrimAtPath(f"{ENV}/block")):
            UsdShade.MaterialBindingAPI.Apply(one).Bind(material, materialPurpose="physics")

    sim = make_sim(build)
    sensor = tracked("block", "/World/floor")
    sim.reset()
    sim.step_n(100)
    velocity = sim.engine.read("qvel").copy()
    velocity[:, :2] = [[2.0, 0.0], [0.0, -2.0]]
    sim.engine.write("qvel", velocity)
    sim.step()
    pressing = vectors(sensor.data.force_matrix_w)[:, 0, 0, 2]
    assert pressing.min() > G
    against = np.array([[-1, 0, 0], [0, 1, 0]])
    friction = vectors(sensor.data.friction_forces_w)[:, 0, 0]
    assert friction / pressing[:, None] == pytest.approx(0.25 * against, abs=1e-3)


def test_a_contact_that_bounces_is_told(make_sim):
    """Impulses of restitution are no contacts of the engine; forces, points and friction agree."""

    def build(stage):
        prim = floor(stage)
        ball = box(stage, f"{ENV}/ball", (0, 0, 0.3), mass=1.0)
        material = UsdShade.Material.Define(stage, "/World/rubber")
        api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        api.CreateRestitutionAttr(0.8)
        for one in (prim, ball):
            UsdShade.MaterialBindingAPI.Apply(one).Bind(material, materialPurpose="physics")

    sim = make_sim(build)
    sensor = tracked("ball", "/World/floor")
    sim.reset()
    velocity = sim.engine.read("qvel").copy()
    velocity[:, 2] = -1.5
    sim.engine.write("qvel", velocity)
    struck = 0
    for _ in range(100):
        sim.step()
        force = vectors(sensor.data.force_matrix_w)[0, 0, 0]
        point = vectors(sensor.data.contact_pos_w)[0, 0, 0]
        assert np.isfinite(point).all() == (force[2] > 0.0)
        if force[2] > 0.0:
            struck += 1
            expect_singles(sensor, sim.physics_dt)
            assert point == pytest.approx([0, 0, 0], abs=5e-3)
    assert struck and sim.engine.read("qvel")[0, 2] > 0.0


def test_views_of_sensors_that_track_nothing_say_what_to_set(make_sim):
    sim = make_sim(lambda stage: block_on_ramp(stage, ANGLE))
    sensor = ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/block"))
    sim.reset()
    assert (sensor.contact_view.count, sensor.contact_view.filter_count) == (2, 0)
    with pytest.raises(StageError, match="track_friction_forces"):
        sensor.contact_view.get_friction_data()
    with pytest.raises(StageError, match="filter_prim_paths_expr"):
        sensor.contact_view.get_contact_force_matrix()


def test_what_there_is_no_room_for_is_told(make_sim):
    sim = make_sim(lambda stage: block_on_ramp(stage, ANGLE))
    sensor = tracked("block", f"{ANY}/ramp", max_contact_data_count_per_prim=1)
    sim.reset()
    sim.step_n(10)
    with pytest.warns(UserWarning, match="room for 1"):
        _ = sensor.data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = sensor.data


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"track_contact_points": True}, "track_contact_points"),
        ({"track_friction_forces": True}, "track_friction_forces"),
        ({"max_contact_data_count_per_prim": 0}, "max_contact_data_count_per_prim"),
    ],
)
def test_what_has_nothing_to_tell_apart_is_refused(make_sim, values, name):
    make_sim(lambda stage: block_on_ramp(stage, ANGLE))
    with pytest.raises(InvalidValueError, match=name):
        ContactSensor(ContactSensorCfg(prim_path=f"{ANY}/block", **values))
