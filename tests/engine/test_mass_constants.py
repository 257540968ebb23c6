"""Constants that follow from masses in closed form, against those that the engine derives."""

from __future__ import annotations

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from corpus_files import corpus_models
from mujoco import batch as mjbatch

import usdsim
from usdsim.engine import CpuEngine
from usdsim.engine.parameters.mass_constants import MassConstants
from usdsim.engine.threads import ThreadedBatch

COUNT = 12
OUTPUTS = sorted(mujoco.MjModel._setconst_outputs)
JOINTS = (
    "<freejoint/>",
    '<joint type="ball"/>',
    '<joint axis="0 1 0"/><joint type="slide" axis="1 0 0.3" pos="0.1 0 0"/>',
    '<joint axis="1 2 0" armature="0.02" pos="0 0.1 0"/>',
)


def tree_of(rng: np.random.Generator, name: str, depth: int) -> str:
    """A body with bodies below it: any joints and shapes, a site, a camera and a light."""
    joint = JOINTS[rng.integers(0 if not depth else 1, 4)]
    if joint == JOINTS[3]:
        joint = joint.replace("<joint ", f'<joint name="{name}j" ')
    size, at = rng.uniform(0.05, 0.3, 3), rng.uniform(-0.5, 0.5, 3)
    below = [tree_of(rng, f"{name}{i}", depth + 1) for i in range(rng.integers(0, 3 - depth))]
    return (
        f'<body name="{name}" pos="{at[0]} {at[1]} {at[2]}">{joint}'
        f'<geom type="box" size="{size[0]} {size[1]} {size[2]}" pos="0.1 {at[0]} 0" '
        f'mass="{rng.uniform(0.2, 3)}"/><site name="{name}" pos="0 0.1 0"/>'
        f'<camera mode="trackcom"/><light mode="targetbodycom" target="b1"/>{"".join(below)}</body>'
    )


def random_model(seed: int) -> mujoco.MjModel:
    """Some trees, with tendons and actuators within and between them."""
    rng = np.random.default_rng(seed)
    bodies = "".join(tree_of(rng, f"b{i}", 0) for i in range(3))
    hinges = [part.split('"')[0] for part in bodies.split('joint name="')[1:]]
    fixed = "".join(f'<joint joint="{name}" coef="{rng.normal()}"/>' for name in hinges)
    motors = "".join(f'<position joint="{name}" kp="3" dampratio="1"/>' for name in hinges)
    return mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody>"
        f'<body><geom size="0.1" mass="2"/><camera/></body>{bodies}</worldbody><tendon>'
        '<spatial><site site="b0"/><site site="b1"/></spatial>'
        f"{f'<fixed>{fixed}</fixed>' if fixed else ''}</tendon>"
        f'<actuator>{motors}<general site="b2" gear="1 0 2 0 1 0"/></actuator></mujoco>'
    )


def compare(model: mujoco.MjModel, tolerance: float) -> int:
    """Check constants at random masses of up to two bodies; the number of worlds that had any."""
    rng = np.random.default_rng(0)
    ours, engines = (ThreadedBatch(model, COUNT, 1) for _ in range(2))
    heavy = np.flatnonzero(model.body_mass > 0.0)
    masses = np.tile(model.body_mass, (COUNT, 1))
    for row in masses:
        chosen = rng.choice(heavy, min(rng.integers(1, 3), len(heavy)), replace=False)
        row[chosen] *= 10.0 ** rng.uniform(-1.0, 1.0, len(chosen))
    for each in (ours, engines):
        each.expand("body_mass")[...] = masses
    constants = MassConstants(SimpleNamespace(mj=model, exact=False))
    left = constants.derive(ours, np.arange(COUNT))
    engines.set_const()
    done = np.setdiff1d(np.arange(COUNT), left)
    for name in OUTPUTS:
        found, expected = (
            np.broadcast_to(getattr(model, name), (COUNT, *getattr(model, name).shape))
            if each.expanded(name) is None
            else each.expanded(name)
            for each in (ours, engines)
        )
        # Positions relative to a centre of mass may be near zero.
        size = model.stat.extent if name.endswith("poscom0") else 0.0
        np.testing.assert_allclose(
            found[done], expected[done], tolerance, 1e-15 + tolerance * size, err_msg=name
        )
    return len(done)


@pytest.mark.parametrize("seed", range(20))
def test_constants_of_random_trees_are_those_the_engine_derives(seed):
    assert compare(random_model(seed), 1e-11) >= 3


@pytest.mark.parametrize("path", corpus_models("mjcf"), ids=lambda path: path.stem)
def test_constants_of_real_robots_are_those_the_engine_derives(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    if not (model.body_mass > 0.0).any() or model.nbody > 256 or model.nflex:
        pytest.skip("left to the engine")
    compare(model, 1e-10)


ROBOT = """<mujoco><worldbody>
  <body name="a" pos="0 0 1"><freejoint/><geom size="0.1" mass="1"/>
    <body name="b" pos="0.3 0 0"><joint axis="0 1 0"/><geom size="0.1" mass="2"/></body></body>
  <body name="c" pos="2 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="3"/></body>
</worldbody></mujoco>"""
A, B, C = 1, 2, 3


def started(count: int = 4, exact: bool = False) -> CpuEngine:
    model = usdsim.load_mjcf_str(ROBOT, exact=exact)
    assert [model.low.body(i).name for i in (A, B, C)] == ["a", "b", "c"]
    return CpuEngine(model.compiled, count)


def constants(sim: CpuEngine) -> dict[str, np.ndarray]:
    return {name: np.array(sim.param(name)) for name in OUTPUTS}


@pytest.fixture
def derived(monkeypatch):
    """Worlds that the engine derived constants of, one list per call."""
    calls = []
    set_const = mjbatch.Batch.set_const
    monkeypatch.setattr(
        mjbatch.Batch,
        "set_const",
        lambda batch, ids=None: calls.append(np.asarray(ids).tolist()) or set_const(batch, ids),
    )
    return calls


def test_one_mass_per_tree_needs_no_engine(derived):
    sim = started()
    sim.set_param("body_mass", [[1.5], [2.0], [0.3], [1.0]], ids=[A])
    sim.set_param("body_mass", 4.0, env_ids=[1, 2], ids=[C])
    sim.step(3)
    assert derived == []
    for world in range(4):
        model = sim.world_model(world)
        for name in OUTPUTS:
            expected = sim.world_model(world)
            mujoco.mj_setConst(expected, mujoco.MjData(expected))
            np.testing.assert_allclose(
                getattr(model, name), getattr(expected, name), 1e-13, 1e-15, err_msg=name
            )


def test_the_engine_derives_what_has_no_closed_form(derived):
    sim = started()
    sim.set_param("body_mass", 1.5, env_ids=[0], ids=[A])
    sim.set_param("body_mass", 2.5, env_ids=[1], ids=[A, B])
    sim.set_param("body_mass", 1e4, env_ids=[2], ids=[C])
    sim.set_param("body_mass", 2.0, env_ids=[3], ids=[A])
    sim.set_param("body_inertia", 0.1, env_ids=[3], ids=[C])
    sim.step()
    assert derived == [[1, 2, 3]]


def test_exact_models_are_left_to_the_engine(derived):
    sim = started(exact=True)
    sim.set_param("body_mass", 1.5, env_ids=[0], ids=[A])
    sim.step()
    assert derived == [[0]]


def test_models_edited_after_they_were_compiled_are_left_to_the_engine(derived):
    model = usdsim.load_mjcf_str(ROBOT)
    model.low.body_mass[C] = 30.0
    sim = CpuEngine(model.compiled, 1)
    sim.set_param("body_mass", 1.5, ids=[A])
    assert sim.param("body_subtreemass")[0, 0] == 1.5 + 2.0 + 30.0
    assert derived == [[0]]


def test_constants_depend_on_a_worlds_own_masses_only():
    alone, many = started(1), started(7)
    many.set_param("body_mass", [[0.1], [1.3], [900.0], [7.0], [2.0], [1.3], [0.02]], ids=[A])
    many.set_param("body_mass", 2.5, env_ids=[0, 2], ids=[B])
    many.set_param("body_mass", 5.5, env_ids=[3, 4], ids=[C])
    many.set_param("body_inertia", 0.2, env_ids=[6], ids=[C])
    alone.set_param("body_mass", 1.3, ids=[A])
    found, expected = constants(many), constants(alone)
    for name in OUTPUTS:
        for world in (1, 5):
            np.testing.assert_array_equal(found[name][world], expected[name][0], name)


@pytest.mark.parametrize("back", ["written", "restored"])
def test_a_mass_taken_back_leaves_no_trace(back):
    sim, plain = started(), started()
    sim.set_param("body_mass", 1.7, env_ids=[0, 1], ids=[A])
    sim.step(5)
    if back == "written":
        sim.set_param("body_mass", 1.0, env_ids=[0], ids=[A])
    else:
        sim.restore_params(["body_mass"], [0])
    found, expected = constants(sim), constants(plain)
    for name in OUTPUTS:
        np.testing.assert_array_equal(found[name][0], expected[name][0], name)
    for each in (sim, plain):
        each.reset()
        each.step(20)
    np.testing.assert_array_equal(sim.read("qpos")[0], plain.read("qpos")[0])


def test_restoring_finds_constants_that_worlds_got_later():
    sim, plain = started(), started()
    sim.set_param("body_mass", 1.7, env_ids=[0], ids=[A])
    sim.restore_params(["body_mass"], [0])
    sim.set_param("body_pos", [[[0.9, 0.2, 0.1]]], env_ids=[0], ids=[B])
    assert (sim.param("dof_length")[0] != plain.param("dof_length")[0]).any()
    sim.restore_params(["body_mass", "body_pos"], [0])
    np.testing.assert_array_equal(sim.param("dof_length"), plain.param("dof_length"))


def test_options_have_no_constants(derived):
    sim = started()
    for name in sorted(name for name in mjbatch.MODEL_FIELDS if name.startswith("opt.")):
        values = np.array(sim.param(name))
        sim.set_param(name, values + 1 if values.dtype.kind == "f" else values)
    assert derived == []
    for world in range(sim.num_envs):
        model, expected = sim.world_model(world), sim.world_model(world)
        mujoco.mj_setConst(expected, mujoco.MjData(expected))
        for name in OUTPUTS:
            np.testing.assert_array_equal(getattr(model, name), getattr(expected, name), name)
