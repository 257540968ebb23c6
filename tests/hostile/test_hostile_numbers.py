"""Numbers and names of damaged files: far away, out of range, or none at all."""

from __future__ import annotations

import base64
import contextlib
import json
import struct

import mujoco
import numpy as np
import pytest
from pxr import Sdf, Tf, Usd

import usdsim
from usdsim.core.errors import (
    CompileError,
    ConversionError,
    FileError,
    ParseError,
)
from usdsim.engine.compile.start_limits import within_limits
from usdsim.sim.unreferenced_options import options_left_behind

MUSCLE = """<mujoco><worldbody><body name="arm"><joint name="j" axis="0 1 0" range="-90 60"/>
  <geom size=".1"/><body name="hand" pos="0 0 {}" quat="1 .2 .3 .1"><joint axis="1 0 0"/>
  <geom type="box" size=".1 .05 .02" pos=".1 0 0"/></body></body></worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
  <actuator><muscle joint="j"/><muscle tendon="t" lengthrange="-1 1"/></actuator></mujoco>"""


@pytest.mark.parametrize("far", ["2147483647", "-1e8"])
def test_muscles_out_of_reach_do_not_keep_the_compiler_busy(tmp_path, far):
    source = tmp_path / "m.xml"
    source.write_text(MUSCLE.format(far))
    with pytest.raises(ConversionError, match=r"pos of body 'hand' is .* within 1e\+07 m"):
        usdsim.convert(source)
    source.write_text(MUSCLE.format("1").replace('size=".1 .05', 'size="1e9 .05'))
    with pytest.raises(ConversionError, match=r"size of geom '' is .* within 1e\+07 m"):
        usdsim.convert(source)
    source.write_text(MUSCLE.format("1"))
    assert usdsim.convert(source)


@pytest.mark.parametrize("corners", [(0, 1, 3), (0, 1, 65535)])
def test_corners_that_are_no_points_are_file_errors(tmp_path, corners):
    data = struct.pack("<9f3H", *(0, 0, 0, 1, 0, 0, 0, 1, 0), *corners)
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "bufferViews": [{"buffer": 0, "byteLength": 36},
                        {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                      {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
    }  # fmt: skip
    file = tmp_path / "m.gltf"
    file.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"m\.gltf"):
        usdsim.convert(file)


def test_prims_without_names_have_no_options_to_lose():
    class Damaged:
        rootPrims = (None,)
        defaultPrim = ""

    class Stage:
        def GetLayerStack(self):
            return []

        def GetUsedLayers(self):
            return [Damaged()]

    assert options_left_behind(Stage(), None, mujoco.MjModel.from_xml_string("<mujoco/>")) == []


def test_names_that_are_no_text_are_parse_errors(tmp_path):
    file, damaged = tmp_path / "robot.usdc", tmp_path / "damaged.usdc"
    stage = Usd.Stage.CreateNew(str(file))
    stage.DefinePrim("/robot", "Gadget")
    stage.Save()
    data = file.read_bytes()
    assert data.count(b"Gadget") == 1
    damaged.write_bytes(data.replace(b"Gadget", b"Gad\xffet"))
    with pytest.raises(ParseError, match=r"damaged\.usdc.*no UTF-8.*write it anew"):
        usdsim.load_model(damaged)


def test_unknown_classes_are_no_formats(tmp_path):
    """MuJoCo would print the name as a format, and the process end."""
    model = '<mujoco>{}<worldbody><geom class="%s%n" size=".1"/></worldbody></mujoco>'
    source = tmp_path / "m.xml"
    source.write_text(model.format(""))
    with pytest.raises(ConversionError, match=r"m\.xml:1 <geom>: class '%s%n' is not defined"):
        usdsim.convert(source)
    source.write_text(model.format('<default><default class="%s%n"/></default>'))
    assert usdsim.convert(source)


NESTED = """#usda 1.0
def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    def Xform "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 1)
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
def PhysicsRevoluteJoint "j"
{
    rel physics:body0 = </a>
    rel physics:body1 = </a/b>
}
"""


def test_orders_of_transforms_are_no_enumerations(tmp_path):
    """A binary layer may give an attribute a value of a type that no attribute has."""
    file = tmp_path / "s.usdc"
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(NESTED)
    layer.Export(str(file))
    good = file.read_bytes()
    tokens, permission = b"\x0b\x80", b"\x2b\x40"  # An array; a value that is its own place.
    found = 0
    for at in (i for i in range(6, len(good)) if good[i : i + 2] == tokens):
        file.write_bytes(good[: at - 6] + bytes(6) + permission + good[at + 2 :])
        order = None
        with contextlib.suppress(Tf.ErrorException):  # Of other bytes, which break the file.
            stage = Usd.Stage.Open(Sdf.Layer.OpenAsAnonymous(str(file)))
            order = stage.GetPrimAtPath("/a/b").GetAttribute("xformOpOrder").Get()
        if isinstance(order, Tf.Enum):
            found += 1
            with pytest.raises(ParseError, match=r"types of /a/b\.xformOpOrder"):
                usdsim.load_model(file)
    assert found == 1


def test_plugins_have_names(tmp_path):
    """MuJoCo would crash on an actuator of a plugin without one."""
    pid = (
        '<mujoco><extension><plugin plugin="mujoco.pid"/></extension><worldbody><body>'
        '<joint name="j"/><geom size=".1"/></body></worldbody><actuator>'
        '<plugin plugin="mujoco.pid" joint="j"><config key="kp" value="3"/></plugin></actuator>'
        "</mujoco>"
    )
    (tmp_path / "m.xml").write_text(pid)
    target = usdsim.convert(tmp_path / "m.xml", tmp_path / "s.usda")
    lines = target.read_text().splitlines()
    target.write_text("\n".join(line for line in lines if "string mjc:plugin" not in line))
    with pytest.raises(CompileError, match=r"/plugin names no plugin; set mjc:plugin"):
        usdsim.load_model(target)


def test_starts_that_cannot_be_calculated_stay():
    """What starts outside of its limits is moved by its mass, and this one's is beyond numbers."""
    link = (
        '<body pos="0 1e200 0"><joint axis="1 0 0" range="1 2"/>'
        '<inertial pos="0 1e200 0" mass="1" diaginertia="1 1 1"/>'
    )
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{2 * link}{2 * '</body>'}</worldbody></mujoco>"
    )
    qpos = np.zeros(model.nq)
    within_limits(model, qpos)
    np.testing.assert_array_equal(qpos, 0.0)
