# ruff: noqa: E501
"""Sound inputs that mutations start from, of every kind of file a door takes."""

from __future__ import annotations

import io
import sys
from functools import cache
from pathlib import Path

import numpy as np

__all__ = ["seeds"]

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mjcf"))

_OBJ = (
    "mtllib a.mtl\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\nusemtl m\n"
    "f 1/1/1 3/1/1 2/1/1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
)
_URDF = """<robot name="r"><material name="m"><color rgba="1 0 0 1"/></material>
<link name="a"><inertial><origin xyz="0 0 .1"/><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1"
ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="a.obj" scale="1 1 1"/></geometry>
<material name="m"/></visual><collision><geometry><cylinder radius=".1" length=".3"/></geometry>
</collision></link><link name="b"><collision><geometry><box size=".1 .2 .3"/></geometry></collision>
</link><link name="c"><inertial><mass value=".1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0"
iyz="0"/></inertial><visual><geometry><sphere radius=".1"/></geometry><material name="t">
<texture filename="a.png"/></material></visual></link>
<joint name="j" type="revolute"><origin xyz="0 0 1" rpy="0 .1 0"/><parent link="a"/><child link="b"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="3"/><dynamics damping=".1"
friction=".2"/></joint><joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
<limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="2" offset=".1"/></joint>
<transmission name="t"><type>SimpleTransmission</type><joint name="j"><hardwareInterface>Effort
</hardwareInterface></joint><actuator name="m"><mechanicalReduction>10</mechanicalReduction></actuator>
</transmission><gazebo reference="b"><mu1>.3</mu1><kp>1e5</kp></gazebo></robot>"""
_GLTF = """{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0,
"scale": [1, 2, 1]}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"buffers": [{"byteLength": 42, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAA\
AAAAAAAAAAAAgD8AAAAAAAABAAIA"}], "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0,
"byteOffset": 36, "byteLength": 6}], "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3,
"type": "VEC3", "max": [1, 1, 0], "min": [0, 0, 0]}, {"bufferView": 1, "componentType": 5123,
"count": 3, "type": "SCALAR"}]}"""


@cache
def seeds() -> dict[str, list[bytes]]:
    """Inputs by the ending of their names."""
    from mjcf_features import FEATURES

    import usdsim
    from usdsim.actuators.networks.network import DenseLayer, Network, save_network

    found: dict[str, list[bytes]] = {
        ".xml": [text.encode() for _, text in sorted(FEATURES.items()) if len(text) < 6000],
        ".urdf": [_URDF.encode(), (ROOT / "assets" / "arm" / "arm.urdf").read_bytes()],
        ".obj": [_OBJ.encode()],
        ".off": [b"OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"],
        ".gltf": [_GLTF.encode()],
    }
    facets = np.zeros(2, dtype="3f4,(3,3)f4,u2")
    facets["f1"] = np.arange(18).reshape(2, 3, 3) % 5
    found[".stl"] = [bytes(80) + np.uint32(2).tobytes() + facets.tobytes()]
    found[".xml"].append((ROOT / "assets" / "finger" / "finger.xml").read_bytes())
    found[".usda"], found[".usdc"] = [], []
    sources = [(".urdf", data) for data in found[".urdf"]]
    sources += [(".xml", data) for data in found[".xml"][:: len(found[".xml"]) // 25]]
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for number, (suffix, data) in enumerate(sources):
            source = Path(folder) / f"s{number}{suffix}"
            source.write_bytes(data)
            (Path(folder) / "a.obj").write_text(_OBJ)
            for ending in (".usda", ".usdc"):
                target = Path(folder) / f"t{number}{ending}"
                try:
                    usdsim.convert(source, target)
                except usdsim.core.errors.UsdsimError:
                    continue
                if target.stat().st_size < 40_000:
                    found[ending].append(target.read_bytes())
        usdsim.convert(Path(folder) / "s0.urdf", Path(folder) / "t.usdz")
        found[".usdz"] = [(Path(folder) / "t.usdz").read_bytes()]
        network = Path(folder) / "n.npz"
        layers = (
            DenseLayer(np.ones((3, 6)), np.zeros(3), "elu"),
            DenseLayer(np.ones((1, 3)), np.zeros(1)),
        )
        save_network(network, Network(layers, metadata={"model_type": "mlp"}))
        found[".npz"] = [network.read_bytes()]
        found[".state"] = [state_of(state_model(), Path(folder) / "s.npz")]
    return found


STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Sphere "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
}
"""


@cache
def state_model() -> object:
    """The model that state files are of."""
    from pxr import Usd

    import usdsim

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(STAGE)
    return usdsim.load_model(stage)


def state_of(model: object, path: Path) -> bytes:
    """A state file of two worlds that differ in mass."""
    import usdsim

    data = usdsim.SceneData(model, batch=2, threads=1)  # type: ignore[arg-type]
    data.set_param(
        "body_mass", None, np.asarray(data.param("body_mass"), dtype=np.float64)[0] * 2.0
    )
    data.save(path)
    content = io.BytesIO(path.read_bytes())
    return content.getvalue()
