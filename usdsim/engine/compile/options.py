"""Solver options: those of the stage, or defaults that hold still what should stand still."""

from __future__ import annotations

import mujoco
import numpy as np

from .context import Build
from .drives import driven_axes
from .mjc import apply_options

__all__ = ["needs_implicit_drives", "set_options", "use_implicit_drives"]

# A 0.1 m box of mu 0.5 that touches a slope of 26 degrees creeps in 2 s, at time steps of
#     2 ms     8.3 ms    16.7 ms     by so many millimetres
#    13.4                            with the engine's defaults (pyramidal cone), and goes on so,
#     3.4                            with an elliptic cone,
#     0.46                           with impratio 10 too, which makes friction stiffer,
#     0.16                           with impratio 100,
#     0.063     0.47      1.83       with a time constant of 10 ms and impedances from 0.95,
#     0.048     0.46      1.77       with impedances from 0.98: the contact bears 98 % of the weight
#                                    at once, where 97.5 % holds the box,
#     0.006     0.022     0.073      with the margin below too: what just touches is in contact, and
#                                    does not fall for a step first.
# A plane and a 20 m box as slope agree. The no-slip solver costs twice the time for less than that;
# a time constant of 4 ms lets a sphere dropped from 1 m rebound by 54 mm instead of 9; impedances
# from 0.995 make friction slip at 8.3 ms. Five stacked boxes sink 0.1, 0.3 and 1.3 mm. The solver
# needs as many iterations for piles of boxes as with the engine's defaults for contacts.
IMPEDANCE_RATIO = 100.0
CONTACT_SOLREF = (0.01, 1.0)
CONTACT_SOLIMP = (0.98, 0.99, 0.001, 0.5, 2.0)
TOUCH = 1e-6
"""Distance up to which surfaces touch [m]: what single precision leaves between them."""
# Dry friction of a joint is held by a soft constraint: at the engine's default impedance a load of
# 10 rad/s^2 makes it creep by 0.01 rad/s.
FRICTION_SOLIMP = (0.999, 0.9999, 0.001, 0.5, 2.0)
# Loops and mimic joints carry loads: at the engine's default they sag by millimetres.
EQUALITY_SOLREF = (0.005, 1.0)
EQUALITY_SOLIMP = (0.99, 0.999, 0.001, 0.5, 2.0)


def set_options(build: Build) -> None:
    """Set compiler, gravity, time step, solver options and what elements start from."""
    spec, scene = build.spec, build.scene
    spec.modelname = scene.name or "usdsim"
    spec.compiler.degree = False
    # Mass properties are explicit on every body, so leaving visual geoms out changes nothing.
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.option.gravity = scene.gravity
    if not build.owns_options:
        _set_defaults(spec)
    if scene.timestep is not None:
        spec.option.timestep = scene.timestep
    apply_options(spec, scene)


def _set_defaults(spec: mujoco.MjSpec) -> None:
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = IMPEDANCE_RATIO
    base = spec.default
    for contact in (base.geom, base.pair):
        contact.solref, contact.solimp = CONTACT_SOLREF, CONTACT_SOLIMP
        contact.margin = TOUCH
    base.joint.solref_limit, base.joint.solimp_limit = CONTACT_SOLREF, CONTACT_SOLIMP
    base.joint.solimp_friction = FRICTION_SOLIMP
    base.tendon.solref_limit, base.tendon.solimp_limit = CONTACT_SOLREF, CONTACT_SOLIMP
    base.equality.solref, base.equality.solimp = EQUALITY_SOLREF, EQUALITY_SOLIMP


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


def use_implicit_drives(build: Build) -> None:
    """Switch to the integrator that is implicit in positions and therefore stable at any gain.

    It damps moderate gains more than the default one (overshoot of a PD step 0.51 where theory has
    0.53), so it is not the default.
    """
    build.spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
