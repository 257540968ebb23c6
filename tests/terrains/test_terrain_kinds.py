"""Kinds of terrain: heights in closed form, and what all of them have in common."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from terrain_kinds import KINDS, SIZE, heights_of

import usdsim.terrains as gen
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.terrains.height_field.terrains import smooth
from usdsim.terrains.surfaces import box, joined, prism

EXACT = 1e-5
"""Heights are read by rays in single precision [m]."""


@pytest.mark.parametrize("difficulty", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("name", KINDS)
def test_pieces_fill_their_rectangle_and_start_on_the_surface(name, difficulty):
    cfg = KINDS[name].replace(size=SIZE, seed=3)
    parts, origin = cfg.function(difficulty, cfg)
    mesh = joined(parts)
    assert mesh.vertices[:, :2].min() > -0.6 and mesh.vertices[:, :2].max() < 8.6
    assert np.isfinite(mesh.vertices).all()
    assert mesh.faces.min() == 0 and mesh.faces.max() == len(mesh.vertices) - 1
    np.testing.assert_allclose(origin[:2], [4.0, 4.0])
    around = gen.heights_at(mesh, origin[:2] + 0.05 * np.array([[0, 0], [1, 0], [0, 1]]))
    above = origin[2] - around
    if isinstance(cfg, gen.HfTerrainBaseCfg):  # The highest point within a metre.
        assert above.min() >= -EXACT and above.max() <= 0.4
    else:
        np.testing.assert_allclose(above, 0.0, atol=EXACT)
    again = joined(cfg.function(difficulty, cfg)[0])
    assert np.array_equal(mesh.vertices, again.vertices)


@pytest.mark.parametrize("name", KINDS)
def test_solids_are_closed_and_face_outwards(name):
    cfg = KINDS[name].replace(size=SIZE)
    for part in cfg.function(0.5, cfg)[0]:
        solid = trimesh.Trimesh(part.vertices, part.faces, process=False)
        if solid.is_watertight:
            assert solid.volume > 0.0
        else:
            assert solid.face_normals[:, 2].min() > -1e-6  # A surface, seen from above.


STEP = 0.15
"""Height of a step at difficulty 0.5 [m]."""
ALONG = [(-x, 0.1) for x in (3.5, 2.75, 2.25, 1.75, 1.25, 0.75, 0.25)]
"""From the border of 1 m over steps of 0.5 m to the platform."""
TABLE = [
    ("plane", [(0.0, 0.0), (3.9, -3.9)], [0.0, 0.0]),
    ("stairs", ALONG, [STEP * n for n in range(7)]),
    ("stairs_down", ALONG, [-STEP * n for n in range(7)]),
    ("stairs_with_holes", [(2.75, 0.0), (2.75, 1.1)], [3 * STEP, np.nan]),
    ("rails", [(0.0, 0.0), (1.05, 0.0), (1.5, 0.0), (2.9, 0.0)], [0.0, 0.2, 0.0, 0.2]),
    ("pit", [(0.0, 0.0), (1.1, 0.0)], [-0.4, 0.0]),
    ("double_pit", [(0.0, 0.0), (1.1, 0.0), (3.0, 0.0)], [-0.8, -0.4, 0.0]),
    ("box", [(0.0, 0.0), (1.1, 0.0)], [0.4, 0.0]),
    ("double_box", [(0.0, 0.0), (1.1, 0.0), (3.0, 0.0)], [0.8, 0.4, 0.0]),
    ("gap", [(0.0, 0.0), (1.2, 0.0), (1.5, 0.0)], [0.0, np.nan, 0.0]),
    ("ring", [(0.0, 0.0), (1.2, 0.0), (1.5, 0.0)], [0.0, 0.7, 0.0]),
    ("star", [(0.0, 0.0), (2.0, 0.0), (2.0, 0.8), (3.9, 3.9)], [0.0, 0.0, -0.4, 0.0]),
    ("obstacles", [(0.0, 0.0), (0.9, 0.9)], [0.0, 0.0]),
    ("stones", [(0.0, 0.0), (0.9, -0.9)], [0.0, 0.0]),
]


@pytest.mark.parametrize(("name", "places", "heights"), TABLE, ids=[row[0] for row in TABLE])
def test_heights_in_closed_form(name, places, heights):
    np.testing.assert_allclose(heights_of(KINDS[name], places), heights, atol=EXACT)


def test_slopes_rise_as_they_say():
    places = [(x, 0.05) for x in (-3.0, -2.6, -2.2, -1.8)]
    up, down = (heights_of(KINDS[name], places) for name in ("slope", "slope_down"))
    np.testing.assert_allclose(np.diff(up), 0.25 * 0.4, atol=0.011)  # Heights are 5 mm steps.
    np.testing.assert_allclose(down, -up, atol=EXACT)


def test_waves_are_those_of_the_formula():
    cfg = KINDS["waves"].replace(size=SIZE)
    points = cfg.function(0.5, cfg)[0][0].vertices.reshape(81, 81, 3)[1:-1, 1:-1]
    turn = 2.0 * np.pi * 2 / 79
    i, j = np.meshgrid(np.arange(79), np.arange(79), indexing="ij")
    np.testing.assert_allclose(
        points[..., 2], 0.1 * (np.sin(turn * i) + np.cos(turn * j)), atol=0.5 * 0.005 + 1e-9
    )


def test_random_heights_stay_within_their_range_and_steps():
    cfg = KINDS["rough"].replace(size=SIZE, downsampled_scale=None)
    heights = cfg.function(0.5, cfg)[0][0].vertices.reshape(81, 81, 3)[3:-3, 3:-3, 2]
    np.testing.assert_allclose(np.unique(heights.round(6)), [0.02, 0.04, 0.06, 0.08, 0.1])
    grid = KINDS["grid"].replace(size=SIZE)
    tops = np.array([p.vertices[:, 2].max() for p in grid.function(1.0, grid)[0]])
    assert np.abs(tops).max() <= 0.2 and len(np.unique(tops)) > 200


def test_walls_are_vertical_above_the_threshold():
    field = np.zeros((4, 4))
    field[2:] = 40.0
    slanted, _ = gen.convert_height_field_to_mesh(field, 0.1, 0.005, None)
    upright, _ = gen.convert_height_field_to_mesh(field, 0.1, 0.005, 0.75)
    np.testing.assert_allclose(slanted.reshape(4, 4, 3)[1, :, 0], 0.1)
    np.testing.assert_allclose(upright.reshape(4, 4, 3)[1, :, 0], 0.2)
    np.testing.assert_allclose(upright[..., 2], slanted[..., 2])


def test_interpolation_keeps_points_and_lines():
    points = np.random.default_rng(0).normal(size=(5, 4))
    fine = smooth(points, (17, 13))
    np.testing.assert_allclose(fine[::4, ::4], points, atol=1e-12)
    line = np.arange(5.0)[:, None] + 2.0 * np.arange(4.0)
    exact = np.linspace(0, 4, 17)[:, None] + 2.0 * np.linspace(0, 3, 13)
    np.testing.assert_allclose(smooth(line, (17, 13)), exact, atol=1e-12)


def test_custom_height_fields(tmp_path):
    @gen.height_field_to_mesh
    def ramp(difficulty, cfg):
        count = round(cfg.size[0] / cfg.horizontal_scale), round(cfg.size[1] / cfg.horizontal_scale)
        return np.broadcast_to(np.arange(count[0])[:, None], count)

    cfg = gen.HfTerrainBaseCfg(function=ramp, size=(2.0, 3.0))
    (mesh,), origin = cfg.function(0.0, cfg)
    heights = mesh.vertices.reshape(21, 31, 3)[1:-1, 1:-1, 2]
    np.testing.assert_allclose(heights, 0.005 * np.arange(19)[:, None] * np.ones(29))
    np.testing.assert_allclose(origin[:2], [1.0, 1.5])
    with pytest.raises(ShapeError, match=r"heights of wrong.*\(19, 29\)"):

        @gen.height_field_to_mesh
        def wrong(difficulty, cfg):
            return np.zeros((3, 3))

        wrong(0.0, cfg)
    with pytest.raises(InvalidValueError, match=r"border_width is 0\.05"):
        ramp(0.0, cfg.replace(border_width=0.05))


def test_a_mesh_from_a_file(tmp_path):
    trimesh.creation.box((2.0, 1.0, 0.5)).export(tmp_path / "block.stl")
    cfg = gen.MeshFileTerrainCfg(mesh_path=str(tmp_path / "block.stl"), size=(4.0, 4.0))
    (mesh,), origin = cfg.function(0.0, cfg)
    np.testing.assert_allclose(origin, [2.0, 2.0, 0.25], atol=EXACT)
    np.testing.assert_allclose(mesh.vertices[:, 0].min(), 1.0)


def test_prisms_and_boxes_enclose_what_they_should():
    solid = prism(2.0, 3.0, 6, (1.0, 2.0, 3.0))
    assert trimesh.Trimesh(solid.vertices, solid.faces).volume == pytest.approx(
        3.0 * 6 * 0.5 * 4.0 * np.sin(np.pi / 3)
    )
    tip = prism(2.0, 3.0, 4, (0.0, 0.0, 0.0), tip=True)
    assert trimesh.Trimesh(tip.vertices, tip.faces).volume == pytest.approx(8.0)
    cube = box((1.0, 2.0, 3.0), (0.0, 0.0, 0.0), (0.0, 0.0, np.sin(0.3), np.cos(0.3)))
    assert trimesh.Trimesh(cube.vertices, cube.faces).volume == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("grid", {"size": (8.0, 6.0)}, "size is"),
        ("grid", {"grid_width": 9.0}, "grid_width is 9"),
        ("stairs", {"step_width": 0.0}, "step_width is 0"),
        ("star", {"num_bars": 1}, "num_bars is 1"),
        ("waves", {"num_waves": 0}, "num_waves is 0"),
        ("rough", {"downsampled_scale": 0.05}, "downsampled_scale is 0.05"),
        ("obstacles", {"obstacle_height_mode": "any"}, "obstacle_height_mode is 'any'"),
        ("boxes", {"object_type": "sphere"}, "object_type is 'sphere'"),
    ],
)
def test_wrong_values(name, changes, message):
    cfg = KINDS[name].replace(**{"size": SIZE, **changes})
    with pytest.raises(InvalidValueError, match=message):
        cfg.function(0.5, cfg)
