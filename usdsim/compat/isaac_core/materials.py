"""Materials of Isaac Sim: physics materials and looks, defined when they are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pxr import Usd, UsdPhysics

from usdsim.spawners import PreviewSurfaceCfg, RigidBodyMaterialCfg
from usdsim.usd.stage import current_stage

__all__ = [
    "OmniPBR",
    "PhysicsMaterial",
    "PreviewSurface",
]


class PhysicsMaterial:
    """A physics material, which is defined if there is none.

    Args:
        prim_path: its path.
        name: what it is called.
        static_friction: friction at rest; None: as it is, 0.5 of a new one.
        dynamic_friction: friction in motion; likewise.
        restitution: bounce; None: as it is, 0 of a new one.

    Attributes:
        prim_path: its path.
        name: what it is called.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "physics_material",
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        restitution: float | None = None,
    ):
        self.prim_path, self.name = str(prim_path), name
        if not current_stage().GetPrimAtPath(self.prim_path):
            RigidBodyMaterialCfg().func(self.prim_path, RigidBodyMaterialCfg())
        given = {
            "StaticFriction": static_friction,
            "DynamicFriction": dynamic_friction,
            "Restitution": restitution,
        }
        for attribute, value in given.items():
            if value is not None:
                getattr(self.material, f"Create{attribute}Attr")(float(value))

    @property
    def prim(self) -> Usd.Prim:
        """The prim."""
        return current_stage().GetPrimAtPath(self.prim_path)

    @property
    def material(self) -> UsdPhysics.MaterialAPI:
        """The schema with the values."""
        return UsdPhysics.MaterialAPI.Apply(self.prim)

    def get_static_friction(self) -> float:
        """Friction at rest."""
        return float(self.material.GetStaticFrictionAttr().Get())

    def get_dynamic_friction(self) -> float:
        """Friction in motion."""
        return float(self.material.GetDynamicFrictionAttr().Get())

    def get_restitution(self) -> float:
        """Bounce."""
        return float(self.material.GetRestitutionAttr().Get())

    def set_static_friction(self, friction: float) -> None:
        """Set the friction at rest on the stage, for the next start."""
        self.material.CreateStaticFrictionAttr(float(friction))

    def set_dynamic_friction(self, friction: float) -> None:
        """Set the friction in motion on the stage, for the next start."""
        self.material.CreateDynamicFrictionAttr(float(friction))

    def set_restitution(self, restitution: float) -> None:
        """Set the bounce on the stage, for the next start."""
        self.material.CreateRestitutionAttr(float(restitution))


class PreviewSurface:
    """A look, which is defined if there is none.

    Args:
        prim_path: its path.
        name: what it is called.
        color: linear RGB; None: grey.
        roughness: from 0 to 1; None: 0.5.
        metallic: from 0 to 1; None: 0.
        **others: accepted.

    Attributes:
        prim_path: its path.
        name: what it is called.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "visual_material",
        shader: Any = None,
        color: Sequence[float] | None = None,
        roughness: float | None = None,
        metallic: float | None = None,
        **others: Any,
    ):
        self.prim_path, self.name = str(prim_path), name
        if not current_stage().GetPrimAtPath(self.prim_path):
            cfg = PreviewSurfaceCfg(
                diffuse_color=(0.5, 0.5, 0.5) if color is None else tuple(map(float, color)),
                roughness=0.5 if roughness is None else float(roughness),
                metallic=0.0 if metallic is None else float(metallic),
            )
            cfg.func(self.prim_path, cfg)

    @property
    def prim(self) -> Usd.Prim:
        """The prim."""
        return current_stage().GetPrimAtPath(self.prim_path)


OmniPBR = PreviewSurface
"""A look of Omniverse's own shader, with the same colours."""
