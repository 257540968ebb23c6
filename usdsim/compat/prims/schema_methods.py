"""Methods of the classes of schemas, by the rules of OpenUSD's generator."""

from __future__ import annotations

from typing import Any

from pxr import Sdf, Usd

from .schema_forms import SEVERAL, PropertyForm, SchemaForm

__all__ = ["schema_methods"]


def _get(form: PropertyForm) -> Any:
    def get(self: Any) -> Any:
        prim, name = self.GetPrim(), form.of(getattr(self, "_name", ""))
        return prim.GetAttribute(name) if form.type else prim.GetRelationship(name)

    return get


def _create(form: PropertyForm) -> Any:
    def create(self: Any, defaultValue: Any = None, writeSparsely: bool = False) -> Any:
        prim, name = self.GetPrim(), form.of(getattr(self, "_name", ""))
        if not form.type:
            return prim.CreateRelationship(name, False)
        known = prim.GetAttribute(name)
        unsaid = writeSparsely and known and not known.HasAuthoredValue()
        if unsaid and (defaultValue is None or known.Get() == _typed(defaultValue, form.type)):
            return known
        variability = Sdf.VariabilityUniform if form.uniform else Sdf.VariabilityVarying
        attribute = prim.CreateAttribute(name, form.type, False, variability)
        if defaultValue is not None:
            attribute.Set(defaultValue)
        return attribute

    return create


def _typed(value: Any, kind: Any) -> Any:
    """A value as an attribute of a type holds it: numbers in its precision."""
    listed = kind.arrayType.type.pythonClass
    return listed(value) if kind.isArray else listed([value])[0]


def _collect(instance: str) -> Any:
    def collection(self: Any) -> Any:
        return Usd.CollectionAPI(self.GetPrim(), instance)

    return collection


_COLLECTIONS = {"collisionmeshes": "CollisionMeshes", "quasistaticactors": "QuasistaticActors"}
"""Names of collections in methods."""


def schema_methods(form: SchemaForm, base: type) -> dict[str, Any]:
    """Methods of the properties of a schema by their names, without those that the base has."""
    made: dict[str, Any] = {}
    for word, known in form.properties.items():
        end = "Attr" if known.type else "Rel"
        for verb, make in (("Get", _get), ("Create", _create)):
            method = make(known)
            method.__name__ = f"{verb}{word}{end}"
            method.__doc__ = f"{verb} ``{known.name}``."
            made[method.__name__] = method
    if form.kind == SEVERAL:
        made[f"Is{form.schema}Path"] = classmethod(lambda cls, path: bool(cls._instance(path)))
    for instance in form.collections:
        made[f"Get{_COLLECTIONS[instance]}CollectionAPI"] = _collect(instance)
    return {name: method for name, method in made.items() if not hasattr(base, name)}
