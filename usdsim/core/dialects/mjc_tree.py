"""Rows of the elements that hang on bodies."""

from __future__ import annotations

from .mjc import MjcRow, choice, flag, link, number, part, whole
from .mjc_tokens import CAMERA_MODE, LIGHT, LIMITED, PROJECTION, SLEEP

__all__ = ["BODY", "CAMERA", "GEOM", "JOINT", "LIGHT_INPUTS", "LIGHT_ROWS", "SITE"]

_QUAT = part("quat", "quatd", described=True, doc="Orientation with the sign a matrix loses.")

BODY: tuple[MjcRow, ...] = (
    _QUAT,
    choice("sleep", SLEEP, api="MjcBodyAPI", doc="When its tree may fall asleep."),
    number("gravcomp", model="body_gravcomp", api="MjcBodyAPI", described=True,
           doc="Share of its weight that is compensated."),
    flag("mocap", described=True,
         doc="Moved by the user: position and orientation are inputs."),
    number("mass", model="body_mass", unit="kg", described=True, stated=True, doc="Mass."),
    part("ipos", "double3", model="body_ipos", unit="m", described=True,
         stated=True, doc="Centre of mass."),
    part("iquat", "quatd", model="body_iquat", described=True,
         stated=True, doc="Orientation of the principal axes of inertia."),
    part("inertia", "double3", model="body_inertia", unit="kg m^2", described=True,
         stated=True, doc="Principal moments of inertia."),
    whole("simple", doc="0: never simplify the inertia; 1: automatic."),
    part("user", "double[]", "userdata", model="body_user", doc="User data."),
    link("plugin", doc="Plugin instance."),
)  # fmt: skip
"""Body."""

JOINT: tuple[MjcRow, ...] = (
    part("pos", "double3", model="jnt_pos", unit="m", described=True,
         stated=True, doc="Anchor in the child body."),
    part("axis", "double3", model="jnt_axis", described=True, stated=True,
         doc="Unit axis in the child body."),
    flag("limited", model="jnt_limited", described=True, stated=True,
         doc="Whether the range acts."),
    part("range", "double2", model="jnt_range", unit="m or rad", described=True, stated=True,
         doc="Limits."),
    number("ref", model="qpos0", unit="m or rad", angle=True, doc="Position in the authored pose."),
    number("springref", model="qpos_spring", unit="m or rad", angle=True,
           doc="Position where the spring rests."),
    number("stiffness", "stiffness[0]", "jnt_stiffness", unit="N/m or N m/rad",
           doc="Spring stiffness."),
    part("stiffnessPoly", "double[]", "stiffness[1:]", "jnt_stiffnesspoly",
         doc="Higher-order spring coefficients."),
    part("springdamper", "double[]", doc="Time constant [s] and damping ratio."),
    number("springyield", model="jnt_springyield", doc="Yield of the spring."),
    number("damping", "damping[0]", "dof_damping", unit="N s/m or N m s/rad", described=True,
           doc="Damping."),
    part("dampingPoly", "double[]", "damping[1:]", "dof_dampingpoly",
         doc="Higher-order damping coefficients."),
    number("armature", model="dof_armature", unit="kg or kg m^2", described=True,
           doc="Added inertia."),
    number("frictionloss", model="dof_frictionloss", unit="N or N m", described=True,
           doc="Dry friction."),
    number("margin", model="jnt_margin", unit="m or rad", doc="Distance where limits act."),
    part("solreflimit", "double[]", "solref_limit", "jnt_solref", stated=True,
         doc="Solver: limit."),
    part("solimplimit", "double[]", "solimp_limit", "jnt_solimp", stated=True,
         doc="Solver: limit."),
    part("solreffriction", "double[]", "solref_friction", "dof_solref", doc="Solver: friction."),
    part("solimpfriction", "double[]", "solimp_friction", "dof_solimp", stated=True,
         doc="Solver: friction."),
    choice("actuatorfrclimited", LIMITED, "actfrclimited", "jnt_actfrclimited",
           doc="Whether the total actuator force is limited."),
    number("actuatorfrcrange:min", "actfrcrange[0]", "jnt_actfrcrange[0]", unit="N or N m",
           doc="Least total actuator force."),
    number("actuatorfrcrange:max", "actfrcrange[1]", "jnt_actfrcrange[1]", unit="N or N m",
           doc="Largest total actuator force."),
    flag("actuatorgravcomp", "actgravcomp", "jnt_actgravcomp",
         doc="Gravity compensation counts as actuator force."),
    whole("group", model="jnt_group", doc="Group."),
    part("user", "double[]", "userdata", model="jnt_user", doc="User data."),
)  # fmt: skip
"""Joint."""

GEOM: tuple[MjcRow, ...] = (
    _QUAT,
    part("size", "double3", model="geom_size", described=True,
         doc="Half sizes, where the shape does not say them all."),
    whole("contype", model="geom_contype", doc="Collision bits this geom has."),
    whole("conaffinity", model="geom_conaffinity", doc="Collision bits it collides with."),
    whole("condim", model="geom_condim", default=3, doc="Dimensions of its contacts."),
    whole("priority", model="geom_priority", doc="Whose contact parameters win."),
    part("friction", "double3", model="geom_friction", stated=True,
         doc="Sliding, torsional, rolling."),
    number("solmix", model="geom_solmix", doc="Weight of its solver parameters."),
    part("solref", "double[]", model="geom_solref", stated=True, doc="Solver: contact."),
    part("solimp", "double[]", model="geom_solimp", stated=True, doc="Solver: contact."),
    number("margin", model="geom_margin", unit="m", described=True, stated=True,
           doc="Inflation for contact."),
    number("gap", model="geom_gap", unit="m", described=True, doc="Distance of inactive contacts."),
    part("surfacevel", "double[]", model="geom_surfacevel",
         doc="Surface velocity: linear, angular."),
    number("adhesion", model="geom_adhesion", unit="N", doc="Adhesive force."),
    number("fluid:ellipsoid", "fluid_ellipsoid", "geom_fluid[0]",
           doc="Whether the ellipsoid fluid model acts."),
    part("fluid:coefs", "double[]", "fluid_coefs", "geom_fluid[1:6]",
         doc="Drag and lift coefficients."),
    part("rgba", "float[]", model="geom_rgba", stated=True,
         doc="Colour where no material has one."),
    whole("group", model="geom_group", stated=True, doc="Group."),
    flag("castshadow", model="geom_castshadow", doc="Whether it casts shadows."),
    link("material", model="geom_matid", doc="Material."),
    link("plugin", doc="Plugin instance."),
    part("user", "double[]", "userdata", model="geom_user", doc="User data."),
)  # fmt: skip
"""Geom."""

SITE: tuple[MjcRow, ...] = (
    _QUAT,
    part("size", "double3", model="site_size", unit="m", described=True, stated=True,
         doc="Half sizes."),
    whole("group", model="site_group", doc="Group."),
    part("rgba", "float[]", model="site_rgba", doc="Colour."),
    link("material", model="site_matid", doc="Material."),
    part("user", "double[]", "userdata", model="site_user", doc="User data."),
)  # fmt: skip
"""Site."""

CAMERA: tuple[MjcRow, ...] = (
    _QUAT,
    choice("mode", CAMERA_MODE, model="cam_mode", doc="What it follows."),
    link("targetBody", "targetbody", "cam_targetbodyid", doc="Body it looks at."),
    choice("projection", PROJECTION, "proj", "cam_projection", doc="Projection."),
    part("resolution", "int2", model="cam_resolution", doc="Pixels."),
    whole("output", model="cam_output", doc="Output kinds as bits."),
    number("fovy", model="cam_fovy", unit="deg", stated=True,
           doc="Vertical field of view, or height."),
    number("ipd", model="cam_ipd", unit="m", doc="Interpupillary distance."),
    part("sensorSize", "float2", "sensor_size", "cam_sensorsize", unit="m",
         doc="Size of the sensor."),
    part("focal", "float2", "focal_length", "cam_intrinsic[0:2]", unit="m",
         doc="Focal lengths."),
    part("principal", "float2", "principal_length", "cam_intrinsic[2:4]", unit="m",
         doc="Principal point."),
    part("user", "double[]", "userdata", model="cam_user", doc="User data."),
)  # fmt: skip
"""Camera."""

LIGHT_ROWS: tuple[MjcRow, ...] = (
    part("dir", "double3", model="light_dir", doc="Direction."),
    choice("mode", CAMERA_MODE, model="light_mode", doc="What it follows."),
    link("targetBody", "targetbody", "light_targetbodyid", doc="Body it points at."),
    choice("type", LIGHT, model="light_type", stated=True, doc="Kind of light."),
    link("texture", model="light_texid", doc="Texture of image lights."),
    flag("active", model="light_active", doc="Whether it is on."),
    flag("castshadow", model="light_castshadow", doc="Whether it casts shadows."),
    number("bulbradius", model="light_bulbradius", unit="m", doc="Radius of the bulb."),
    number("intensity", model="light_intensity", unit="cd", doc="Intensity."),
    number("range", model="light_range", unit="m", doc="Reach."),
    part("attenuation", "float3", model="light_attenuation", doc="Attenuation polynomial."),
    number("cutoff", model="light_cutoff", unit="deg", doc="Half angle of the spot."),
    number("softness", model="light_softness", doc="Softness of the edge of the spot."),
    number("exponent", model="light_exponent", doc="Falloff of the spot."),
    part("ambient", "color3f", model="light_ambient", doc="Ambient colour."),
    part("diffuse", "color3f", model="light_diffuse", doc="Diffuse colour."),
    part("specular", "color3f", model="light_specular", doc="Specular colour."),
)  # fmt: skip
"""Light."""

LIGHT_INPUTS = {
    "inputs:color": "mjc:diffuse",
    "inputs:intensity": "mjc:intensity",
    "inputs:radius": "mjc:bulbradius",
    "inputs:shaping:cone:angle": "mjc:cutoff",
    "inputs:shaping:cone:softness": "mjc:softness",
}
"""Attributes of the dialect by the inputs of a light that say the same."""
