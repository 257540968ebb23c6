"""MuJoCo's enumerations as USD tokens, in the engine's order, and sizes of joints."""

from __future__ import annotations

__all__ = [
    "BIAS",
    "BUILTIN",
    "CAMERA_MODE",
    "COLORSPACE",
    "CONE",
    "DATATYPE",
    "DYNAMICS",
    "EQUALITY",
    "FLEX_SECTION",
    "FLEX_SELF",
    "GAIN",
    "GEOM",
    "INTEGRATOR",
    "JACOBIAN",
    "JOINT",
    "JOINT_POSITIONS",
    "JOINT_VELOCITIES",
    "LIGHT",
    "LIMITED",
    "MARK",
    "MESH_INERTIA",
    "OBJECT",
    "PROJECTION",
    "SENSOR",
    "SLEEP",
    "SOLVER",
    "STAGE",
    "TEXTURE",
    "TEXTURE_ROLE",
    "TRANSMISSION",
    "WRAP",
]

BIAS = ("none", "affine", "muscle", "dcmotor", "so3", "user")
BUILTIN = ("none", "gradient", "checker", "flat")
CAMERA_MODE = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
COLORSPACE = ("auto", "linear", "srgb")
CONE = ("pyramidal", "elliptic")
DATATYPE = ("real", "positive", "axis", "quaternion")
DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user")
EQUALITY = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
FLEX_SECTION = ("circle", "box")
FLEX_SELF = ("none", "narrow", "bvh", "sap", "auto")
GAIN = ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user")
GEOM = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
INTEGRATOR = ("euler", "rk4", "implicit", "implicitfast", "discrete")
JACOBIAN = ("dense", "sparse", "auto")
JOINT = ("free", "ball", "slide", "hinge")
JOINT_POSITIONS = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
"""Numbers of a joint's position, of which turns about any axis are a quaternion."""
JOINT_VELOCITIES = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}
"""Numbers of a joint's velocity."""
LIGHT = ("spot", "directional", "point", "image")
LIMITED = ("false", "true", "auto")
MARK = ("none", "edge", "cross", "random")
MESH_INERTIA = ("convex", "exact", "legacy", "shell")
OBJECT = (
    "unknown", "body", "xbody", "joint", "dof", "geom", "site", "camera", "light", "flex", "mesh",
    "skin", "hfield", "texture", "material", "pair", "exclude", "equality", "tendon", "actuator",
    "sensor", "numeric", "text", "tuple", "key", "plugin",
)  # fmt: skip
PROJECTION = ("perspective", "orthographic")
SENSOR = (
    "touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer",
    "rangefinder", "camprojection", "jointpos", "jointvel", "tendonpos", "tendonvel",
    "actuatorpos", "actuatorvel", "actuatorfrc", "jointactfrc", "tendonactfrc", "ballquat",
    "ballangvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc", "tendonlimitpos",
    "tendonlimitvel", "tendonlimitfrc", "framepos", "framequat", "framexaxis", "frameyaxis",
    "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc", "subtreecom",
    "subtreelinvel", "subtreeangmom", "insidesite", "geomdist", "geomnormal", "geomfromto",
    "contact", "e_potential", "e_kinetic", "clock", "tactile", "plugin", "user",
)  # fmt: skip
SLEEP = ("auto", "auto_never", "auto_allowed", "never", "allowed", "init")
SOLVER = ("pgs", "cg", "newton")
STAGE = ("none", "pos", "vel", "acc")
TEXTURE = ("2d", "cube", "skybox")
TEXTURE_ROLE = (
    "user", "rgb", "occlusion", "roughness", "metallic", "normal", "opacity", "emissive", "rgba",
    "orm",
)  # fmt: skip
TRANSMISSION = ("joint", "jointinparent", "slidercrank", "tendon", "site", "body", "so3")
WRAP = ("none", "joint", "pulley", "site", "sphere", "cylinder")
