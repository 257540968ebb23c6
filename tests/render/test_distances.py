"""Distances that a renderer tells, views with lenses of their own, and pictures without a floor."""

import numpy as np
import pytest
from pxr import UsdGeom

from usdsim.core.errors import StageError, UnsupportedError
from usdsim.render import Renderer
from usdsim.render.opengl.drawing import OpenGLDrawing
from usdsim.render.views import Lens, View
from usdsim.usd import create_stage

UP = np.array([0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0])
"""Pose 3 m above the origin, looking down."""


def _cube():
    stage = create_stage()
    UsdGeom.Cube.Define(stage, "/cube").CreateSizeAttr(1.0)
    return stage


def test_distances_are_those_to_the_plane_and_reach_as_far_as_the_lens_lets_them():
    lens = Lens((40.0, 40.0), (20.5, 10.5), 0.1, 100.0)
    with Renderer(_cube(), size=(41, 21), floor=False) as renderer:
        depth = renderer.depth(View(UP, lens))
        assert depth.shape == (21, 41) and depth.dtype == np.float32
        # A face of 1 m at 2.5 m is 40 / 2.5 = 16 pixels wide and as far everywhere.
        seen = np.isfinite(depth)
        assert seen[10].sum() == pytest.approx(16, abs=1) and depth[seen] == pytest.approx(2.5)
        near = View(UP, Lens(lens.focal, lens.centre, 0.1, 2.0))
        assert np.isinf(renderer.depth(near)).all()
    with pytest.raises(StageError, match="closed"):
        renderer.depth(UP)


def test_what_is_below_everything_is_seen_with_a_floor_alone():
    stage = _cube()
    for floor, lowest in ((True, 3.5), (False, np.inf)):
        with Renderer(stage, size=(31, 31), floor=floor) as renderer:
            assert renderer.depth(UP)[0, 0] == pytest.approx(lowest, rel=1e-5)


def test_opengl_tells_no_distances(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(OpenGLDrawing, "__init__", lambda *_: None)
    monkeypatch.setattr(OpenGLDrawing, "close", lambda _: None)
    renderer = Renderer(_cube(), size=(8, 8), backend="opengl")
    with pytest.raises(UnsupportedError, match='backend="rays"'):
        renderer.depth()
