"""A configuration of every kind of terrain, and where surfaces are known in closed form."""

from __future__ import annotations

import usdsim.terrains as gen

OBJECT = {"num_objects": 8, "height": 0.3, "max_yx_angle": 10.0}

KINDS = {
    "plane": gen.MeshPlaneTerrainCfg(),
    "stairs": gen.MeshPyramidStairsTerrainCfg(
        step_height_range=(0.1, 0.2), step_width=0.5, platform_width=2.0, border_width=1.0
    ),
    "stairs_with_holes": gen.MeshPyramidStairsTerrainCfg(
        step_height_range=(0.1, 0.2), step_width=0.5, platform_width=2.0, holes=True
    ),
    "stairs_down": gen.MeshInvertedPyramidStairsTerrainCfg(
        step_height_range=(0.1, 0.2), step_width=0.5, platform_width=2.0, border_width=1.0
    ),
    "stairs_down_with_holes": gen.MeshInvertedPyramidStairsTerrainCfg(
        step_height_range=(0.1, 0.2), step_width=0.5, platform_width=2.0, holes=True
    ),
    "grid": gen.MeshRandomGridTerrainCfg(
        grid_width=0.45, grid_height_range=(0.05, 0.2), platform_width=2.0
    ),
    "grid_with_holes": gen.MeshRandomGridTerrainCfg(
        grid_width=0.45, grid_height_range=(0.05, 0.2), platform_width=2.0, holes=True
    ),
    "rails": gen.MeshRailsTerrainCfg(
        rail_thickness_range=(0.1, 0.2), rail_height_range=(0.1, 0.3), platform_width=2.0
    ),
    "pit": gen.MeshPitTerrainCfg(pit_depth_range=(0.2, 0.6), platform_width=2.0),
    "double_pit": gen.MeshPitTerrainCfg(
        pit_depth_range=(0.2, 0.6), platform_width=2.0, double_pit=True
    ),
    "box": gen.MeshBoxTerrainCfg(box_height_range=(0.2, 0.6), platform_width=2.0),
    "double_box": gen.MeshBoxTerrainCfg(
        box_height_range=(0.2, 0.6), platform_width=2.0, double_box=True
    ),
    "gap": gen.MeshGapTerrainCfg(gap_width_range=(0.2, 0.6), platform_width=2.0),
    "ring": gen.MeshFloatingRingTerrainCfg(
        ring_width_range=(0.2, 0.6),
        ring_height_range=(0.4, 0.8),
        ring_thickness=0.1,
        platform_width=2.0,
    ),
    "star": gen.MeshStarTerrainCfg(
        num_bars=4, bar_width_range=(0.3, 0.6), bar_height_range=(0.2, 0.6), platform_width=2.0
    ),
    "boxes": gen.MeshRepeatedBoxesTerrainCfg(
        object_params_start=gen.MeshRepeatedBoxesTerrainCfg.ObjectCfg(size=(0.3, 0.2), **OBJECT),
        object_params_end=gen.MeshRepeatedBoxesTerrainCfg.ObjectCfg(size=(0.5, 0.4), **OBJECT),
    ),
    "cylinders": gen.MeshRepeatedCylindersTerrainCfg(
        object_params_start=gen.MeshRepeatedCylindersTerrainCfg.ObjectCfg(radius=0.2, **OBJECT),
        object_params_end=gen.MeshRepeatedCylindersTerrainCfg.ObjectCfg(radius=0.4, **OBJECT),
        max_height_noise=0.1,
    ),
    "pyramids": gen.MeshRepeatedPyramidsTerrainCfg(
        object_params_start=gen.MeshRepeatedPyramidsTerrainCfg.ObjectCfg(radius=0.2, **OBJECT),
        object_params_end=gen.MeshRepeatedPyramidsTerrainCfg.ObjectCfg(radius=0.4, **OBJECT),
    ),
    "rough": gen.HfRandomUniformTerrainCfg(
        noise_range=(0.02, 0.1), noise_step=0.02, downsampled_scale=0.4, border_width=0.25
    ),
    "slope": gen.HfPyramidSlopedTerrainCfg(slope_range=(0.1, 0.4), platform_width=2.0),
    "slope_down": gen.HfInvertedPyramidSlopedTerrainCfg(slope_range=(0.1, 0.4), platform_width=2.0),
    "hf_stairs": gen.HfPyramidStairsTerrainCfg(
        step_height_range=(0.1, 0.2), step_width=0.5, platform_width=2.0, border_width=1.0
    ),
    "hf_stairs_down": gen.HfInvertedPyramidStairsTerrainCfg(
        step_height_range=(0.1, 0.2), step_width=0.5, platform_width=2.0, border_width=1.0
    ),
    "obstacles": gen.HfDiscreteObstaclesTerrainCfg(
        obstacle_width_range=(0.4, 1.0),
        obstacle_height_range=(0.05, 0.2),
        num_obstacles=20,
        platform_width=2.0,
    ),
    "waves": gen.HfWaveTerrainCfg(amplitude_range=(0.1, 0.3), num_waves=2),
    "stones": gen.HfSteppingStonesTerrainCfg(
        stone_height_max=0.05,
        stone_width_range=(0.3, 0.9),
        stone_distance_range=(0.1, 0.3),
        holes_depth=-1.0,
        platform_width=2.0,
    ),
}
"""One of each kind."""

SIZE = (8.0, 8.0)


def heights_of(cfg, places, difficulty=0.5):
    """Heights of a piece at places relative to its middle [m]."""
    piece = cfg.replace(size=SIZE)
    parts, _ = piece.function(difficulty, piece)
    from usdsim.terrains.surfaces import joined

    return gen.heights_at(joined(parts), [[4.0 + x, 4.0 + y] for x, y in places])
