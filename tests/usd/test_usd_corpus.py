import json

import numpy as np
import pytest
from pxr import UsdGeom

from usdsim.math.transforms import Pose
from usdsim.usd import local_pose, open_stage, save_stage, traverse, world_pose

pytestmark = pytest.mark.corpus


def stages(corpus):
    entries = json.loads((corpus / "manifest.json").read_text())
    return [corpus / entry["path"] for entry in entries if entry["kind"] == "usd"]


def test_every_prim_stands_where_openusd_says(corpus):
    """Poses composed from local ones agree with OpenUSD's own matrices."""
    checked = 0
    for file in stages(corpus):
        stage = open_stage(file)
        cache = UsdGeom.XformCache()
        for prim in traverse(stage):
            if prim.IsPseudoRoot() or not prim.IsA(UsdGeom.Xformable):
                continue
            pose, scale = local_pose(prim, allow_shear=True)
            world, outer = world_pose(prim, cache, allow_shear=True)
            above, factor = world_pose(prim.GetParent(), cache, allow_shear=True)
            if cache.GetLocalTransformation(prim)[1] or np.ptp(factor) > 1e-9 or factor[0] < 0:
                continue
            expected = above @ Pose(factor[0] * pose.pos, pose.quat)
            assert world.almost_equal(expected, 1e-5, 1e-5), prim
            np.testing.assert_allclose(outer, scale * factor, rtol=1e-5)
            checked += 1
    assert checked > 200


def test_stages_survive_saving(corpus, tmp_path):
    for file in stages(corpus)[::6]:
        stage = open_stage(file)
        copy = open_stage(save_stage(stage, tmp_path / f"{file.stem}.usdc", flatten=True))
        assert len(list(traverse(copy))) >= len(list(traverse(stage)))
