"""The tables name what MuJoCo has, and leave nothing out unexplained."""

from __future__ import annotations

import mujoco
import pytest

from usdsim.core.dialects import mjc_tokens
from usdsim.core.dialects.mjc_scene import DISABLE, ENABLE
from usdsim.core.dialects.mjc_tables import ROWS

ENUMS = {
    "BIAS": "mjtBias",
    "BUILTIN": "mjtBuiltin",
    "CAMERA_MODE": "mjtCamLight",
    "COLORSPACE": "mjtColorSpace",
    "CONE": "mjtCone",
    "DATATYPE": "mjtDataType",
    "DYNAMICS": "mjtDyn",
    "EQUALITY": "mjtEq",
    "FLEX_SECTION": "mjtFlexSection",
    "FLEX_SELF": "mjtFlexSelf",
    "GAIN": "mjtGain",
    "GEOM": "mjtGeom",
    "INTEGRATOR": "mjtIntegrator",
    "JACOBIAN": "mjtJacobian",
    "JOINT": "mjtJoint",
    "LIGHT": "mjtLightType",
    "LIMITED": "mjtLimited",
    "MARK": "mjtMark",
    "MESH_INERTIA": "mjtMeshInertia",
    "OBJECT": "mjtObj",
    "PROJECTION": "mjtProjection",
    "SENSOR": "mjtSensor",
    "SLEEP": "mjtSleepPolicy",
    "SOLVER": "mjtSolver",
    "STAGE": "mjtStage",
    "TEXTURE": "mjtTexture",
    "TEXTURE_ROLE": "mjtTextureRole",
    "TRANSMISSION": "mjtTrn",
    "WRAP": "mjtWrap",
}

EXPLAINED = {
    # Handles, not values.
    "classname", "compiler", "frame", "frames", "id", "info", "name", "parent", "signature",
    "bodies", "cameras", "geoms", "joints", "lights", "sites", "path",
    # Other spellings of what is compiled into the fields beside them.
    "alt", "ialt", "fromto", "fullinertia", "fitscale", "focal_pixel", "principal_pixel",
    "intrinsic", "springdamper", "typeinertia", "density", "childclass", "inheritrange",
    # In the stage's transforms, types and relationships.
    "pos", "quat", "type", "meshname", "hfieldname", "uservert", "userface", "textures",
    # Instructions to a compiler that has done its work.
    "align", "explicitinertial", "fuse", "simple", "mass",
    # Textures are always part of the model.
    "embed",
    # Where the source's file was.
    "file", "content_type",
}  # fmt: skip
"""Fields of spec elements that have no row."""


def _fields(kind):
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    owner = body if kind in ("joint", "geom", "site", "camera", "light") else spec
    element = body if kind == "body" else getattr(owner, f"add_{kind}")()
    names = [name for name in dir(element) if not name.startswith("_")]
    # An unset plugin has no configuration to look at.
    return {name for name in names if name == "plugin" or not callable(getattr(element, name))}


@pytest.mark.parametrize("name", ENUMS)
def test_tokens_are_the_engines_enumeration(name):
    members = {int(value): key for key, value in getattr(mujoco, ENUMS[name]).__members__.items()}
    tokens = getattr(mjc_tokens, name)
    words = [members[code].partition("_")[2].lower() for code in range(len(tokens))]
    assert [word.removeprefix("inertia_") for word in words] == list(tokens)
    following = members.get(len(tokens), "mjN")
    assert following.startswith("mjN") or name in ("GEOM", "TRANSMISSION", "OBJECT")


def test_flags_are_the_engines_bits():
    disable = [key for key in mujoco.mjtDisableBit.__members__ if key.startswith("mjDSBL_")]
    enable = [key for key in mujoco.mjtEnableBit.__members__ if key.startswith("mjENBL_")]
    assert [key.partition("_")[2].lower() for key in disable] == list(DISABLE)
    assert [key.partition("_")[2].lower() for key in enable] == list(ENABLE)


@pytest.mark.parametrize("kind", [kind for kind in ROWS if kind not in ("scene", "plugin")])
def test_every_spec_field_has_a_row_or_a_reason(kind):
    covered = {row.field for row in ROWS[kind]}
    assert _fields(kind) - covered - EXPLAINED == set()


@pytest.mark.parametrize("group", ["option", "visual", "stat"])
def test_every_global_field_has_a_row(group):
    rows = {row.spec for row in ROWS["scene"]}
    owner = getattr(mujoco.MjSpec(), group)
    spec = mujoco.MjSpec()
    owner = getattr(spec, group)
    for name in dir(owner):
        if name.startswith("_") or name in (
            "global_",
            "disableflags",
            "enableflags",
            "disableactuator",
        ):
            continue
        value = getattr(owner, name)
        inner = [n for n in dir(value) if not n.startswith("_")] if group == "visual" else []
        for path in [f"{group}.{name}.{n}" for n in inner] or [f"{group}.{name}"]:
            assert path in rows


@pytest.mark.parametrize("kind", ROWS)
def test_properties_are_named_once(kind):
    names = [row.usd for row in ROWS[kind]]
    assert len(names) == len(set(names))
    assert all(name.startswith("mjc:") for name in names)


@pytest.mark.parametrize("kind", ROWS)
def test_compiled_arrays_exist(kind):
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    for row in ROWS[kind]:
        if row.model:
            assert hasattr(model, row.model.partition("[")[0]), row
