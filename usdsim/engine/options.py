"""Solver options: those of the stage, or defaults that hold still what should stand still."""

from __future__ import annotations

import mujoco
import numpy as np

from .context import Build
from .drives import driven_dofs
from .mujoco import apply_options

__all__ = ["needs_implicit_drives", "set_options", "use_implicit_drives"]

# A 0.1 m box of mu 0.5 on a slope of 26 degrees, at the engine's own 2 ms, creeps in 2 s by
#   13.4 mm    with the engine's defaults (pyramidal cone), and as far again every 2 s,
#    3.4 mm    with an elliptic cone,
#    0.46 mm   with impratio 10 too, which makes friction stiffer than the normal force,
#    0.16 mm   with impratio 100,
#    0.062 mm  with the contacts below too; nearly all of it while the box settles in.
# A plane and a 20 m box as slope agree to 1e-4 mm. The no-slip solver gains little beyond this
# (0.13 mm at impratio 100) and costs twice the time; a time constant of 4 ms creeps half as far,
# but lets a sphere dropped from 1 m rebound by 28 mm instead of 6. Five stacked boxes sink 0.3 mm.
IMPEDANCE_RATIO = 100.0
CONTACT_SOLREF = (0.01, 1.0)
CONTACT_SOLIMP = (0.95, 0.99, 0.001, 0.5, 2.0)
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
    for dof, drive in driven_dofs(build):
        address = model.jnt_dofadr[build.elements["joint"][dof.path].id]
        stiffness = drive.stiffness
        if drive.acceleration:
            stiffness *= model.dof_M0[address]
        if np.sqrt(stiffness * model.dof_invweight0[address]) * step > 1.0:
            return True
    return False


def use_implicit_drives(build: Build) -> None:
    """Switch to the integrator that is implicit in positions and therefore stable at any gain.

    It damps moderate gains more than the default one (overshoot of a PD step 0.51 where theory has
    0.53), so it is not the default.
    """
    build.spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
