"""Parameters of single worlds that move inertial frames, joints and surfaces."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from engine_scenes import Z, body, dof, engine, geom, ground, joint, pose, scene

from usdsim.core.errors import InvalidValueError, SimulationError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.parameters import cpu as parameters
from usdsim.parser.description import GeomKind, MeshDescription

TILT = [np.cos(0.3), 0.0, np.sin(0.3), 0.0]
INERTIA = np.array([0.01, 0.02, 0.025])


def lone_bodies(**values):
    """A box in space, and a cart with a turntable on it: the engine takes all but the cart."""
    box = body("/box", pose((0, 0, 1)), inertia=INERTIA, **values)
    table = body("/table", pose((1, 0, 0)), joints=(0,), inertia=INERTIA, **values)
    turn = joint(
        dof("/x", "slide", np.eye(3)[0]), dof("/turn", axis=Z), path="/turn", child=1, kind="d6"
    )
    return scene([box, table], [turn])


def reference(field: str, row: int, value, steps: int) -> np.ndarray:
    """Positions after steps of MuJoCo on a model without the shortcut and with that parameter."""
    compiled = compile_scene(lone_bodies())
    model = compiled.loose
    getattr(model, field)[row] = value
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    mujoco.mj_resetData(model, data)
    data.qpos[:], data.qvel[:] = compiled.initial.qpos, np.linspace(0.5, 1.5, model.nv)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return data.qpos.copy()


@pytest.mark.parametrize(
    ("field", "row", "value"),
    [
        ("body_ipos", 1, [0.05, 0.02, 0.0]),
        ("body_iquat", 1, TILT),
        ("body_ipos", 2, [0.1, 0.0, 0.05]),
        ("jnt_pos", 2, [0.2, 0.1, 0.0]),
        ("jnt_axis", 1, [0.6, 0.0, 0.8]),
        ("body_inertia", 1, [0.02, 0.03, 0.04]),
    ],
)
def test_frames_of_lone_bodies_may_differ_between_worlds(field, row, value):
    plain, sim = (CpuEngine(compile_scene(lone_bodies()), 3) for _ in range(2))
    assert (sim.compiled.mj.body_simple[1:] != 0).all()
    for each in (plain, sim):
        each.write("qvel", np.linspace(0.5, 1.5, each.compiled.mj.nv))
    sim.set_param(field, value, env_ids=[1], ids=[row])
    for each in (plain, sim):
        each.step(50)
    expected = reference(field, row, value, 50)
    assert sim.read("qpos")[1] == pytest.approx(expected, abs=1e-12)
    assert np.abs(sim.read("qpos")[1] - plain.read("qpos")[1]).max() > 1e-4
    assert sim.read("qpos")[[0, 2]] == pytest.approx(plain.read("qpos")[[0, 2]], abs=1e-12)
    assert getattr(sim.world_model(1), field)[row] == pytest.approx(value)
    assert sim.world_data(1).qpos == pytest.approx(expected, abs=1e-12)


def test_moving_a_frame_keeps_state_and_other_parameters():
    sim = CpuEngine(compile_scene(lone_bodies()), 2, on_failure="report")
    sim.set_param("body_mass", 3.0, env_ids=[0], ids=[1])
    sim.set_param("opt.gravity", [0.0, 0.0, -1.0], env_ids=[1])
    sim.write("xfrc_applied", [1.0, 0, 0, 0, 0, 0], ids=[1])
    sim.step(5)
    old, before = sim.state("qpos"), sim.read("qpos").copy()
    forces, time = sim.read("xfrc_applied").copy(), sim.time.copy()
    sim.set_param("body_ipos", [0.1, 0.0, 0.0], env_ids=[0], ids=[1])
    assert (sim.read("qpos") == before).all() and (sim.time == time).all()
    assert (sim.read("xfrc_applied") == forces).all()
    assert sim.param("body_mass")[:, 1] == pytest.approx([3, 1])
    assert sim.param("opt.gravity")[:, 2] == pytest.approx([-9.81, -1])
    assert sim.read("xipos")[:, 1, 0] - sim.read("xpos")[:, 1, 0] == pytest.approx([0.1, 0.0])
    with pytest.raises(ValueError, match="read-only"):
        old[:] = 0.0
    sim.set_param("body_ipos", 0.0, env_ids=[0], ids=[1])
    sim.reset()
    fresh = CpuEngine(sim.compiled)
    for each in (sim, fresh):
        each.set_param("body_mass", 1.0)
        each.set_param("opt.gravity", [0.0, 0.0, -9.81])
        each.write("xfrc_applied", 0.0)
        each.step(20)
    assert sim.read("qpos")[0] == pytest.approx(fresh.read("qpos")[0], abs=1e-12)


def test_gravity_stays_made_up_for_after_a_frame_moved():
    """In all worlds, though the model had nothing that made up for gravity when it was compiled."""
    sim = engine(scene([body()], (), [geom()], gravity=-9.81 * Z), num_envs=3)
    sim.set_param("body_gravcomp", [[1.0], [0.5], [0.0]], ids=[1])
    falling = [0.0, -0.5 * 9.81, -9.81]
    assert sim.read("qacc")[:, 2] == pytest.approx(falling)
    sim.set_param("body_ipos", [0.1, 0.0, 0.0], env_ids=[2], ids=[1])
    assert sim.read("xipos")[:, 1, 0] == pytest.approx([0.0, 0.0, 0.1])
    assert sim.read("qacc")[:, 2] == pytest.approx(falling)
    assert sim.param("body_mass")[:, 1] == pytest.approx(1.0)


def test_velocity_limits_hold_after_a_frame_moved():
    fast = scene([body(joints=(0,))], [joint(dof(velocity_limit=1.0))], gravity=np.zeros(3))
    sim = engine(fast, num_envs=2)
    assert sim.compiled.mj.body_simple[1]
    sim.set_param("body_ipos", [0.1, 0.0, 0.0], env_ids=[1], ids=[1])
    sim.write("qfrc_applied", 1.0)
    sim.step(100)
    assert sim.read("qvel")[:, 0] == pytest.approx([1.0, 1.0])


def test_what_the_engine_refuses_names_prims_and_changes_nothing(monkeypatch):
    monkeypatch.setattr(parameters, "breaks_shortcut", lambda *args: False)
    sim = CpuEngine(compile_scene(lone_bodies()), 3)
    with pytest.raises(SimulationError, match=r"body_ipos of /box in world 1") as info:
        sim.set_param("body_ipos", [0.1, 0.0, 0.0], env_ids=[1], ids=[1])
    assert "simple" not in str(info.value)
    assert (info.value.worlds, info.value.prims) == ((1,), (("/box",),))
    assert not sim.param("body_ipos").any()
    sim.step()


@pytest.mark.parametrize("value", [[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0]])
def test_orientations_are_unit_quaternions(value):
    sim = CpuEngine(compile_scene(lone_bodies()), 2)
    with pytest.raises(InvalidValueError, match=r"body_iquat of /table in world 1.*unit length"):
        sim.set_param("body_iquat", value, env_ids=[1], ids=[2])
    assert sim.param("body_iquat")[1, 2] == pytest.approx([1, 0, 0, 0])


SHAPES = [
    ("sphere", (0.1, 0.0, 0.0), 0.1),
    ("capsule", (0.1, 0.2, 0.0), 0.3),
    ("cylinder", (0.1, 0.2, 0.0), 0.2),
    ("box", (0.1, 0.1, 0.2), 0.2),
    ("ellipsoid", (0.1, 0.1, 0.2), 0.2),
]


@pytest.mark.parametrize(("kind", "size", "height"), SHAPES)
def test_a_grown_shape_rests_on_its_new_surface(kind, size, height):
    """It slides down a rail onto the ground."""
    rail = dof("/rail", "slide", Z, damping=5.0)
    bodies = [body(joints=(0,), at=pose((0, 0, height)))]
    shapes = [ground(), geom(kind=kind, size=size)]
    stage = scene(bodies, [joint(rail, path="/rail", kind="prismatic")], shapes)
    plain, sim = engine(stage, num_envs=3), engine(stage, num_envs=3)
    row = sim.compiled.names.index("geom", "/body/shape")
    sim.set_param("geom_size", 10.0 * np.array(size), env_ids=[1], ids=[row])
    for each in (plain, sim):
        each.write("qpos", 9.0 * height + 1e-3, env_ids=[1])
        each.step(500)
    heights = sim.read("xpos")[:, 1, 2]
    assert heights == pytest.approx([height, 10 * height, height], abs=1e-3)
    others = [0, 2]
    for field in ("qpos", "qvel", "qacc", "xpos"):
        assert (sim.read(field)[others] == plain.read(field)[others]).all()
    assert plain.read("xpos")[1, 1, 2] < 9.5 * height


@pytest.mark.parametrize(("kind", "size", "height"), SHAPES)
def test_shapes_that_grow_together_meet(kind, size, height):
    """Bounds follow in every phase of collision: two bodies apart touch once both have grown."""
    bodies = [body(f"/b{i}", pose((3.0 * i, 0, 0))) for i in range(2)]
    shapes = [
        geom(f"/b{i}/s{k}", i, kind, size, pose=pose((0, 0.02 * k, 0)))
        for i in range(2)
        for k in range(3)
    ]
    sim = engine(scene(bodies, (), shapes, gravity=np.zeros(3)), num_envs=3)
    assert not sim.read("ncon").any()
    sim.set_param("geom_size", 16.0 * np.array(size), env_ids=[2])
    assert (sim.read("ncon") > 0).ravel().tolist() == [False, False, True]
    sim.set_param("geom_size", np.array(size), env_ids=[2])
    assert not sim.read("ncon").any()


def mesh_scene():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    mesh = MeshDescription(path="/rock", points=points, faces=faces)
    rock = geom("/body/rock", kind="mesh", size=(0, 0, 0), mesh="rock")
    return scene([body()], (), [ground(), rock, geom()], meshes={"rock": mesh})


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("/body/rock", [1.0, 1.0, 1.0], "mesh.*Scale the prim"),
        ("/body/shape", [0.0, 0.0, 0.0], "first 1 above 0"),
        ("/body/shape", [-1.0, 0.0, 0.0], "above 0"),
        ("/body/shape", [np.inf, 0.0, 0.0], "finite"),
        ("/ground", [-1.0, 0.0, 1.0], "none below"),
    ],
)
def test_sizes_a_shape_cannot_have(path, value, words):
    sim = engine(mesh_scene(), num_envs=2)
    row = sim.compiled.names.index("geom", path)
    before = sim.param("geom_size").copy()
    with pytest.raises(InvalidValueError, match=f"'{path}' in world 1 .*{words}"):
        sim.set_param("geom_size", value, env_ids=[1], ids=[row])
    assert (sim.param("geom_size") == before).all()
    sim.set_param("geom_size", before)


def test_every_kind_of_shape_is_sized_or_refused():
    assert {kind for kind, _, _ in SHAPES} | {"plane", "mesh", "hfield", "sdf"} == set(
        GeomKind.__args__
    )
