"""Constants of large scenes follow from the parts in which something was written."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import body, geom, ground, pose, scene
from hypothesis import example, given, settings
from hypothesis import strategies as st
from part_scenes import MANY, Chance, both, watched_joins

from usdsim.core.errors import UsdsimError
from usdsim.engine import CpuEngine
from usdsim.engine.parameters.part_constants import OUTPUTS, PartConstants
from usdsim.parser.description import GenericDescription

WORLDS = 2


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Leave no model to what derives constants of few bodies from their masses alone."""
    monkeypatch.setattr("usdsim.engine.parameters.mass_constants._LARGEST", 0)


@pytest.fixture
def whole(monkeypatch):
    """Derivations of constants that the engine makes for a whole world."""
    found = []
    known = mujoco.batch.Batch.set_const

    def counted(self, ids=None):
        found.append(ids)
        return known(self, ids)

    monkeypatch.setattr(mujoco.batch.Batch, "set_const", counted)
    return found


def engines(description):
    """Engines of a scene that was compiled in parts, and as a whole."""
    with watched_joins(48) as joins:
        compiled = both(description)
    assert joins and compiled[0].parts and not compiled[1].parts
    return [CpuEngine(one, WORLDS) for one in compiled]


def assert_alike(parts, whole):
    for name in sorted(OUTPUTS):
        found, wanted = (np.asarray(sim.param(name)) for sim in (parts, whole))
        assert np.array_equal(found, wanted), name


def masses(sim, random):
    return "body_mass", random.uniform(0.1, 9.0, len(sim.param("body_mass")[0]))


def moments(sim, random):
    return "body_inertia", random.uniform(0.5, 1.0, sim.param("body_inertia")[0].shape)


def armatures(sim, random):
    return "dof_armature", random.uniform(0.0, 0.1, len(sim.param("dof_armature")[0]))


def sizes(sim, random):
    sizes = np.array(sim.param("geom_size")[0])
    return "geom_size", sizes * random.uniform(0.5, 2.0, (len(sizes), 1))


def centres(sim, random):
    return "body_ipos", 0.05 * random.normal(size=sim.param("body_ipos")[0].shape)


WRITES = (masses, moments, armatures, sizes, centres)


@settings(max_examples=8)
@example(seed=1140, writes=[])  # An axis is locked and follows another one.
@given(
    seed=st.integers(0, 2**16),
    writes=st.lists(
        st.tuples(st.sampled_from(WRITES), st.integers(1, 5), st.integers(0, 2)), max_size=4
    ),
)
def test_constants_of_parts_are_those_of_the_whole(seed, writes):
    """Bit by bit, whatever is written to a few elements of one world or of all."""
    sims = engines(Chance(seed).scene())
    for number, (write, count, world) in enumerate(writes):
        for sim in sims:
            random = np.random.default_rng(seed + number)
            name, values = write(sim, random)
            rows = np.sort(random.choice(len(values), min(count, len(values)), replace=False))
            rows = rows[rows > 0] if name.startswith("body") else rows
            if name == "geom_size":
                planes = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_MESH)
                rows = rows[~np.isin(sim.compiled.mj.geom_type[rows], planes)]
            sim.set_param(name, values[rows], None if world == WORLDS else [world], rows)
            if number == 1:
                sim.restore_params([name], [0])
        assert_alike(*sims)
    for sim in sims:
        sim.step(2)
    assert np.array_equal(sims[0].read("qpos"), sims[1].read("qpos"))


def boxes():
    """Loose boxes side by side, of 1 kg each."""
    bodies = [body(f"/b{i}", pose((i, 0, 1)), mass=1.0) for i in range(MANY)]
    shapes = [geom(f"/b{i}/shape", i, "box", (0.1, 0.1, 0.1)) for i in range(MANY)]
    return scene(bodies, geoms=[ground(), *shapes])


def test_the_engine_derives_nothing_for_the_whole(whole):
    sim, _ = engines(boxes())
    sim.set_param("body_mass", [[3.0]], [1], [7])
    assert sim.param("body_invweight0")[:, 7, 0] == pytest.approx([1.0, 1.0 / 3.0])
    assert sim.param("body_subtreemass")[:, 0] == pytest.approx([MANY, MANY + 2.0])
    sim.set_param("geom_size", [[[0.2, 0.3, 0.4]]], [0], [5])
    assert sim.param("geom_rbound")[0, 5] == pytest.approx(np.linalg.norm([0.2, 0.3, 0.4]))
    assert not whole


def test_what_parts_cannot_derive_is_left_to_the_engine(whole, monkeypatch):
    sim, _ = engines(boxes())
    monkeypatch.setattr(PartConstants, "_derive", lambda *_: False)
    sim.set_param("body_mass", [[3.0]], [1], [7])
    assert sim.param("body_invweight0")[1, 7, 0] == pytest.approx(1.0 / 3.0)
    assert len(whole) == 1
    monkeypatch.undo()
    sim.set_param("body_mass", [[2.0]], [1], [9])
    assert sim.param("body_invweight0")[1, [7, 9], 0] == pytest.approx([1.0 / 3.0, 0.5])


def test_cameras_follow_the_centre_of_mass_of_all_parts(whole):
    track = {"mode": int(mujoco.mjtCamLight.mjCAMLIGHT_TRACKCOM)}
    camera = GenericDescription(kind="camera", path="/camera", overrides=track)
    sims = engines(replace(boxes(), elements=(camera,)))
    for sim in sims:
        sim.set_param("body_mass", [[1e3]], [1], [7])
    centre = (sum(range(MANY)) + 6 * 999.0) / (MANY + 999.0)
    assert sims[0].param("cam_poscom0")[1, 0, 0] == pytest.approx(-centre)
    assert_alike(*sims)
    assert len(whole) == 2


def test_refused_values_leave_constants_as_they_were():
    parts, whole = engines(boxes())
    for sim in (parts, whole):
        sim.set_param("body_mass", [[3.0]], [1], [7])
        with pytest.raises(UsdsimError):
            sim.set_param("body_inertia", [[[-1.0, 1.0, 1.0]]], [0], [8])
    assert_alike(parts, whole)


def test_values_written_again_after_those_of_the_model_act_again():
    sims = engines(boxes())
    for sim in sims:
        for _ in range(2):
            sim.set_param("body_mass", [[3.0]], [1], [7])
            assert sim.param("body_invweight0")[1, 7, 0] == pytest.approx(1.0 / 3.0)
            sim.restore_params(["body_mass"], [1])
            assert sim.param("body_invweight0")[1, 7, 0] == pytest.approx(1.0)
    assert_alike(*sims)


def test_engines_of_one_model_do_not_share_what_was_written():
    with watched_joins(48):
        compiled, _ = both(boxes())
    first, second = CpuEngine(compiled, 1), CpuEngine(compiled, 1)
    first.set_param("body_mass", [[3.0]], None, [7])
    assert first.param("body_invweight0")[0, 7, 0] == pytest.approx(1.0 / 3.0)
    second.set_param("body_mass", [[2.0]], None, [8])
    assert second.param("body_invweight0")[0, [7, 8], 0] == pytest.approx([1.0, 0.5])
