"""The generator: kinds, difficulties, places, borders, level places, grids."""

from __future__ import annotations

import numpy as np
import pytest
from terrain_kinds import KINDS

import usdsim.terrains as gen
from usdsim.core.errors import InvalidValueError, StageError


def generator(**changes):
    values = {
        "size": (4.0, 6.0),
        "num_rows": 3,
        "num_cols": 4,
        "sub_terrains": {
            "flat": gen.MeshPlaneTerrainCfg(proportion=0.5),
            "box": KINDS["box"].replace(proportion=0.25),
            "pit": KINDS["pit"].replace(proportion=0.25),
        },
    }
    return gen.TerrainGenerator(gen.TerrainGeneratorCfg(**{**values, **changes}))


def test_a_curriculum_gets_harder_by_rows_and_has_kinds_by_columns():
    made = generator(curriculum=True, difficulty_range=(0.2, 0.8))
    assert made.terrain_kinds.tolist() == [["flat", "flat", "box", "pit"]] * 3
    level = (made.difficulties - 0.2) / 0.6 * 3
    assert (np.floor(level) == np.arange(3)[:, None]).all()
    expected = made.difficulties * 0.4 + 0.2
    np.testing.assert_allclose(made.terrain_origins[:, 2, 2], expected[:, 2])
    np.testing.assert_allclose(made.terrain_origins[:, 3, 2], -expected[:, 3])


def test_pieces_lie_side_by_side_about_the_origin():
    made = generator()
    x, y = [-4.0, 0.0, 4.0], [-9.0, -3.0, 3.0, 9.0]
    np.testing.assert_allclose(made.terrain_origins[:, :, 0], np.array(x)[:, None] * np.ones(4))
    np.testing.assert_allclose(made.terrain_origins[:, :, 1], np.ones((3, 1)) * y)
    assert len(made.terrain_meshes) == 12
    low, high = made.terrain_mesh.vertices.min(axis=0), made.terrain_mesh.vertices.max(axis=0)
    np.testing.assert_allclose((low[:2], high[:2]), ((-6.0, -12.0), (6.0, 12.0)))
    spots = made.terrain_origins.reshape(-1, 3)
    np.testing.assert_allclose(
        gen.heights_at(made.terrain_mesh, spots[:, :2]), spots[:, 2], atol=1e-5
    )


def test_the_border_goes_around():
    made = generator(border_width=2.0, border_height=0.5)
    border = made.terrain_meshes[-1]
    np.testing.assert_allclose(border.vertices.min(axis=0), (-8.0, -14.0, -0.5))
    np.testing.assert_allclose(border.vertices.max(axis=0), (8.0, 14.0, 0.0))
    wall = generator(border_width=2.0, border_height=-0.5).terrain_meshes[-1]
    assert wall.vertices[:, 2].max() == 0.5


def test_the_seed_decides_everything():
    kinds = {"rough": KINDS["rough"], "boxes": KINDS["boxes"], "grid": KINDS["obstacles"]}
    first, same, other = (generator(sub_terrains=kinds, seed=s) for s in (1, 1, 2))
    assert np.array_equal(first.terrain_mesh.vertices, same.terrain_mesh.vertices)
    assert first.terrain_kinds.tolist() == same.terrain_kinds.tolist()
    assert not np.array_equal(first.difficulties, other.difficulties)
    rough = generator(sub_terrains={"rough": KINDS["rough"]}).terrain_meshes
    assert not np.array_equal(rough[0].vertices[:, 2], rough[1].vertices[:, 2])


def test_the_configuration_stays_as_it_is():
    cfg = KINDS["rough"].copy()
    before = cfg.to_dict()
    generator(sub_terrains={"rough": cfg}, horizontal_scale=0.2)
    assert cfg.to_dict() == before


def test_level_places_are_level():
    patch = gen.FlatPatchSamplingCfg(
        num_patches=6, patch_radius=[0.1, 0.3], max_height_diff=0.01, z_range=(-0.05, 1.0)
    )
    kinds = {"box": KINDS["double_box"].replace(flat_patch_sampling={"init_pos": patch})}
    made = generator(sub_terrains=kinds)
    assert made.flat_patches["init_pos"].torch.shape == (3, 4, 6, 3)
    places = made.flat_patches["init_pos"].numpy()
    angle = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
    ring = places[..., None, :2] + 0.3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    heights = gen.heights_at(made.terrain_mesh, ring.reshape(-1, 2)).reshape(*ring.shape[:-1])
    np.testing.assert_allclose(heights, np.broadcast_to(places[..., 2:], heights.shape), atol=0.01)
    # At most 5 cm below the start of the piece: on its top, then.
    np.testing.assert_allclose(
        places[..., 2], np.broadcast_to(made.terrain_origins[..., 2:], (3, 4, 6)), atol=1e-5
    )
    impossible = patch.replace(patch_radius=3.0)
    with pytest.raises(StageError, match=r"Found 0 of 6 flat patches of radius 3\.0 m"):
        generator(sub_terrains={"box": kinds["box"].replace(flat_patch_sampling={"a": impossible})})


def test_pieces_as_grids_have_the_heights_of_their_boxes():
    exact = generator(sub_terrains={"stairs": KINDS["box"]})
    grid = generator(sub_terrains={"stairs": KINDS["box"]}, convert_to_heightfield=True)
    assert all(len(mesh.faces) == 2 * 40 * 60 for mesh in grid.terrain_meshes)
    spots = np.random.default_rng(0).uniform((-6, -12), (6, 12), (2000, 2))
    away = np.abs(np.abs(spots[:, None] - exact.terrain_origins.reshape(-1, 3)[:, :2]) - 1.0)
    clear = (away > 0.11).all(axis=(1, 2))
    np.testing.assert_allclose(
        gen.heights_at(grid.terrain_mesh, spots[clear]),
        gen.heights_at(exact.terrain_mesh, spots[clear]),
        atol=1e-5,
    )


def test_colours():
    assert generator().colors(generator().terrain_meshes[0]) is None
    made = generator(color_scheme="height")
    colors = made.colors(made.terrain_mesh)
    assert colors.shape == made.terrain_mesh.vertices.shape
    assert colors[made.terrain_mesh.vertices[:, 2].argmax(), 0] == 1.0
    assert generator(color_scheme="random").colors(made.terrain_mesh).max() <= 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_rows": 0}, "num_rows is 0"),
        ({"size": (4.0, -1.0)}, "size is -1"),
        ({"sub_terrains": {}}, "sub_terrains is"),
        ({"color_scheme": "blue"}, "color_scheme is 'blue'"),
        ({"sub_terrains": {"a": gen.MeshPlaneTerrainCfg(proportion=-1.0)}}, "'a' is -1"),
        ({"sub_terrains": {"a": gen.MeshPlaneTerrainCfg(proportion=0.0)}}, "proportions of all"),
    ],
)
def test_wrong_values(changes, message):
    with pytest.raises(InvalidValueError, match=message):
        generator(**changes)


def test_functions_of_pieces_may_return_one_mesh():
    def slab(difficulty, cfg):
        return gen.surfaces.plane(cfg.size), (0.0, 0.0, 0.0)

    made = generator(sub_terrains={"slab": gen.SubTerrainBaseCfg(function=slab)})
    assert len(made.terrain_meshes[0].faces) == 2
