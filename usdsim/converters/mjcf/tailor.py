"""Changes a user asks for, made to the model before it is converted."""

from __future__ import annotations

from collections.abc import Callable

import mujoco

from usdsim.converters.cfg import MjcfConverterCfg

__all__ = ["tailoring"]


def tailoring(cfg: MjcfConverterCfg) -> Callable[[mujoco.MjSpec], None] | None:
    """Changes to a spec that the options ask for, as one function; None: they ask for none."""
    if (
        cfg.fix_base is None
        and cfg.self_collision is None
        and cfg.import_sites
        and cfg.import_inertia_tensor
    ):
        return None

    def change(spec: mujoco.MjSpec) -> None:
        if cfg.fix_base is not None:
            _set_base(spec, fixed=cfg.fix_base)
        if cfg.self_collision is not None:
            _set_self_collision(spec, cfg.self_collision)
        if not cfg.import_sites:
            for site in list(spec.sites):
                spec.delete(site)
        if not cfg.import_inertia_tensor:
            spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE

    return change


def _set_base(spec: mujoco.MjSpec, *, fixed: bool) -> None:
    """Take the free joints off the root bodies, or give one to those without joints."""
    for body in spec.worldbody.bodies:
        if fixed:
            for joint in list(body.joints):
                if joint.type == mujoco.mjtJoint.mjJNT_FREE:
                    spec.delete(joint)
        elif not body.joints and not body.mocap:
            body.add_freejoint()


def _set_self_collision(spec: mujoco.MjSpec, enabled: bool) -> None:
    """Set whether geoms of moving bodies meet each other; they keep meeting the world's."""
    for body in spec.bodies[1:]:
        for geom in body.geoms:
            if geom.contype or geom.conaffinity:
                geom.contype, geom.conaffinity = 1, int(enabled)
