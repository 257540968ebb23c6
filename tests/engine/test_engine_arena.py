"""Memory of large scenes."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from engine_scenes import body, geom, ground, pose, scene

from usdsim.engine import CpuEngine, compile_scene


def spheres(count, spacing, **values):
    side = int(np.ceil(count ** (1 / 3)))
    cells = np.stack(np.unravel_index(np.arange(count), (side,) * 3), axis=1)
    boxes = [body(f"/b{i}", pose(spacing * cell + [0, 0, 0.11])) for i, cell in enumerate(cells)]
    shapes = [geom(f"/b{i}/ball", i, "sphere", (0.1, 0.0, 0.0)) for i in range(count)]
    return compile_scene(scene(boxes, (), [ground(), *shapes], **values))


def test_memory_grows_with_the_bodies_not_with_their_square():
    small, large = (spheres(count, 0.3).mj.narena for count in (300, 600))
    assert large < 2.1 * small
    assert large < 100e6


def test_memory_of_the_stage_and_of_small_scenes_is_left_alone():
    assert spheres(300, 0.3, options={"memory": 12_345_678}).mj.narena == 12_345_678
    assert not spheres(100, 0.3).arena_grows


@pytest.mark.parametrize("call", ["step", "forward"])
def test_what_needs_more_memory_is_repeated_with_more(call, caplog, monkeypatch):
    """All overlap: the result is that of worlds that had the memory from the start."""
    plenty = spheres(220, 0.18)
    monkeypatch.setattr("usdsim.engine.compile.memory._BODY", 1 << 10)
    crowd = spheres(220, 0.18)
    sims = [CpuEngine(compiled, 2) for compiled in (crowd, plenty)]
    for sim in sims:
        sim.set_param("geom_friction", 0.3, env_ids=[1])
        sim.write("qvel", 1.0, env_ids=[1])
    with caplog.at_level(logging.WARNING, logger="usdsim"):
        for sim in sims:
            getattr(sim, call)()
    assert "is repeated with" in caplog.text
    assert not sims[0].failures
    assert sims[0].batch.model.narena > crowd.mj.narena
    for field in ("time", "qpos", "qvel", "qacc", "xpos"):
        np.testing.assert_array_equal(sims[0].read(field), sims[1].read(field), err_msg=field)


def test_memory_that_the_stage_grants_is_a_limit():
    sim = CpuEngine(spheres(220, 0.18, options={"memory": 600_000}), on_failure="report")
    sim.step()
    assert sim.batch.model.narena == 600_000
    assert "memory" in sim.failures[-1].message


def test_more_memory_keeps_what_parameters_made_of_lone_bodies(monkeypatch):
    """Moved centres of mass need another layout of the mass matrix."""
    plenty = spheres(220, 0.18)
    monkeypatch.setattr("usdsim.engine.compile.memory._BODY", 1 << 10)
    sims = [CpuEngine(compiled) for compiled in (spheres(220, 0.18), plenty)]
    for sim in sims:
        sim.set_param("body_ipos", [0.01, 0.0, 0.0], ids=[5])
        sim.step()
    np.testing.assert_array_equal(sims[0].read("qpos"), sims[1].read("qpos"))
