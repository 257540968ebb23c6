"""API schemas of PhysX and of semantics as classes of Python, with methods for their attributes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Self

from pxr import Sdf, Usd

from usdsim.compat.absent import absent
from usdsim.core.errors import AbsentError, StageError

__all__ = ["AppliedSchema"]

_INSTANCE = "__INSTANCE_NAME__"
_SEMANTICS = {
    f"Semantic{word}": f"semantic:{_INSTANCE}:params:semantic{word}" for word in ("Type", "Data")
}
"""Attributes of the one schema that is not registered; all are text."""


class AppliedSchema:
    """An API schema on a prim, whose attributes `CreateStiffnessAttr`, `GetStiffnessAttr` name.

    Args:
        prim: the prim, or another schema on it.
        name: the instance, of schemas that prims may have several times.
    """

    schema: str = ""
    """Name of the schema."""

    def __init__(self, prim: Any = None, name: str = ""):
        self._prim = prim.GetPrim() if hasattr(prim, "GetPrim") else prim
        self._name = name

    @classmethod
    def Apply(cls, prim: Usd.Prim, name: str = "") -> Self:
        """Apply the schema to a prim.

        Raises:
            StageError: there is no such prim.
        """
        if not prim:
            raise StageError(f"There is no prim that {cls.schema} could be applied to.")
        prim.AddAppliedSchema(f"{cls.schema}:{name}" if name else cls.schema)
        return cls(prim, name)

    @classmethod
    def Get(cls, stage: Any, path: Any) -> Self:
        """The schema at a path of a stage; of a prim, its instance by name."""
        if isinstance(stage, Usd.Prim):
            return cls(stage, str(path))
        return cls(stage.GetPrimAtPath(path))

    def GetPrim(self) -> Usd.Prim:
        """The prim."""
        return self._prim

    def GetPath(self) -> Sdf.Path:
        """Its path."""
        return self._prim.GetPath()

    def GetName(self) -> str:
        """The instance; empty for schemas that prims have once."""
        return self._name

    @classmethod
    def GetSchemaAttributeNames(
        cls,
        includeInherited: bool = True,
        instanceName: str = "",
    ) -> list[str]:
        """Names of the schema's attributes."""
        return [name.replace(_INSTANCE, instanceName) for name in _properties(cls.schema).values()]

    def __bool__(self) -> bool:
        """Whether the prim has the schema."""
        names = self._prim.GetAppliedSchemas() if self._prim else ()
        return (f"{self.schema}:{self._name}" if self._name else self.schema) in names

    def __getattr__(self, method: str) -> Callable[..., Usd.Attribute]:
        for verb, answer in (("Create", self._create), ("Get", self._get)):
            if method.startswith(verb) and method.endswith("Attr"):
                known, word = _properties(self.schema), method[len(verb) : -len("Attr")]
                if word not in known:
                    allowed = ", ".join(known)
                    raise AbsentError(f"{self.schema} has no attribute {word!r}; it has {allowed}.")
                return lambda *value: answer(known[word].replace(_INSTANCE, self._name), *value)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {method!r}")

    def _get(self, name: str) -> Usd.Attribute:
        return self._prim.GetAttribute(name)

    def _create(self, name: str, value: Any = None, sparsely: bool = False) -> Usd.Attribute:
        attribute = self._prim.GetAttribute(name)
        if not attribute:
            attribute = self._prim.CreateAttribute(name, Sdf.ValueTypeNames.String, custom=False)
        if value is not None and not (sparsely and attribute.Get() == value):
            attribute.Set(value)
        return attribute


@cache
def _properties(schema: str) -> dict[str, str]:
    """Attributes of a schema, by their names in methods; none of one that is not registered."""
    if schema == "SemanticsAPI":
        return _SEMANTICS
    definition = Usd.SchemaRegistry().FindAppliedAPIPrimDefinition(schema)
    if definition is None:
        return {}
    names = (str(name) for name in definition.GetPropertyNames())
    return {_word(name): name for name in names if definition.GetAttributeDefinition(name)}


def _word(name: str) -> str:
    last = name.rpartition(":")[2]
    return last[:1].upper() + last[1:]


@cache
def _schema_class(name: str) -> type[AppliedSchema]:
    doc = f"The schema {name} on a prim; see `AppliedSchema`."
    return type(name, (AppliedSchema,), {"__doc__": doc, "schema": name})


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _schema_class(name) if _properties(name) else absent(f"pxr.{name}")
