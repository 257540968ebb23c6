"""Deformable materials by Lamé parameters, as programs for Newton state them."""

from __future__ import annotations

from dataclasses import dataclass

from usdsim.schemas.authoring.table import with_default
from usdsim.spawners import DeformableBodyMaterialCfg, SurfaceDeformableBodyMaterialCfg

__all__ = [
    "NewtonDeformableBodyMaterialCfg",
    "NewtonDeformableMaterialCfg",
    "NewtonSurfaceDeformableBodyMaterialCfg",
]


@dataclass(kw_only=True)
class NewtonDeformableBodyMaterialCfg(DeformableBodyMaterialCfg):
    """Material of deformable bodies by its Lamé parameters.

    Young's modulus and Poisson's ratio are mu (3 lambda + 2 mu) / (lambda + mu) and
    lambda / (2 (lambda + mu)).
    """

    density: float | None = with_default(DeformableBodyMaterialCfg, "density", 1.0)
    """Density [kg/m^3]."""
    k_mu: float | None = 1.0e5
    """Shear modulus mu [Pa]."""
    k_lambda: float | None = 1.0e5
    """First parameter lambda [Pa]."""

    def __post_init__(self) -> None:
        if self.k_mu is not None and self.k_lambda is not None:
            both = self.k_lambda + self.k_mu
            self.youngs_modulus = self.k_mu * (3.0 * self.k_lambda + 2.0 * self.k_mu) / both
            self.poissons_ratio = 0.5 * self.k_lambda / both


NewtonDeformableMaterialCfg = NewtonDeformableBodyMaterialCfg
"""Another name."""


@dataclass(kw_only=True)
class NewtonSurfaceDeformableBodyMaterialCfg(
    NewtonDeformableBodyMaterialCfg, SurfaceDeformableBodyMaterialCfg
):
    """Material of surfaces by its Lamé parameters."""
