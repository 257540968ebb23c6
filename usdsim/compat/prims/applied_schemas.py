"""Schemas of PhysX and of semantics as classes of Python, with methods for their properties.

Classes and methods are those that OpenUSD's generator makes of a schema.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Self

from pxr import Sdf, Tf, Usd

from usdsim.core.errors import AbsentError, InvalidValueError, StageError
from usdsim.usd.schemas import INSTANCE_NAME, api_instances, has_api

from .schema_forms import SEVERAL, SchemaForm, schema_forms
from .schema_methods import schema_methods
from .schema_tokens import schema_tokens

__all__ = ["AppliedSchema", "SchemaView", "TypedSchema"]


class SchemaView:
    """A schema on a prim, whose attributes `CreateStiffnessAttr`, `GetStiffnessAttr` name."""

    form: SchemaForm
    """Name, kind and properties of the schema."""
    above: Any = Usd.SchemaBase
    """The class that it is made of."""
    GetPrim: Any

    @classmethod
    def GetSchemaAttributeNames(
        cls,
        includeInherited: bool = True,
        instanceName: str = "",
    ) -> list[str]:
        """Names of the schema's attributes, those of the types that it is made of before."""
        names = [
            p.of(instanceName or INSTANCE_NAME) for p in cls.form.properties.values() if p.type
        ]
        inherited = list(cls.above.GetSchemaAttributeNames(True))
        own = [name for name in names if name not in inherited]
        return inherited + own if includeInherited else own

    def __getattr__(self, method: str) -> Any:
        for verb in ("Create", "Get"):
            if method.startswith(verb) and method.endswith("Attr"):
                word, known = method[len(verb) : -len("Attr")], self.form.properties
                allowed = ", ".join(name for name, form in known.items() if form.type)
                raise AbsentError(
                    f"{self.form.name} has no attribute {word!r}; it has {allowed or 'none'}."
                )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {method!r}")


class AppliedSchema(SchemaView, Usd.SchemaBase):
    """An API schema on a prim.

    Args:
        prim: the prim, or another schema on it.
        name: the instance, of schemas that prims may have several times.
    """

    def __init__(self, prim: Any = None, name: str = ""):
        Usd.SchemaBase.__init__(self, Usd.Prim() if prim is None else prim)
        self._name = str(name)

    @classmethod
    def Apply(cls, prim: Usd.Prim, name: str = "") -> Self:
        """Apply the schema to a prim.

        Raises:
            StageError: there is no such prim.
            InvalidValueError: an instance is named of a schema that prims have once, or is not
                named of one that they may have several times.
        """
        if not prim:
            raise StageError(f"There is no prim that {cls.form.name} could be applied to.")
        prim.AddAppliedSchema(cls._applied(name))
        return cls(prim, name)

    @classmethod
    def CanApply(cls, prim: Usd.Prim, name: str = "") -> Any:
        """Whether the schema fits a prim; false ones say ``whyNot``."""
        return prim.CanApplyAPI(cls.form.schema, *((name,) if name else ()))

    @classmethod
    def Get(cls, stage: Any, path: Any) -> Self:
        """The schema at a path of a stage; of a prim, its instance by name."""
        if isinstance(stage, Usd.Prim):
            return cls(stage, str(path))
        path = Sdf.Path(path)
        return cls(stage.GetPrimAtPath(path.GetPrimPath()), cls._instance(path))

    @classmethod
    def GetAll(cls, prim: Usd.Prim) -> list[Self]:
        """All instances of the schema on a prim."""
        return [cls(prim, name) for name in api_instances(prim, cls.form.schema)]

    def GetName(self) -> str:
        """The instance; empty for schemas that prims have once."""
        return self._name

    def __bool__(self) -> bool:
        """Whether the prim has the schema."""
        prim = self.GetPrim()
        return bool(prim) and has_api(prim, self.form.schema, self._name or None)

    @classmethod
    def _applied(cls, name: str) -> str:
        """The schema as prims list it."""
        if (cls.form.kind == SEVERAL) != bool(name):
            allowed = "the name of an instance" if cls.form.kind == SEVERAL else "left out"
            raise InvalidValueError(f"name of {cls.form.name}", name, allowed)
        return f"{cls.form.schema}:{name}" if name else cls.form.schema

    @classmethod
    def _instance(cls, path: Sdf.Path) -> str:
        """The instance that the path of a property names: ``/a.physxLimit:angular``."""
        names = [form.name for form in cls.form.properties.values()]
        prefix = names[0].partition(INSTANCE_NAME)[0] if cls.form.kind == SEVERAL else ""
        last = {name.rpartition(":")[2] for name in names}
        is_one = path.IsPropertyPath() and path.name.rpartition(":")[2] not in last
        return path.name.removeprefix(prefix) if is_one and path.name.startswith(prefix) else ""


class TypedSchema(SchemaView):
    """A prim type; classes of it are classes of the type of OpenUSD that it is made of."""

    @classmethod
    def Define(cls, stage: Usd.Stage, path: Any) -> Self:
        """A prim of the type at a path, made where there is none."""
        return cls(stage.DefinePrim(path, cls.form.schema))  # type: ignore[call-arg]

    @classmethod
    def Get(cls, stage: Usd.Stage, path: Any) -> Self:
        """The prim at a path; false where it has another type."""
        return cls(stage.GetPrimAtPath(path))  # type: ignore[call-arg]

    def __bool__(self) -> bool:
        """Whether the prim is of the type."""
        prim = self.GetPrim()
        is_it = bool(prim) and prim.GetTypeName() == self.form.schema
        return is_it or bool(prim and prim.IsA(self.form.schema))


@cache
def _schema_class(name: str) -> type[SchemaView]:
    form = schema_forms()[name]
    above = form.base.removeprefix("PhysxSchema")
    if form.kind != "concreteTyped":
        bases: tuple[type, ...] = (AppliedSchema,)
    elif above in schema_forms():
        bases = (_schema_class(above),)
    else:
        bases = (TypedSchema, Tf.Type.FindByName(form.base).pythonClass)
    doc = f"The schema {form.schema} on a prim; see `{bases[0].__name__}`."
    parts = {"__doc__": doc, "form": form, **schema_methods(form, bases[-1])}
    if form.kind == "concreteTyped":
        parts["above"] = bases[-1]
    return type(name, bases, parts)


def __getattr__(name: str) -> Any:
    if name == "Tokens":
        return schema_tokens()
    if name not in schema_forms():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _schema_class(name)
