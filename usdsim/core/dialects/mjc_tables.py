"""All MuJoCo tables by kind of element."""

from __future__ import annotations

from collections.abc import Mapping

from . import mjc_assets, mjc_control, mjc_tree
from .mjc import MjcRow
from .mjc_scene import SCENE

__all__ = ["COUNTS", "KINDS", "ROWS", "TYPES"]

ROWS: Mapping[str, tuple[MjcRow, ...]] = {
    "body": mjc_tree.BODY,
    "joint": mjc_tree.JOINT,
    "geom": mjc_tree.GEOM,
    "site": mjc_tree.SITE,
    "camera": mjc_tree.CAMERA,
    "light": mjc_tree.LIGHT_ROWS,
    "mesh": mjc_assets.MESH,
    "hfield": mjc_assets.HFIELD,
    "texture": mjc_assets.TEXTURE_ROWS,
    "material": mjc_assets.MATERIAL,
    "skin": mjc_assets.SKIN,
    "flex": mjc_assets.FLEX,
    "pair": mjc_control.PAIR,
    "exclude": mjc_control.EXCLUDE,
    "equality": mjc_control.EQUALITY_ROWS,
    "tendon": mjc_control.TENDON,
    "actuator": mjc_control.ACTUATOR,
    "sensor": mjc_control.SENSOR_ROWS,
    "key": mjc_control.KEY,
    "numeric": mjc_control.NUMERIC,
    "text": mjc_control.TEXT,
    "tuple": mjc_control.TUPLE,
    "plugin": mjc_control.PLUGIN,
    "scene": SCENE,
}
"""Rows by kind; the kinds are the spec's own words, and ``scene``."""

COUNTS: Mapping[str, str] = {
    "body": "nbody", "joint": "njnt", "geom": "ngeom", "site": "nsite", "camera": "ncam",
    "light": "nlight", "mesh": "nmesh", "hfield": "nhfield", "texture": "ntex",
    "material": "nmat", "skin": "nskin", "flex": "nflex", "pair": "npair",
    "exclude": "nexclude", "equality": "neq", "tendon": "ntendon", "actuator": "nactuator",
    "sensor": "nsensor", "key": "nkey", "numeric": "nnumeric", "text": "ntext",
    "tuple": "ntuple", "plugin": "nplugin",
}  # fmt: skip
"""Member of a compiled model that counts its elements of a kind."""

TYPES: Mapping[str, str] = {
    "hfield": "MjcHeightField",
    "texture": "MjcTexture",
    "skin": "MjcSkin",
    "flex": "MjcFlex",
    "pair": "MjcContactPair",
    "exclude": "MjcContactExclude",
    "equality": "MjcEquality",
    "tendon": "MjcTendon",
    "actuator": "MjcActuator",
    "sensor": "MjcSensor",
    "key": "MjcKeyframe",
    "numeric": "MjcNumeric",
    "text": "MjcText",
    "tuple": "MjcTuple",
    "plugin": "MjcPlugin",
}
"""Type of the prim of elements that no standard USD type can hold."""

KINDS: Mapping[str, str] = {name: kind for kind, name in TYPES.items()}
"""Kind by prim type."""
