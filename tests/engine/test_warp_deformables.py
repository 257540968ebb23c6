"""Deformable bodies on the device."""

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import body, geom, ground, pose, scene
from soft_scenes import sheet, soft, tet_grid

from usdsim.core.errors import UnsupportedError
from usdsim.engine import CpuEngine, compile_scene, create_engine
from usdsim.parser.description import WORLD, HeightFieldDescription, PinDescription

pytest.importorskip("usdsim.engine.warp.engine")


def test_device_and_cpu_agree():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.01))
    flat, triangles = sheet((2, 2), (0.3, 0.3), at=(1.0, 0.0, 0.5))
    plate = tet_grid((1, 1, 1), (0.3, 0.3, 0.1), at=(2.0, 0.0, 0.1))
    weight = body("/weight", pose((1.0, 0.0, 0.4)), mass=0.2)
    ball = body("/ball", pose((2.1, 0.1, 0.26)))
    hold = PinDescription(
        path="/hold", body=0, vertices=np.array([0], np.int32), points=np.array([[0, 0, 0.1]])
    )
    edge = np.flatnonzero(flat[:, 0] > 1.29).astype(np.int32)
    rail = PinDescription(path="/rail", body=WORLD, vertices=edge, points=flat[edge])
    compiled = compile_scene(
        scene(
            bodies=[weight, ball],
            geoms=[ground(), geom("/ball/shape", body=1, size=(0.05, 0, 0))],
            deformables=[
                soft(points, elements, path="/cube", elasticity_damping=0.01),
                soft(flat, triangles, path="/cloth", mass=0.3, pins=(hold, rail)),
                soft(*plate, path="/plate", kinematic=True),
            ],
        )
    )
    cpu, device = CpuEngine(compiled, 2), create_engine(compiled, 2, device=DEVICE)
    start = np.array(cpu.read("qpos"))
    cube = compiled.deformable("/cube")
    start[1, cube.qpos_adr[:, None] + np.arange(3)] += [0.1, 0.2, 0.05]
    for engine in (cpu, device):
        engine.write("qpos", start)
        for _ in range(60):
            engine.step()
    found, expected = device.read("flexvert_xpos"), cpu.read("flexvert_xpos")
    assert np.abs(expected[1, cube.vertices] - expected[0, cube.vertices]).max() > 0.05
    np.testing.assert_allclose(found, expected, atol=2e-5)
    np.testing.assert_allclose(device.read("xpos"), cpu.read("xpos"), atol=2e-5)


def test_height_fields_are_refused():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.2))
    field = HeightFieldDescription(
        path="/hills", elevation=np.zeros((3, 3)), size=np.array([1.0, 1.0, 0.1, 0.1])
    )
    hills = geom("/hills", WORLD, "hfield", (0, 0, 0), mesh="/hills")
    rest = {"geoms": [hills], "height_fields": {"/hills": field}}
    compiled = compile_scene(scene(deformables=[soft(points, elements)], **rest))
    with pytest.raises(UnsupportedError, match="/hills: no contact of flexible bodies with height"):
        create_engine(compiled, 1, device=DEVICE)
    engine = CpuEngine(compiled)
    for _ in range(200):
        engine.step()
    assert engine.read("flexvert_xpos")[0, :, 2].min() > -0.02
