"""The MuJoCo schemas, from the table that the converter and the parser share."""

from __future__ import annotations

from dataclasses import replace

from usdsim.core.dialects.mjc_tables import ROWS, TYPES
from usdsim.core.dialects.mjc_tokens import TEXTURE_ROLE

from .table import Attr, Plugin, Schema

__all__ = ["ADDITION", "PLUGIN"]

_APIS = {
    "body": ("MjcBodyAPI", (), "MuJoCo properties of a body."),
    "joint": ("MjcJointAPI", ("NewtonJointAPI",), "MuJoCo properties of a joint."),
    "geom": ("MjcCollisionAPI", ("NewtonCollisionAPI",), "MuJoCo properties of a geom."),
    "site": ("MjcSiteAPI", ("NewtonSiteAPI",), "MuJoCo properties of a site."),
    "camera": ("MjcCameraAPI", (), "MuJoCo properties of a camera."),
    "light": ("MjcLightAPI", (), "MuJoCo properties of a light."),
    "mesh": ("MjcMeshCollisionAPI", (), "MuJoCo properties of a mesh."),
    "material": ("MjcMaterialAPI", (), "MuJoCo properties of a material."),
    "scene": ("MjcSceneAPI", ("NewtonSceneAPI",), "MuJoCo options of a physics scene."),
}

_RANGES = {
    "[0, inf)": (
        "adhesion", "armature", "bulbradius", "damping", "density",
        "frictionloss", "group", "iterations", "ls_iterations", "mass", "noise", "radius",
        "shininess", "size", "solmix", "stiffness", "thickness", "time", "tolerance", "viscosity",
        "width", "young", "cutoff", "delay", "nsample",
    ),
    "(0, inf)": ("impratio", "timestep"),
    "[0, 1]": ("emission", "reflectance", "specular"),
    "{1, 3, 4, 6}": ("condim",),
    "[-1, inf)": ("maxhullvert",),
}  # fmt: skip
_RANGE = {name: interval for interval, names in _RANGES.items() for name in names}


def _attributes(kind: str) -> list[Attr]:
    found = []
    for row in ROWS[kind]:
        name = row.usd.removeprefix("mjc:")
        doc = row.doc or f"MuJoCo's {name.replace(':', ' ')}."
        interval = _RANGE.get(name.removeprefix("option:"), "") if row.type != "rel" else ""
        found.append(Attr(row.type, name, row.default, doc, interval, row.unit, row.tokens))
    return found


_REL_MESH = Attr("rel", "mesh", None, "Mesh asset the shape is made of.")
_KIND = Attr("token", "type", None, "MuJoCo's type, where the prim's own type does not say it.")
_MORE = {
    "joint": [_KIND],
    "geom": [_REL_MESH, Attr("rel", "hfield", None, "Height field it is made of."), _KIND],
    "site": [_REL_MESH, _KIND],
    "mesh": [
        Attr("point3f[]", "vertices", None, "Source points, if not those drawn.", "", "m"),
        Attr("int[]", "faces", None, "Source triangles, if not those drawn."),
    ],
    "material": [
        *(Attr("rel", f"texture:{role}", None, f"Texture: {role}.") for role in TEXTURE_ROLE),
        Attr("double", "rollingfriction", 0.0001, "Rolling friction; newton:rollingFriction since.",
             "[0, inf)", "m"),
        Attr("double", "torsionalfriction", 0.005,
             "Torsional friction; newton:torsionalFriction since.", "[0, inf)", "m"),
    ],
    "scene": [
        Attr("bool", "compiler:alignFree", None, "Whether free bodies are aligned with inertia."),
        Attr("token", "compiler:angle", None, "Unit of angles.", tokens=("degree", "radian")),
        Attr("bool", "compiler:balanceInertia", None, "Whether impossible inertias are repaired."),
        Attr("double", "compiler:boundInertia", None, "Least inertia.", "[0, inf)", "kg m^2"),
        Attr("double", "compiler:boundMass", None, "Least mass.", "[0, inf)", "kg"),
        Attr("bool", "compiler:fitAABB", None, "Whether shapes fit bounding boxes."),
        Attr("bool", "compiler:fuseStatic", None, "Whether static bodies are fused."),
        Attr("token", "compiler:inertiaFromGeom", None, "Whether geoms decide on inertia.",
             tokens=("false", "true", "auto")),
        Attr("int", "compiler:inertiaGroupRange:max", None, "Last group that has inertia."),
        Attr("int", "compiler:inertiaGroupRange:min", None, "First group that has inertia."),
        Attr("bool", "compiler:saveInertial", None, "Whether inertias are saved."),
        Attr("double", "compiler:setTotalMass", None, "Total mass; negative: as it is.", "", "kg"),
        Attr("bool", "compiler:useThread", None, "Whether compiling uses threads."),
    ],
}  # fmt: skip
"""Attributes the tables leave out: links between prims, and what other converters author."""

_COEFFICIENTS = [
    Attr("double", f"coef{i}", 1.0 if i == 1 else 0.0, f"Coefficient of power {i}.", "",
         "m or rad" if i == 0 else "")
    for i in range(5)
]  # fmt: skip
_SOLVER = [
    Attr("double[]", "solref", None, "Solver."),
    Attr("double[]", "solimp", None, "Solver."),
    Attr("rel", "target", None, "Second element; none: a constant."),
]
_LOOP = [
    *_SOLVER,
    *(found for found in _attributes("equality") if found.name not in ("solref", "solimp")),
]
"""Of equalities that are joint prims, which also say all that other equalities say."""
_EQUALITIES = [
    Schema("MjcEqualityConnectAPI", "mjc", "Makes a joint prim a ball constraint.", _LOOP),
    Schema(
        "MjcEqualityWeldAPI",
        "mjc",
        "Makes a joint prim a weld constraint.",
        [*_LOOP, Attr("float", "torqueScale", 1.0, "Weight of rotation.", "[0, inf)", "m")],
    ),
    Schema(
        "MjcEqualityJointAPI",
        "mjc",
        "Couples a joint to another by a polynomial.",
        [*_SOLVER, *_COEFFICIENTS],
    ),
    Schema(
        "MjcImageableAPI",
        "mjc",
        "MuJoCo properties of a geom that is only seen.",
        [*_attributes("geom"), *_MORE["geom"]],
    ),
]

_OFFICIAL = ("joint", "geom", "site", "mesh", "material", "scene", "tendon", "actuator", "key")
"""Kinds that the official mjcPhysics has a schema for."""
_OWN = [
    Schema("MjcLibraryAPI", "mjc", "Holds assets that are only used by reference."),
    Schema(
        "MjcModelAPI",
        "mjc",
        "Stands for a whole model.",
        [Attr("rel", "library", None, "Where the model's assets are.")],
    ),
    Schema(
        "MjcFilteringAPI",
        "mjc",
        "Marks collision filtering that repeats bit masks for other engines.",
        [Attr("bool", "derived", False, "Whether the masks say the same.")],
    ),
]


def _schemas(*, official: bool) -> list[Schema]:
    found = []
    for kind in (kind for kind in ROWS if (kind in _OFFICIAL) == official):
        if kind in _APIS:
            name, builtins, doc = _APIS[kind]
            only_on = ("PhysicsScene",) if kind == "scene" else ()
            every = [*_attributes(kind), *_MORE.get(kind, [])]
            found.append(Schema(name, "mjc", doc, every, builtins=builtins, only_on=only_on))
        else:
            doc = f"MuJoCo's {kind}."
            found.append(Schema(TYPES[kind], "mjc", doc, _attributes(kind), "concreteTyped"))
    return found


def _uniform(schema: Schema) -> Schema:
    """A schema as MuJoCo declares it: nothing varies over time but the states of keyframes."""
    if schema.name == TYPES["key"]:
        return schema
    found = [replace(one, uniform=one.type != "rel") for one in schema.attributes]
    return replace(schema, attributes=found)


PLUGIN = Plugin(
    "mjcPhysics",
    "MjcPhysics",
    "The MuJoCo schemas.",
    [_uniform(schema) for schema in (*_schemas(official=True), *_EQUALITIES)],
    strip="Mjc",
)
ADDITION = Plugin(
    "usdsimMjcPhysics",
    "UsdsimMjcPhysics",
    "What usdsim adds to the MuJoCo schemas, so that a whole model fits on a stage.",
    [*_schemas(official=False), *_OWN],
    strip="Mjc",
)
