"""Changes a user asks for, made to the model before it is converted."""

from __future__ import annotations

from pathlib import Path

import mujoco

from usdsim.converters.cfg import MjcfConverterCfg
from usdsim.core.errors import ConversionError

__all__ = ["tailored"]


def tailored(source: Path, cfg: MjcfConverterCfg) -> Path | mujoco.MjSpec:
    """The source as it is, or its spec with the changes the options ask for.

    Raises:
        ConversionError: MuJoCo refuses the source.
    """
    if (
        cfg.fix_base is None
        and cfg.self_collision is None
        and cfg.import_sites
        and cfg.import_inertia_tensor
    ):
        return source
    try:
        spec = mujoco.MjSpec.from_file(str(source))
    except ValueError as error:
        raise ConversionError(f"{source}: {error}") from error
    if cfg.fix_base is not None:
        _set_base(spec, fixed=cfg.fix_base)
    if cfg.self_collision is not None:
        _set_self_collision(spec, cfg.self_collision)
    if not cfg.import_sites:
        for site in list(spec.sites):
            spec.delete(site)
    if not cfg.import_inertia_tensor:
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    return spec


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
    """Let geoms of moving bodies meet each other or not; they keep meeting the world's."""
    for body in spec.bodies[1:]:
        for geom in body.geoms:
            if geom.contype or geom.conaffinity:
                geom.contype, geom.conaffinity = 1, int(enabled)
