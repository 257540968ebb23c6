"""Surface materials of colliders."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, UsdShade

from usdsim.core.dialects.physx import COMBINE
from usdsim.parser.context import ParseContext
from usdsim.parser.description import MaterialDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.quantities import Statement, rounds_to
from usdsim.usd.converted import is_as_converted

from .colliders import Collider

__all__ = ["Materials", "own_friction", "settle_softness", "torsional_radius"]

Array = NDArray[np.float64]

_BINDINGS = ("material:binding:physics", "material:binding")
_BINDING_API = "MaterialBindingAPI"


class Materials:
    """Materials in stage order, and which one a collider has.

    Attributes:
        found: the descriptions.
    """

    def __init__(self, context: ParseContext):
        self._context = context
        self.found: list[MaterialDescription] = []
        self._index: dict[str, int] = {}
        self._told: set[str] = set()
        for view, _ in context.descs("RigidBodyMaterial"):
            self._index[view.path] = len(self.found)
            self.found.append(_material(context, view))
        self._default = self._scene_default()
        self._check_bindings()

    def of(self, collider: Collider | None) -> int | None:
        """Index of the material bound to a collider, else of the scene's default one."""
        if collider is None or not self.found:
            return self._default
        bound = collider.materials or self._inherited(collider.path)
        found = [self._index[p.pathString] for p in bound if p.pathString in self._index]
        if len(set(found)) > 1:
            self._tell_faces(collider, found)
        return found[0] if found else self._default

    def _tell_faces(self, collider: Collider, found: list[int]) -> None:
        """Report, once, that faces of a mesh have other materials than the first."""
        if collider.path in self._told:
            return
        self._told.add(collider.path)
        self._context.report.warning(
            "face-materials", collider.path,
            f"has {len(set(found))} physics materials on parts of its faces; "
            f"{self.found[found[0]].path} holds on all. Make a mesh of the faces of each material",
        )  # fmt: skip

    def _inherited(self, collider: str) -> tuple[Sdf.Path, ...]:
        """Material that an ancestor binds; UsdPhysics' parser leaves it out where none is bound."""
        prim = self._context.stage.GetPrimAtPath(collider)
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        return (material.GetPath(),) if material else ()

    def density(self, index: int | None) -> float:
        """Density a material gives its colliders [kg/m^3]; 0: none."""
        return 0.0 if index is None else self.found[index].density

    def _check_bindings(self) -> None:
        report = self._context.report
        for view in self._context.views:
            for name in view.names.intersection(_BINDINGS):
                for target in view.targets(name):
                    if name == _BINDINGS[0] and not self._context.stage.GetPrimAtPath(target):
                        report.warning(
                            "dangling-target", view.path,
                            f"points to {target}, which does not exist; the default material "
                            "holds. Bind a material of the stage, or remove the binding",
                            attribute=name, value=str(target),
                        )  # fmt: skip
                    elif target.pathString in self._index and not view.has_api(_BINDING_API):
                        report.warning(
                            "unapplied-schema", view.path,
                            f"binds {target} without {_BINDING_API}, which some tools ignore; here "
                            f"it holds, as in OpenUSD. Apply {_BINDING_API}",
                            attribute=name, value=str(target),
                        )  # fmt: skip

    def _scene_default(self) -> int | None:
        """The material bound to the physics scene holds for colliders without one."""
        for view, _ in self._context.descs("Scene"):
            binding = UsdShade.MaterialBindingAPI(view.prim)
            material, _ = binding.ComputeBoundMaterial("physics")
            if material:
                return self._index.get(material.GetPath().pathString)
        return None


def own_friction(
    context: ParseContext, view: PrimView, own: Array, material: MaterialDescription
) -> Array | None:
    """Sliding, torsional and rolling friction of a collider that states its own, shape (3,).

    Args:
        context: of the stage.
        view: the collider.
        own: what ``mjc:friction`` says.
        material: its material.

    Returns:
        The coefficients; None where its material says the same.
    """
    said = (material.dynamic_friction, material.torsional_friction, material.rolling_friction)
    surface = np.array(
        [
            material.dynamic_friction,
            own[1] if material.torsional_friction is None else material.torsional_friction,
            own[2] if material.rolling_friction is None else material.rolling_friction,
        ]
    )
    stated = [
        Statement("mjc", "mjc:friction", own, precise=True),
        Statement("physics", "material:binding:physics", surface),
    ]

    def same(statement: Statement, exact: Any) -> bool:
        # Materials hold nothing below zero.
        least = np.maximum(exact, 0.0) if statement.dialect == "physics" else exact
        return rounds_to(statement.value, least, statement.precise)

    friction = np.asarray(context.quantities.settle(view, "friction", stated, same))
    return None if said == tuple(friction.tolist()) else friction


def torsional_radius(
    context: ParseContext, view: PrimView, kinds: Collection[str], *, given: bool
) -> float:
    """Ratio of a collider's torsional to its sliding friction at single points of contact [m].

    Args:
        context: of the stage.
        view: the collider.
        kinds: of its shapes.
        given: whether it has torsional friction of its own, or its material has, which acts alone.
    """
    name = "physxCollision:minTorsionalPatchRadius"
    radius = context.quantities.read(view, "geom", "torsional_radius") or 0.0
    if radius < 0.0:
        view.invalid(name, radius, "zero or a positive number")
    elif radius and given:
        context.report.unsupported(
            view.path, name, radius, "is authored, but torsional friction is too, and acts instead"
        )
    elif radius and "sphere" not in kinds:
        context.report.info(
            "approximated", view.path,
            "resists spinning on spheres alone, which it touches at a single point; PhysX also has "
            "it where a shape stands on a corner",
            attribute=name, value=radius,
        )  # fmt: skip
    return 0.0 if given else max(radius, 0.0)


def settle_softness(
    context: ParseContext, view: PrimView, material: MaterialDescription, overrides: dict[str, Any]
) -> None:
    """Weigh how a collider's contacts give way against what its material says of it.

    MuJoCo's parameters go first, with a finding, unless they are as converted: then restitution
    of the material is an edit, and those parameters leave the overrides. Stiffness is one of pairs
    of materials, which shapes with a friction of MuJoCo's are not part of.
    """
    if material.contact_stiffness and "friction" in overrides:
        context.report.unsupported(
            view.path, "mjc:friction", overrides["friction"],
            f"leaves the contact stiffness of {material.path} without effect here, as shapes with "
            "this attribute meet by MuJoCo's rules; remove it, and mjc:solref",
        )  # fmt: skip
    if "solref" not in overrides or not (material.restitution or material.contact_stiffness):
        return
    if is_as_converted(view.prim, "mjc:solref"):
        if material.restitution:
            overrides.pop("solref")
        return
    soft = "contact stiffness" if material.contact_stiffness else "restitution"
    context.report.conflict(
        view.path, "mjc:solref", overrides["solref"],
        f"says how contacts give way, and goes before the {soft} of {material.path}, which has no "
        "effect here; remove one of the two",
    )  # fmt: skip


def _material(context: ParseContext, view: PrimView) -> MaterialDescription:
    def read(quantity: str) -> Any:
        return context.quantities.read(view, "material", quantity)

    def compliance(quantity: str) -> float | None:
        value = read(quantity)
        return value if value is not None and value > 0.0 else None

    def friction(which: str) -> float:
        name = f"physics:{which}Friction"
        said = Statement("physics", name, _surface(context, view, name))
        return float(context.quantities.settle(view, f"{which}_friction", [said]))

    static, dynamic = friction("static"), friction("dynamic")
    stiffness, damping = compliance("contact_stiffness"), compliance("contact_damping")
    for damper in context.quantities.stated(view, "material", "contact_damping"):
        if damping is not None and stiffness is None:
            context.report.unsupported(
                view.path, damper.name, damper.value,
                "is authored, but damps nothing: contacts without a stiffness are rigid; author "
                "that too",
            )  # fmt: skip
    return MaterialDescription(
        path=view.path,
        name=view.source_name,
        static_friction=static,
        dynamic_friction=dynamic,
        restitution=_surface(context, view, "physics:restitution"),
        density=_surface(context, view, "physics:density", note=False)
        * context.units.factor("kg/m^3"),
        torsional_friction=read("torsional_friction"),
        rolling_friction=read("rolling_friction"),
        friction_combine=_combine(view, read("friction_combine"), "frictionCombineMode"),
        restitution_combine=_combine(view, read("restitution_combine"), "restitutionCombineMode"),
        contact_stiffness=stiffness,
        contact_damping=damping,
        damping_combine=_combine(view, read("damping_combine"), "dampingCombineMode"),
    )


def _surface(context: ParseContext, view: PrimView, name: str, *, note: bool = True) -> float:
    """A coefficient; the schema's fallback is zero."""
    value = view.number(name) if view.is_readable(name) else None
    if value is None:
        if note:
            context.report.default(view.path, name, 0.0)
        return 0.0
    if not 0.0 <= value < float("inf"):
        view.invalid(name, value, "zero or a positive number")
        return 0.0
    return float(value)


def _combine(view: PrimView, token: Any, name: str) -> Any:
    if token is None or token in COMBINE:
        return token
    view.invalid(f"physxMaterial:{name}", token, ", ".join(COMBINE), code="unknown-token")
    return None
