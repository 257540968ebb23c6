"""Mesh assets of the MuJoCo dialect whose faces another tool has written."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Sdf, UsdGeom

import usdsim
from usdsim.core.errors import ParseError

CUBE = """<mujoco><asset><mesh name="m" vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1
-1 1 1 1 1 1" face="0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5"/>
</asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
QUADS = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5]


@pytest.fixture
def stage(tmp_path):
    """A converted cube of eight points, without the notes by which edits are found."""
    source = tmp_path / "cube.xml"
    source.write_text(CUBE)
    stage = usdsim.convert(source)
    for prim in stage.TraverseAll():
        if prim.IsA(UsdGeom.Mesh):
            prim.ClearCustomDataByKey("usdsim")
    return stage


def asset(stage):
    return next(
        UsdGeom.Mesh(prim) for prim in stage.TraverseAll() if "/Library/" in str(prim.GetPath())
        and prim.IsA(UsdGeom.Mesh)
    )  # fmt: skip


def test_polygons_become_triangles(stage):
    mesh = asset(stage)
    corners = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    mesh.GetPointsAttr().Set(corners)
    mesh.GetFaceVertexCountsAttr().Set([4] * 6)
    mesh.GetFaceVertexIndicesAttr().Set(QUADS)
    low = usdsim.load_model(stage).low
    assert low.mesh_facenum.tolist() == [12]
    points = low.mesh_vert[low.mesh_face]
    volumes = np.einsum("ni,ni->n", points[:, 0], np.cross(points[:, 1], points[:, 2])) / 6
    assert volumes.sum() == pytest.approx(8.0)


def test_corners_of_polygons_keep_their_texture_coordinates(stage):
    mesh = asset(stage)
    mesh.GetFaceVertexCountsAttr().Set([4] * 6)
    mesh.GetFaceVertexIndicesAttr().Set(QUADS)
    kind = Sdf.ValueTypeNames.TexCoord2fArray
    coordinates = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("st", kind, "faceVarying")
    coordinates.Set([(corner / 32, 0.25) for corner in range(24)])
    low = usdsim.load_model(stage, exact=True).low
    found = low.mesh_texcoord[low.mesh_facetexcoord]
    corners = [(4 * face + a, 4 * face + b, 4 * face + c) for face in range(6)
               for a, b, c in ((0, 1, 2), (0, 2, 3))]  # fmt: skip
    np.testing.assert_allclose(found[:, :, 0], np.array(corners) / 32)


def test_faces_that_do_not_fit_together_are_refused(stage):
    mesh = asset(stage)
    mesh.GetFaceVertexIndicesAttr().Set(QUADS[:-1])
    with pytest.raises(ParseError, match=r"/Library/Meshes/m: .* allowed: 23 indices"):
        usdsim.load_model(stage)
