"""Pointers of Git LFS, which stand where files of a repository should, are named as such."""

from __future__ import annotations

import pytest

from usdsim import convert, load_model
from usdsim.core.errors import FileError
from usdsim.math.mesh_files.reading import load_mesh
from usdsim.usd.stage import open_stage

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:89547dfe\nsize 867\n"
MJCF = """<mujoco><asset>{}</asset><worldbody><body><freejoint/>
<geom size="0.1" type="{}"/></body></worldbody></mujoco>"""
MESH = MJCF.format('<mesh file="{}"/>', 'mesh" mesh="part')
PICTURE = MJCF.format('<texture name="look" type="2d" file="{}"/>', "sphere")
USD = '#usda 1.0\ndef "robot" (references = @{}@) {{}}\n'
URDF = """<robot name="r"><link name="l"><collision><geometry>
<mesh filename="{}"/></geometry></collision></link></robot>"""


@pytest.fixture
def pointer(tmp_path):
    def write(name):
        file = tmp_path / name
        file.write_text(POINTER)
        return file

    return write


@pytest.mark.parametrize("name", ["r.usd", "r.usda", "r.usdc", "r.usdz", "r.xml", "r.urdf"])
def test_what_is_loaded(pointer, name):
    with pytest.raises(FileError, match=rf"{name}'.* pointer of Git LFS.*`git lfs pull`"):
        load_model(pointer(name))


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("r.xml", MESH, "part.stl"),
        ("r.xml", MESH, "part.obj"),
        ("r.xml", PICTURE, "look.png"),
        ("r.usda", USD, "part.usd"),
    ],
)
def test_what_a_model_is_made_of(pointer, tmp_path, name, text, part):
    pointer(part)
    (tmp_path / name).write_text(text.format(part))
    with pytest.raises(FileError, match=rf"{part}'.* pointer of Git LFS"):
        load_model(tmp_path / name)


def test_meshes_of_urdf_are_left_out_and_named(pointer, tmp_path, caplog):
    pointer("part.dae")
    (tmp_path / "r.urdf").write_text(URDF.format("part.dae"))
    convert(tmp_path / "r.urdf", tmp_path / "r.usda")
    assert "pointer of Git LFS" in caplog.text


@pytest.mark.parametrize("door", [load_mesh, open_stage])
def test_doors_of_single_files(pointer, door):
    with pytest.raises(FileError, match="pointer of Git LFS"):
        door(pointer("part.stl" if door is load_mesh else "part.usda"))
