"""Rows of the scene: options, flags, sizes, statistics, visual settings.

`DialectRow.spec` is a dotted path on the spec, ``option.cone``.
"""

from __future__ import annotations

from .mjc import MjcRow, choice, flag, number, part, whole
from .mjc_tokens import CONE, INTEGRATOR, JACOBIAN, SOLVER

__all__ = ["COMPILER", "DISABLE", "ENABLE", "OPTION", "SCENE", "SIZE", "STATISTIC", "VISUAL"]

DISABLE = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity",
    "clampctrl", "warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase",
    "eulerdamp", "autoreset", "nativeccd", "island", "multiccd",
)  # fmt: skip
"""Flags that are on unless switched off, by bit of ``option.disableflags``."""

ENABLE = (
    "override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact", "ipc", "speculative",
)  # fmt: skip
"""Flags that are off unless switched on, by bit of ``option.enableflags``."""


def _option(row: MjcRow) -> MjcRow:
    name = row.usd.removeprefix("mjc:")
    return MjcRow(
        f"mjc:option:{name}", row.type, f"option.{row.spec}", api="MjcSceneAPI", doc=row.doc,
        unit=row.unit, tokens=row.tokens, least=row.least, described=row.described,
    )  # fmt: skip


OPTION: tuple[MjcRow, ...] = tuple(
    _option(row)
    for row in (
        number("timestep", unit="s", described=True, doc="Time step."),
        part("gravity", "double3", unit="m/s^2", described=True, doc="Gravity."),
        choice("integrator", INTEGRATOR, doc="Integrator."),
        choice("cone", CONE, doc="Friction cone."),
        choice("jacobian", JACOBIAN, doc="Storage of the Jacobian."),
        choice("solver", SOLVER, doc="Constraint solver."),
        number("impratio", doc="Frictional to normal impedance."),
        whole("iterations", least=0, doc="Most solver iterations."),
        number("tolerance", doc="Solver tolerance."),
        whole("ls_iterations", least=0, doc="Most line search iterations."),
        number("ls_tolerance", doc="Line search tolerance."),
        whole("noslip_iterations", least=0, doc="Most no-slip iterations."),
        number("noslip_tolerance", doc="No-slip tolerance."),
        whole("ccd_iterations", least=0, doc="Most convex collision iterations."),
        number("ccd_tolerance", doc="Convex collision tolerance."),
        number("sleep_tolerance", doc="Velocity below which trees sleep."),
        part("wind", "double3", unit="m/s", doc="Wind."),
        part("magnetic", "double3", doc="Magnetic flux."),
        number("density", unit="kg/m^3", least=0, doc="Density of the medium."),
        number("viscosity", least=0, doc="Viscosity of the medium."),
        number("o_margin", doc="Override of contact margins."),
        part("o_solref", "double[]", doc="Override of contact solref."),
        part("o_solimp", "double[]", doc="Override of contact solimp."),
        part("o_friction", "double[]", doc="Override of contact friction."),
        whole("sdf_iterations", least=0, doc="Iterations of distance field collisions."),
        whole("sdf_initpoints", least=0, doc="Starting points of distance field collisions."),
    )
)
"""Physics options; MuJoCo accepts less than `least`, which means nothing more."""

COMPILER: tuple[MjcRow, ...] = (
    flag("compiler:autoLimits", "compiler.autolimits", api="MjcSceneAPI",
         default=True, doc="Whether a range implies a limit."),
)  # fmt: skip
"""Compiler options left to the engine; converted stages leave it nothing."""

_SIZES = (
    "memory", "njmax", "nconmax", "nstack", "nemax", "nuserdata", "nkey", "nuser_body",
    "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam", "nuser_tendon", "nuser_actuator",
    "nuser_sensor",
)  # fmt: skip

_FROM_ZERO = ("nemax", "nuserdata", "nkey")

SIZE: tuple[MjcRow, ...] = tuple(
    MjcRow(
        f"mjc:size:{name}",
        "int64" if name in ("memory", "nstack") else "int",
        name,
        least=0 if name in _FROM_ZERO else -1,
    )
    for name in _SIZES
)
"""Sizes."""

STATISTIC: tuple[MjcRow, ...] = tuple(
    MjcRow(f"mjc:stat:{name}", kind, f"stat.{name}")
    for name, kind in (
        ("meaninertia", "double"),
        ("meanmass", "double"),
        ("meansize", "double"),
        ("extent", "double"),
        ("center", "double3"),
    )
)
"""Statistics the source sets instead of leaving them to be computed."""

_VISUAL = {
    "global": (
        ("orthographic", "int"), ("fovy", "float"), ("ipd", "float"), ("azimuth", "float"),
        ("elevation", "float"), ("linewidth", "float"), ("glow", "float"), ("realtime", "float"),
        ("offwidth", "int"), ("offheight", "int"), ("ellipsoidinertia", "int"),
        ("bvactive", "int"), ("cameraid", "int"),
    ),
    "quality": tuple(
        (name, "int")
        for name in ("shadowsize", "offsamples", "numslices", "numstacks", "numquads")
    ),
    "headlight": (
        ("ambient", "float[]"), ("diffuse", "float[]"), ("specular", "float[]"), ("active", "int"),
    ),
    "map": tuple(
        (name, "float")
        for name in (
            "stiffness", "stiffnessrot", "force", "torque", "alpha", "fogstart", "fogend", "znear",
            "zfar", "haze", "shadowclip", "shadowscale", "actuatortendon",
        )
    ),
    "scale": tuple(
        (name, "float")
        for name in (
            "forcewidth", "contactwidth", "contactheight", "connect", "com", "camera", "light",
            "selectpoint", "jointlength", "jointwidth", "actuatorlength", "actuatorwidth",
            "framelength", "framewidth", "constraint", "slidercrank", "frustum",
        )
    ),
    "rgba": tuple(
        (name, "float[]")
        for name in (
            "fog", "haze", "force", "inertia", "joint", "actuator", "actuatornegative",
            "actuatorpositive", "com", "camera", "light", "selectpoint", "connect", "contactpoint",
            "contactforce", "contactfriction", "contacttorque", "contactgap", "rangefinder",
            "constraint", "slidercrank", "crankbroken", "frustum", "bv", "bvactive",
        )
    ),
}  # fmt: skip

VISUAL: tuple[MjcRow, ...] = tuple(
    MjcRow(f"mjc:visual:{group}:{name}", kind, f"visual.{group}.{name}")
    for group, rows in _VISUAL.items()
    for name, kind in rows
)
"""Visual settings."""

SCENE: tuple[MjcRow, ...] = (
    *OPTION,
    *COMPILER,
    *(
        flag(f"flag:{name}", f"flag.{name}", api="MjcSceneAPI", doc=f"The {name} flag.")
        for name in (*DISABLE, *ENABLE)
    ),
    part("option:actuatorgroupdisable", "int[]", "option.actuatorgroupdisable",
         api="MjcSceneAPI", doc="Actuator groups that are off."),
    *SIZE,
    *STATISTIC,
    *VISUAL,
)  # fmt: skip
"""Everything on the physics scene."""
