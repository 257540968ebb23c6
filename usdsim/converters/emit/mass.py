"""Mass properties of a body."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from pxr import Gf, Usd, UsdPhysics

from usdsim.usd.converted import keep_converted

__all__ = ["emit_mass"]


def emit_mass(
    prim: Usd.Prim,
    mass: float,
    com: ArrayLike,
    inertia_diag: ArrayLike,
    quat: ArrayLike,
) -> None:
    """Author mass, centre of mass and principal inertia, and keep their digits.

    Args:
        prim: body prim.
        mass: [kg].
        com: centre of mass in the body frame [m], shape (3,).
        inertia_diag: principal moments about the centre of mass [kg m^2], shape (3,).
        quat: orientation of the principal axes in the body frame, xyzw.
    """
    diag = np.asarray(inertia_diag, dtype=np.float64)
    axes = np.asarray(quat, dtype=np.float64)
    api = UsdPhysics.MassAPI.Apply(prim)
    api.CreateMassAttr(float(mass))
    api.CreateCenterOfMassAttr(Gf.Vec3f(*(float(v) for v in np.asarray(com, np.float64))))
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(*(float(v) for v in diag)))
    x, y, z, w = (float(v) for v in axes)
    api.CreatePrincipalAxesAttr(Gf.Quatf(w, x, y, z))
    keep_converted(prim, {"mass": mass, "com": com, "inertia": np.concatenate([diag, axes])})
