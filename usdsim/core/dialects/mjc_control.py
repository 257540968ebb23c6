"""Rows of constraints, tendons, actuators, sensors and custom data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .mjc import MjcRow, choice, flag, link, number, part, text, whole
from .mjc_tokens import (
    BIAS,
    DATATYPE,
    DYNAMICS,
    EQUALITY,
    GAIN,
    LIMITED,
    OBJECT,
    SENSOR,
    STAGE,
    TRANSMISSION,
)

__all__ = [
    "ACTUATOR",
    "EQUALITY_ROWS",
    "EXCLUDE",
    "KEY",
    "LOOP_CONSTRAINT",
    "LOOP_JOINT",
    "NUMERIC",
    "PAIR",
    "PLUGIN",
    "SENSOR_ROWS",
    "TENDON",
    "TEXT",
    "TUPLE",
    "num_controls",
]

_INPUTS = {"pid": 0b0011, "dcmotor": 0b1000, "so3": 1}
"""Inputs, of gains that have others than one control: position and speed, voltage, expmap."""
_EVERY = 0b1111
"""Bits that are a control each: position, speed, feedforward, voltage."""

PAIR: tuple[MjcRow, ...] = (
    link("geom1", "geomname1", "pair_geom1", doc="One geom."),
    link("geom2", "geomname2", "pair_geom2", doc="The other geom."),
    whole("condim", model="pair_dim", doc="Dimensions of the contacts."),
    part("friction", "double[]", model="pair_friction", doc="Two sliding, torsional, two rolling."),
    part("solref", "double[]", model="pair_solref", stated=True, doc="Solver: normal direction."),
    part("solreffriction", "double[]", model="pair_solreffriction", doc="Solver: friction."),
    part("solimp", "double[]", model="pair_solimp", stated=True, doc="Solver: contact."),
    number("margin", model="pair_margin", unit="m", stated=True, doc="Inflation for contact."),
    number("gap", model="pair_gap", unit="m", doc="Distance of inactive contacts."),
    number("adhesion", model="pair_adhesion", unit="N", doc="Adhesive force."),
)  # fmt: skip
"""Contact pair."""

EXCLUDE: tuple[MjcRow, ...] = (
    link("body1", "bodyname1", doc="One body."),
    link("body2", "bodyname2", doc="The other body."),
)
"""Excluded pair of bodies."""

EQUALITY_ROWS: tuple[MjcRow, ...] = (
    choice("type", EQUALITY, model="eq_type", doc="Kind of constraint."),
    choice("objects", OBJECT, "objtype", "eq_objtype", doc="What it constrains."),
    link("object1", "name1", "eq_obj1id", doc="First element."),
    link("object2", "name2", "eq_obj2id", doc="Second element; none: a constant."),
    flag("active", model="eq_active0", doc="Whether it acts from the start."),
    part("data", "double[]", doc="Parameters of its kind."),
    part("solref", "double[]", model="eq_solref", stated=True, doc="Solver."),
    part("solimp", "double[]", model="eq_solimp", stated=True, doc="Solver."),
)  # fmt: skip
"""Equality constraint."""

LOOP_CONSTRAINT = ("mjc:data", "mjc:active", "mjc:object1", "mjc:object2", "mjc:torqueScale")
"""Attributes of a constraint that closes a loop; the joint that its prim is states them too."""
LOOP_JOINT = (
    "physics:body0", "physics:body1", "physics:localPos0", "physics:localRot0",
    "physics:localPos1", "physics:localRot1", "physics:jointEnabled", "physics:collisionEnabled",
    "physics:excludeFromArticulation",
)  # fmt: skip
"""Attributes of that joint."""

TENDON: tuple[MjcRow, ...] = (
    choice("type", ("spatial", "fixed"), doc="Along sites, or a sum of joints."),
    link("path", many=True, doc="Joints, or sites and geoms, it runs along."),
    part("path:indices", "int[]", doc="Order along `mjc:path`."),
    part("path:segments", "int[]", doc="Segment each point belongs to."),
    part("path:divisors", "double[]", doc="Divisor of each segment."),
    part("path:coef", "double[]", doc="Coefficients of joints."),
    part("path:pulleys", "int[]", doc="Points with a pulley before them."),
    link("sideSites", many=True, doc="Sites that say on which side of a geom it runs."),
    part("sideSites:indices", "int[]", doc="Side site of each point; -1: none."),
    choice("limited", LIMITED, model="tendon_limited", stated=True, doc="Whether the range acts."),
    number("range:min", "range[0]", "tendon_range[0]", unit="m", doc="Least length."),
    number("range:max", "range[1]", "tendon_range[1]", unit="m", doc="Largest length."),
    choice("actuatorfrclimited", LIMITED, "actfrclimited", "tendon_actfrclimited",
           doc="Whether the total actuator force is limited."),
    number("actuatorfrcrange:min", "actfrcrange[0]", "tendon_actfrcrange[0]", unit="N",
           doc="Least total actuator force."),
    number("actuatorfrcrange:max", "actfrcrange[1]", "tendon_actfrcrange[1]", unit="N",
           doc="Largest total actuator force."),
    number("margin", model="tendon_margin", unit="m", doc="Distance where limits act."),
    number("stiffness", "stiffness[0]", "tendon_stiffness", unit="N/m", doc="Stiffness."),
    part("stiffnessPoly", "double[]", "stiffness[1:]", "tendon_stiffnesspoly",
         doc="Higher-order spring coefficients."),
    number("damping", "damping[0]", "tendon_damping", unit="N s/m", doc="Damping."),
    part("dampingPoly", "double[]", "damping[1:]", "tendon_dampingpoly",
         doc="Higher-order damping coefficients."),
    part("springlength", "double[]", model="tendon_lengthspring", unit="m", doc="Rest lengths."),
    number("springyield", model="tendon_springyield", doc="Yield of the spring."),
    number("armature", model="tendon_armature", unit="kg", least=0, doc="Added inertia."),
    number("frictionloss", model="tendon_frictionloss", unit="N", doc="Dry friction."),
    part("solreflimit", "double[]", "solref_limit", "tendon_solref_lim", stated=True,
         doc="Solver: limit."),
    part("solimplimit", "double[]", "solimp_limit", "tendon_solimp_lim", stated=True,
         doc="Solver: limit."),
    part("solreffriction", "double[]", "solref_friction", "tendon_solref_fri",
         doc="Solver: friction."),
    part("solimpfriction", "double[]", "solimp_friction", "tendon_solimp_fri",
         doc="Solver: friction."),
    number("width", model="tendon_width", unit="m", doc="Drawn radius."),
    part("rgba", "color4f", model="tendon_rgba", doc="Colour."),
    whole("group", model="tendon_group", doc="Group."),
    link("material", model="tendon_matid", doc="Material."),
    part("user", "double[]", "userdata", model="tendon_user", doc="User data."),
)  # fmt: skip
"""Tendon."""

ACTUATOR: tuple[MjcRow, ...] = (
    choice("trnType", TRANSMISSION, "trntype", doc="What it acts on."),
    link("target", doc="Element it acts on."),
    link("refSite", "refsite", doc="Site it measures against."),
    link("sliderSite", "slidersite", doc="Site of the slider."),
    flag("jointInParent", "jointinparent", doc="Its axes are those of the parent."),
    choice("dynType", DYNAMICS, "dyntype", "actuator_dyntype", doc="Activation dynamics."),
    choice("gainType", GAIN, "gaintype", "actuator_gaintype", doc="Kind of gain."),
    choice("biasType", BIAS, "biastype", "actuator_biastype", doc="Kind of bias."),
    part("dynPrm", "double[]", "dynprm", "actuator_dynprm", doc="Parameters of the dynamics."),
    part("gainPrm", "double[]", "gainprm", "actuator_gainprm", doc="Parameters of the gain."),
    part("biasPrm", "double[]", "biasprm", "actuator_biasprm", doc="Parameters of the bias."),
    whole("actDim", "actdim", doc="Activation variables."),
    whole("ctrlSpec", "ctrlspec", "actuator_ctrlspec", doc="Inputs as bits."),
    flag("actEarly", "actearly", "actuator_actearly", doc="Activation advances first."),
    part("gear", "double[]", doc="Scale of length and force."),
    number("crankLength", "cranklength", "actuator_cranklength", unit="m", doc="Connecting rod."),
    choice("ctrlLimited", LIMITED, "ctrllimited", doc="Whether the control is limited."),
    number("ctrlRange:min", "ctrlrange[0]", doc="Least control."),
    number("ctrlRange:max", "ctrlrange[1]", doc="Largest control."),
    part("velRange", "double2", "velrange", doc="Range of the velocity input."),
    part("ffRange", "double2", "ffrange", doc="Range of the feedforward input."),
    choice("forceLimited", LIMITED, "forcelimited", "actuator_forcelimited",
           doc="Whether the force is limited."),
    number("forceRange:min", "forcerange[0]", "actuator_forcerange[0]", doc="Least force."),
    number("forceRange:max", "forcerange[1]", "actuator_forcerange[1]", doc="Largest force."),
    choice("actLimited", LIMITED, "actlimited", "actuator_actlimited",
           doc="Whether the activation is limited."),
    number("actRange:min", "actrange[0]", "actuator_actrange[0]", doc="Least activation."),
    number("actRange:max", "actrange[1]", "actuator_actrange[1]", doc="Largest activation."),
    number("lengthRange:min", "lengthrange[0]", doc="Least length."),
    number("lengthRange:max", "lengthrange[1]", doc="Largest length."),
    number("inheritRange", "inheritrange", doc="Control range from the target's."),
    number("damping", "damping[0]", "actuator_damping", doc="Damping it adds."),
    part("dampingPoly", "double[]", "damping[1:]", "actuator_dampingpoly",
         doc="Higher-order damping coefficients."),
    number("armature", model="actuator_armature", doc="Inertia it adds."),
    whole("nsample", model="actuator_history[0]", doc="Samples of its history."),
    whole("interp", model="actuator_history[1]", doc="Interpolation of its history."),
    number("delay", model="actuator_delay", unit="s", doc="Delay."),
    whole("group", model="actuator_group", doc="Group."),
    link("plugin", doc="Plugin instance."),
    part("user", "double[]", "userdata", model="actuator_user", doc="User data."),
)  # fmt: skip
"""Actuator."""

SENSOR_ROWS: tuple[MjcRow, ...] = (
    choice("type", SENSOR, model="sensor_type", doc="Kind of sensor."),
    choice("objects", OBJECT, "objtype", "sensor_objtype", doc="Kind of the measured element."),
    link("object", "objname", "sensor_objid", doc="Measured element."),
    choice("references", OBJECT, "reftype", "sensor_reftype", doc="Kind of the reference."),
    link("reference", "refname", "sensor_refid", doc="Reference; none: the world."),
    part("intprm", "int[]", model="sensor_intprm", doc="Integer parameters."),
    choice("datatype", DATATYPE, model="sensor_datatype", doc="Kind of data."),
    choice("needstage", STAGE, model="sensor_needstage", doc="Stage it needs."),
    whole("dim", model="sensor_dim", doc="Number of values."),
    number("cutoff", model="sensor_cutoff", least=0, doc="Largest value; 0: any."),
    number("noise", model="sensor_noise", least=0, doc="Standard deviation of its noise."),
    whole("nsample", model="sensor_history[0]", doc="Samples of its history."),
    whole("interp", model="sensor_history[1]", doc="Interpolation of its history."),
    number("delay", model="sensor_delay", unit="s", doc="Delay."),
    part("interval", "double2", model="sensor_interval", unit="s",
         doc="Period and phase."),
    link("plugin", doc="Plugin instance."),
    part("user", "double[]", "userdata", model="sensor_user", doc="User data."),
)  # fmt: skip
"""Sensor."""

KEY: tuple[MjcRow, ...] = (
    number("time", model="key_time", unit="s", doc="Time."),
    part("qpos", "double[]", model="key_qpos", doc="Positions."),
    part("qvel", "double[]", model="key_qvel", doc="Velocities."),
    part("act", "double[]", model="key_act", doc="Activations."),
    part("ctrl", "double[]", model="key_ctrl", doc="Controls."),
    part("mpos", "double[]", model="key_mpos", doc="Mocap positions."),
    part("mquat", "double[]", model="key_mquat", doc="Mocap orientations, wxyz."),
    part("plastic", "double[]", model="key_plastic", doc="Plastic state."),
)  # fmt: skip
"""Keyframe."""

NUMERIC: tuple[MjcRow, ...] = (
    part("data", "double[]", doc="Values."),
    whole("size", model="numeric_size", doc="Number of values with room for more."),
)
"""Custom numbers."""

TEXT: tuple[MjcRow, ...] = (text("data", doc="The text."),)
"""Custom text."""

TUPLE: tuple[MjcRow, ...] = (
    part("types", "int[]", "objtype", doc="Kinds of the elements."),
    link("objects", "objname", many=True, doc="Elements."),
    part("objects:indices", "int[]", doc="Order along `mjc:objects`."),
    part("parameters", "double[]", "objprm", doc="A number for each."),
)
"""Custom tuple."""

PLUGIN: tuple[MjcRow, ...] = (
    text("plugin", "plugin_name", doc="Name of the plugin."),
    part("config:keys", "string[]", doc="Configuration keys."),
    part("config:values", "string[]", doc="Configuration values."),
)
"""Plugin instance."""


def num_controls(values: Mapping[str, Any]) -> int:
    """Number of controls of an actuator, from the kind of its gain and its inputs.

    Args:
        values: fields of the actuator by the engine's names; the others have its defaults.
    """
    kind = GAIN[int(values.get("gaintype", 0))]
    if kind not in _INPUTS:
        return 1
    inputs = int(values.get("ctrlspec", 0)) or _INPUTS[kind]
    # An orientation is an exponential map, 1, or a quaternion, 2.
    return 2 + inputs if kind == "so3" else (inputs & _EVERY).bit_count()
