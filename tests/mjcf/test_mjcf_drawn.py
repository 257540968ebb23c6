"""Flexible bodies and skins are seen on the stage, and no part of the model comes of it."""

import mujoco
import numpy as np
import pytest
from pxr import UsdGeom, UsdShade

import usdsim

SOLID = """<mujoco><asset><material name="red" rgba="1 0 0 1"/></asset><worldbody>
  <body name="Deformables"><freejoint/><geom size=".1"/></body>
  <flexcomp name="soft" type="grid" count="3 3 3" spacing=".1 .1 .1" dim="3" mass=".3"
    pos="1 2 3" material="red"><edge equality="true"/></flexcomp></worldbody></mujoco>"""
ROPE = """<mujoco><worldbody><flexcomp name="rope" type="grid" count="4 1 1" spacing=".1 .1 .1"
  dim="1" radius=".02" mass=".1" rgba="0 .5 1 .25"><edge equality="true"/></flexcomp></worldbody>
  </mujoco>"""
SKIN = """<mujoco><worldbody><body name="arm" pos="0 0 2"><joint axis="0 1 0"/>
  <geom size=".1" pos="1 0 0"/></body></worldbody><deformable><skin name="hide"
  vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="arm" bindpos="0 0 0"
  bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></deformable></mujoco>"""


def drawing(stage, folder="Deformables"):
    (prim,) = stage.GetPrimAtPath(f"{stage.GetDefaultPrim().GetPath()}/{folder}").GetChildren()
    return prim


def load(folder, text):
    (folder / "model.xml").write_text(text)
    return usdsim.load_model(str(folder / "model.xml")).stage


def test_a_material_that_a_mesh_alone_names_is_left_out_with_the_looks():
    text = """<mujoco><asset><material name="red" rgba="1 0 0 1"/><mesh name="ball" builtin="sphere"
      params="0" material="red"/></asset><worldbody><body><freejoint/>
      <geom type="mesh" mesh="ball"/></body></worldbody></mujoco>"""
    plain, exact = (usdsim.load_mjcf_str(text, exact=exact) for exact in (False, True))
    assert (plain.low.nmat, exact.low.nmat) == (0, 1)
    assert exact.low.geom_matid.tolist() == [0]


def test_a_solid_shows_its_skin(tmp_path):
    stage = load(tmp_path, SOLID)
    body = stage.GetDefaultPrim().GetChild("Deformables")
    assert body.GetTypeName() == "Xform"  # it has the name already
    prim = drawing(stage, "Deformables_1")
    mesh = UsdGeom.Mesh(prim)
    points = np.array(mesh.GetPointsAttr().Get(), dtype=np.float64)
    assert len(points) == 27
    faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    assert len(faces) == 48
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volume = np.einsum("fi,fi->f", normals, corners[:, 0] - points.mean(axis=0)).sum() / 6
    assert volume == pytest.approx(0.2**3, rel=1e-5)
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    assert material.GetPrim().GetName() == "red"
    assert str(prim.GetRelationship("usdsim:draws").GetTargets()[0]).endswith("Flexes/soft")


def test_a_rope_shows_its_edges(tmp_path):
    stage = load(tmp_path, ROPE)
    prim = drawing(stage)
    curves = UsdGeom.BasisCurves(prim)
    assert list(curves.GetCurveVertexCountsAttr().Get()) == [2, 2, 2]
    np.testing.assert_allclose(curves.GetWidthsAttr().Get(), 0.04)
    points = np.array(curves.GetPointsAttr().Get()).reshape(3, 2, 3)
    np.testing.assert_allclose(points[:, 1] - points[:, 0], np.tile([0.1, 0, 0], (3, 1)), atol=1e-7)
    np.testing.assert_allclose(curves.GetDisplayColorAttr().Get()[0], [0, 0.5, 1])
    np.testing.assert_allclose(curves.GetDisplayOpacityAttr().Get()[0], 0.25)


def test_a_skin_lies_on_its_bones(tmp_path):
    stage = load(tmp_path, SKIN)
    prim = drawing(stage)
    points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get())
    np.testing.assert_allclose(points, [[0, 0, 2], [1, 0, 2], [0, 1, 2]], atol=1e-7)


@pytest.mark.parametrize("text", [SOLID, ROPE, SKIN], ids=["solid", "rope", "skin"])
def test_nothing_is_added_to_the_model(tmp_path, text):
    (tmp_path / "model.xml").write_text(text)
    source = mujoco.MjModel.from_xml_string(text)
    for exact in (False, True):
        model = usdsim.load_model(str(tmp_path / "model.xml"), exact=exact).low
        assert (model.ngeom, model.nflex, model.nbody) == (
            source.ngeom,
            source.nflex,
            source.nbody,
        )


def test_weights_of_a_skin_are_not_rounded_again(tmp_path):
    """The engine divides them by their sum, which is one but for the last digit."""
    rng = np.random.default_rng(0)
    bodies = "".join(f'<body name="b{i}"><geom size=".1"/></body>' for i in range(3))
    bones = "".join(
        f'<bone body="b{i}" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" '
        f'vertweight="{" ".join(map(str, rng.uniform(size=3)))}"/>'
        for i in range(3)
    )
    text = f"""<mujoco><worldbody>{bodies}</worldbody><deformable><skin name="hide"
      vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">{bones}</skin></deformable></mujoco>"""
    (tmp_path / "model.xml").write_text(text)
    source = mujoco.MjModel.from_xml_string(text)
    model = usdsim.load_model(str(tmp_path / "model.xml"), exact=True).low
    assert np.array_equal(model.skin_bonevertweight, source.skin_bonevertweight)
