"""Real stages parse, or say clearly why not."""

import numpy as np
import pytest
from corpus_files import CORPUS

from usdsim.core.errors import ParseError
from usdsim.parser import parse_stage

STAGES = sorted((CORPUS / "usd").rglob("*.usda")) if CORPUS else []
WITHOUT_RIGID_BODIES = {"mpm_sand.usda", "mpm_material_subsets.usda"}


@pytest.mark.parametrize("path", STAGES, ids=lambda p: p.stem)
def test_stage(path):
    if path.name in WITHOUT_RIGID_BODIES:
        with pytest.raises(ParseError, match="no rigid body"):
            parse_stage(path)
        return
    scene = parse_stage(path).scene
    assert scene.bodies
    for i, body in enumerate(scene.bodies):
        assert body.parent < i
        assert np.isfinite([*body.rest_pose.pos, *body.rest_pose.quat, body.mass]).all()
        for j in body.joints:
            assert scene.joints[j].child == i and scene.joints[j].in_tree
    for joint in scene.joints:
        for dof in joint.dofs:
            if dof.kind in ("hinge", "slide"):
                assert np.linalg.norm(dof.axis) == pytest.approx(1.0)
