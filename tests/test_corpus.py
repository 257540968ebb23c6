"""Every real robot and stage loads through the front door and steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from corpus_files import corpus_models

import usdsim
from usdsim.core.errors import ParseError

WITHOUT_RIGID_PHYSICS = {"mpm_sand.usda", "mpm_material_subsets.usda"}
"""Stages that describe granular media only."""


def _id(path: Path) -> str:
    return path.stem


def _run(path: Path) -> None:
    model = usdsim.load_model(path)
    data = usdsim.SceneData(model, batch=(2,))
    before = data.time.copy()
    for _ in range(10):
        model.step(data)
    assert np.isfinite(data.dof_pos).all() and np.isfinite(model.get_link_poses(data)).all()
    np.testing.assert_allclose(
        data.time - before, 10 * model.options.timestep, rtol=1e-5, err_msg="a world was reset"
    )


@pytest.mark.corpus
@pytest.mark.parametrize("path", corpus_models("mjcf") + corpus_models("urdf"), ids=_id)
def test_robot_files_load_and_step(path: Path) -> None:
    _run(path)


@pytest.mark.corpus
@pytest.mark.parametrize("path", corpus_models("usd"), ids=_id)
def test_stages_load_and_step(path: Path) -> None:
    if path.name in WITHOUT_RIGID_PHYSICS:
        with pytest.raises(ParseError, match="no rigid body"):
            usdsim.load_model(path)
        return
    _run(path)
