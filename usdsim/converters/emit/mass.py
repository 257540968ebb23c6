"""Mass properties of a body."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from pxr import Gf, Usd, UsdPhysics

from usdsim.math.rotations import quat_to_matrix
from usdsim.usd.attributes import author
from usdsim.usd.schemas import apply_api

__all__ = ["emit_mass"]


def emit_mass(
    prim: Usd.Prim,
    mass: float,
    com: ArrayLike,
    inertia_diag: ArrayLike,
    quat: ArrayLike,
    *,
    tensor: bool = True,
) -> None:
    """Author mass, centre of mass and principal inertia.

    Args:
        prim: body prim.
        mass: [kg].
        com: centre of mass in the body frame [m], shape (3,).
        inertia_diag: principal moments about the centre of mass [kg m^2], shape (3,).
        quat: orientation of the principal axes in the body frame, xyzw.
        tensor: also author the inertia as a double-precision tensor (``newton:inertia``).
    """
    diag = np.asarray(inertia_diag, dtype=np.float64)
    axes = np.asarray(quat, dtype=np.float64)
    api = UsdPhysics.MassAPI.Apply(prim)
    api.CreateMassAttr(float(mass))
    api.CreateCenterOfMassAttr(Gf.Vec3f(*(float(v) for v in np.asarray(com, np.float64))))
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(*(float(v) for v in diag)))
    x, y, z, w = (float(v) for v in axes)
    api.CreatePrincipalAxesAttr(Gf.Quatf(w, x, y, z))
    if tensor and diag.any():
        rotation = quat_to_matrix(axes)
        full = rotation @ np.diag(diag) @ rotation.T
        six = full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        apply_api(prim, "NewtonMassAPI")
        author(prim, "newton:inertia", "double[]", six)
