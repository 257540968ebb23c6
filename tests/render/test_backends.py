"""Pictures by ray casting beside those of MuJoCo's renderer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from usdsim.converters import convert
from usdsim.core.errors import UnsupportedError
from usdsim.render import Renderer

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
SIZE = (320, 240)
ALIKE = 0.9
"""Structural similarity from which on pictures show the same."""


def _similarity(a: np.ndarray, b: np.ndarray, window: int = 8) -> float:
    """Mean structural similarity of grey pictures, by its definition (Wang et al. 2004)."""

    def mean(image: np.ndarray) -> np.ndarray:
        views = np.lib.stride_tricks.sliding_window_view(image, (window, window))
        return views.mean(axis=(2, 3))

    a, b = (image.astype(np.float64).mean(axis=2) for image in (a, b))
    mean_a, mean_b = mean(a), mean(b)
    var_a, var_b = mean(a * a) - mean_a**2, mean(b * b) - mean_b**2
    both = mean(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * 255.0) ** 2, (0.03 * 255.0) ** 2
    found = (2.0 * mean_a * mean_b + c1) * (2.0 * both + c2)
    return float((found / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))).mean())


def test_similarity_is_one_for_the_same_and_small_for_others():
    random = np.random.default_rng(0)
    image = random.integers(0, 255, (40, 50, 3), dtype=np.uint8)
    assert _similarity(image, image) == pytest.approx(1.0)
    assert _similarity(image, image[::-1]) < 0.2


def _scene_of(folder: Path) -> Path:
    """The scene of an asset's folder, or its only model."""
    found = [*folder.glob("scene.*"), *folder.glob("*.usda"), *folder.glob("*.urdf")]
    return [*found, *folder.glob("*.xml")][0]


SCENES = sorted(_scene_of(folder) for folder in ASSETS.iterdir() if folder.is_dir())


@pytest.mark.parametrize("scene", SCENES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_both_backends_show_the_same(scene: Path, tmp_path: Path):
    if scene.suffix != ".usda":
        scene = convert(scene, tmp_path / "scene.usda")
    try:
        with Renderer(scene, size=SIZE, backend="opengl") as renderer:
            expected = renderer.render()
    except UnsupportedError as error:
        pytest.skip(f"there is no OpenGL to compare with: {error}")
    with Renderer(scene, size=SIZE) as renderer:
        found = renderer.render()
    assert _similarity(found, expected) > ALIKE


@pytest.mark.parametrize("name", ["osmesa", "nonsense"])
def test_a_missing_library_keeps_nobody_from_simulating(name: str):
    """MuJoCo reads the variable when it is imported, and fails there."""
    program = """
import sys
sys.modules["OpenGL.osmesa"] = None  # As if the library were not there.
import usdsim
from usdsim.core.errors import UnsupportedError
from usdsim.render import render_picture
model = usdsim.load_model(usdsim.example_asset("cartpole/cartpole.usda"))
assert render_picture(model, size=(16, 12)).shape == (12, 16, 3)
try:
    render_picture(model, size=(16, 12), backend="opengl")
except UnsupportedError as error:
    print(error)
"""
    environment = {**os.environ, "MUJOCO_GL": name}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert name in done.stdout and "backend='rays'" in done.stdout
