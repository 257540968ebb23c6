"""Binding materials to prims."""

from __future__ import annotations

from pxr import Usd, UsdShade

from usdsim.core.errors import StageError
from usdsim.schemas.authoring.family import resolve
from usdsim.usd.queries import traverse
from usdsim.usd.schemas import has_api

__all__ = ["bind_physics_material", "bind_visual_material"]

_PHYSICAL = (
    "PhysicsCollisionAPI",
    "OmniPhysicsDeformableBodyAPI",
    "OmniPhysicsVolumeDeformableSimAPI",
    "OmniPhysicsSurfaceDeformableSimAPI",
    "OmniPhysicsCurvesDeformableSimAPI",
)


def bind_visual_material(
    prim_path: str,
    material_path: str,
    stage: Usd.Stage | None = None,
    stronger_than_descendants: bool = True,
) -> bool:
    """Bind a display material to a prim and what is below it.

    Args:
        prim_path: the prim.
        material_path: the material.
        stage: where they are; None: the current stage.
        stronger_than_descendants: whether bindings below the prim give way.

    Raises:
        ValueError: the prim or the material does not exist.
    """
    _bind(resolve(prim_path, stage), material_path, stronger_than_descendants, "")
    return True


def bind_physics_material(
    prim_path: str,
    material_path: str,
    stage: Usd.Stage | None = None,
    stronger_than_descendants: bool = True,
) -> bool:
    """Bind a physics material to the colliders and deformable bodies at and below a prim.

    Args:
        prim_path: the prim.
        material_path: the material.
        stage: where they are; None: the current stage.
        stronger_than_descendants: whether bindings below a collider give way.

    Returns:
        Whether there was something to bind to.

    Raises:
        ValueError: the prim or the material does not exist.
    """
    root = resolve(prim_path, stage)
    found = False
    for prim in traverse(root.GetStage(), root):
        if not prim.IsInstanceProxy() and any(has_api(prim, api) for api in _PHYSICAL):
            _bind(prim, material_path, stronger_than_descendants, "physics")
            found = True
    return found


def _bind(prim: Usd.Prim, material_path: str, stronger: bool, purpose: str) -> None:
    material = UsdShade.Material(resolve(material_path, prim.GetStage()))
    if not material:
        raise StageError(
            f"{material_path} is a {material.GetPrim().GetTypeName()}, not a Material."
        )
    tokens = UsdShade.Tokens
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(
        material,
        tokens.strongerThanDescendants if stronger else tokens.weakerThanDescendants,
        purpose or tokens.allPurpose,
    )
