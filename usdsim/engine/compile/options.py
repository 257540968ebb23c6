"""Solver options: those of the stage, or defaults that hold still what should stand still."""

from __future__ import annotations

import mujoco
import numpy as np

from usdsim.core.softness import FRICTION_SOLIMP, LIMIT_SOLIMP, LIMIT_SOLREF

from .context import Build
from .drives import driven_axes
from .loose import has_many
from .mjc import apply_options

__all__ = [
    "contact_solref",
    "needs_implicit_drives",
    "set_options",
    "steady_rotors",
    "use_implicit_drives",
]

# Contacts: found by `benchmarks/contacts.py`, whose figures are on the page about contacts.
#
# The engine's friction is a damper whose force stays within the cone, and what the cone cuts off
# lifts: a box that comes to rest on its belly at 6 m/s hops. The damper of geoms is that of the
# normal direction, 2 over the time constant, so the constant is what limits hopping: 7.5 time steps
# keep it below that of the engine's own defaults at 1 and 2 ms, 22 ms at 5 ms. A shorter
# one would make contacts harder: something dropped from 1 m sinks in by 15 mm at 1 ms, 29 mm at 2.
#
# A damping ratio of 2 returns 5 % of the speed of an impact where 1 returns 14 %, and 3 returns 2 %
# but takes half a second to come out again. The impedances hold the weight at once, so that a box
# on a slope of 26 degrees with mu 0.5 creeps by less than 0.1 mm in 2 s, together with the elliptic
# cone, an impedance ratio of 100, and the margin: what just touches is in contact, and does not
# fall for a step first. The no-slip solver costs twice the time for less than that.
#
# Many loose bodies get stacked: of eight boxes of 1 kg the topmost sags by 2.1 mm with these, and
# by 0.34 mm with those of piles. Friction is harder than the normal direction by the impedance
# ratio, and the harder both, the more iterations a pile takes: with 8 a wall of 100 boxes and a
# pyramid of 120 step in two thirds of the time of 25. They settle sideways by 0.085 mm within 2 s
# then (0.06 with 25; 0.13 with 4), and creep by 0.010 mm on a slope (0.007).
# Contacts that hard want the solution to more digits; 1e-12 takes no more iterations than 1e-8.
IMPEDANCE_RATIO = 100.0
CONTACT_STEPS = 7.5
CONTACT_TIME = 0.022
CONTACT_DAMPING = 2.0
CONTACT_SOLIMP = (0.992, 0.996, 0.001, 0.5, 2.0)
PILE_IMPEDANCE_RATIO = 8.0
PILE_SOLIMP = (0.9985, 0.9985, 0.001, 0.5, 2.0)
PILE_TOLERANCE = 1e-12
FAST_TURN = 0.1
"""Turn per time step from which rotors on joints get another integrator [rad]."""
TOUCH = 1e-6
"""Distance up to which surfaces touch [m]: what single precision leaves between them."""
# Loops and mimic joints carry loads: at the engine's default they sag by millimetres.
EQUALITY_SOLREF = (0.005, 1.0)
EQUALITY_SOLIMP = (0.99, 0.999, 0.001, 0.5, 2.0)
TIE_SOLIMP = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""Vertices are light: at the impedance of other constraints a load of 5 N moves one of a gram by a
millimetre from what holds it, at this one by a hundredth. Segments of a hanging chain of 40 are
longer by 0.06 per thousand at this one, and by 3 at that of others."""


def set_options(build: Build) -> None:
    """Set compiler, gravity, time step, solver options and what elements start from."""
    spec, scene = build.spec, build.scene
    spec.modelname = scene.name or "usdsim"
    spec.compiler.degree = False
    # Mass properties are explicit on every body, so leaving visual geoms out changes nothing.
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.option.gravity = scene.gravity
    if scene.timestep is not None:
        spec.option.timestep = scene.timestep
    if not build.owns_options:
        _set_defaults(spec)
        if has_many(build):
            _harden_piles(spec)
    apply_options(spec, scene)


def contact_solref(timestep: float) -> tuple[float, float]:
    """Time constant [s] and damping ratio of contacts at a time step [s]."""
    return min(CONTACT_TIME, CONTACT_STEPS * timestep), CONTACT_DAMPING


def _set_defaults(spec: mujoco.MjSpec) -> None:
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = IMPEDANCE_RATIO
    base = spec.default
    for contact in (base.geom, base.pair):
        contact.solref = contact_solref(spec.option.timestep)
        contact.solimp = CONTACT_SOLIMP
        contact.margin = TOUCH
    base.joint.solref_limit, base.joint.solimp_limit = LIMIT_SOLREF, LIMIT_SOLIMP
    base.joint.solimp_friction = FRICTION_SOLIMP
    base.tendon.solref_limit, base.tendon.solimp_limit = LIMIT_SOLREF, LIMIT_SOLIMP
    base.equality.solref, base.equality.solimp = EQUALITY_SOLREF, EQUALITY_SOLIMP


def _harden_piles(spec: mujoco.MjSpec) -> None:
    spec.option.impratio = PILE_IMPEDANCE_RATIO
    spec.option.tolerance = PILE_TOLERANCE
    spec.default.geom.solimp = spec.default.pair.solimp = PILE_SOLIMP


def needs_implicit_drives(build: Build, model: mujoco.MjModel) -> bool:
    """Whether a drive is too stiff for the time step of a scene without solver options.

    Explicit integration of a spring needs omega h < 2; half of that leaves room for motion that
    lowers the inertia a joint feels.
    """
    if build.owns_options:
        return False
    step = model.opt.timestep
    for driven in driven_axes(build):
        stiffness = driven.drive.stiffness
        if driven.drive.acceleration:
            stiffness *= driven.inertia(build, model)
        if np.sqrt(stiffness * driven.mobility(build, model)) * step > 1.0:
            return True
    return False


def use_implicit_drives(build: Build, model: mujoco.MjModel) -> None:
    """Switch to the integrator that is implicit in positions and therefore stable at any gain.

    It damps moderate gains more than the default one (overshoot of a PD step 0.51 where theory has
    0.53), so it is not the default.
    """
    build.spec.option.integrator = model.opt.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE


def steady_rotors(build: Build, model: mujoco.MjModel) -> None:
    """Choose the fully implicit integrator for scenes with fast rotors, which keep their energy.

    The default one leaves out the derivatives of gyroscopic forces, except for bodies on their own,
    and a top that turns by 0.3 rad per step diverges.
    """
    fast = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    if build.owns_options or model.opt.integrator != fast:
        return
    for index, body in enumerate(build.scene.bodies):
        joints = [build.scene.joints[j] for j in body.joints]
        dofs = [dof for joint in joints for dof in joint.dofs if dof.kind in ("hinge", "ball")]
        if not dofs:
            continue
        rates = [float(np.linalg.norm(body.angular_velocity))]
        rates += [abs(dof.velocity) for dof in dofs]
        rates += [abs(dof.drive.target_velocity) for dof in dofs if dof.drive is not None]
        if max(rates) * model.opt.timestep < FAST_TURN:
            continue
        # One axis alone has no gyroscopic forces.
        tree = model.body_rootid == model.body_rootid[build.bodies[index].id]
        if np.count_nonzero(tree[model.dof_bodyid]) > 1:
            model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICIT
            return
