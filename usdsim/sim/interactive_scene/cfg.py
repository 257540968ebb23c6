"""Interactive scene configuration."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError, UnknownNameError, UnsupportedError

__all__ = ["InteractiveSceneCfg"]


@dataclass(kw_only=True, init=False)
class InteractiveSceneCfg(Configuration):
    """Base of the configurations of scenes.

    Derive a class and give it one attribute per asset or sensor, in the order in which they are to
    be spawned. Attributes may have annotations or none, and the class may be a dataclass or not;
    what is only annotated comes before the next annotated attribute, or last::

        class PlaygroundCfg(InteractiveSceneCfg):
            ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
            robot: ArticulationCfg = ROBOT_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")

        scene = InteractiveScene(PlaygroundCfg(num_envs=1024, env_spacing=2.5))

    Every instance has configurations of its own, which may be changed, added to, or set to None to
    leave them out.

    Args:
        *positional: `num_envs`, `env_spacing` and the switches, in this order.
        **values: values of attributes. `num_envs` and `env_spacing` are needed, and all that a
            derived class declares without one; they may be set later on.

    Raises:
        UnknownNameError: there is no such attribute.
        InvalidValueError: an attribute is given twice.
    """

    num_envs: int
    """Number of environments."""
    env_spacing: float
    """Distance of neighbouring environments on their grid [m]."""
    replicate_physics: bool = True
    """Whether all environments refer to the first one. Otherwise everything is spawned below each
    of them, so that spawners can make them differ in numbers."""
    filter_collisions: bool = True
    """Whether environments do not collide with one another. As each is simulated in a world of its
    own, they cannot; False is refused where there are several."""
    lazy_sensor_update: bool = True
    """Accepted for programs that set it: sensors are always evaluated when they are read."""
    clone_in_fabric: bool = False
    """Accepted for programs that set it: environments are always cloned on the stage."""

    _OWN: ClassVar[tuple[str, ...]] = (
        "num_envs",
        "env_spacing",
        "replicate_physics",
        "filter_collisions",
        "lazy_sensor_update",
        "clone_in_fabric",
    )

    def __init__(self, *positional: Any, **values: Any) -> None:
        declared = _declared(type(self))
        if len(positional) > len(self._OWN) or {*self._OWN[: len(positional)]} & values.keys():
            raise InvalidValueError(
                f"arguments of {type(self).__name__}",
                (*positional, *values),
                f"{', '.join(self._OWN)} in this order or by name, each once",
            )
        values.update(zip(self._OWN, positional, strict=False))
        for name in values:
            if name not in declared:
                raise UnknownNameError("attribute", name, declared, type(self).__name__)
        for name, default in declared.items():
            setattr(self, name, values[name] if name in values else default())
        after = getattr(self, "__post_init__", None)
        if after is not None:
            after()

    def replace(self, **changes: Any) -> Self:
        """A copy with other values of some attributes.

        Args:
            changes: values by name of the attribute.

        Raises:
            UnknownNameError: there is no such attribute.
        """
        twin = self.copy()
        for name, value in changes.items():
            if not hasattr(twin, name):
                known = (*_declared(type(self)), *vars(self))
                raise UnknownNameError("attribute", name, known, type(self).__name__)
            setattr(twin, name, value)
        return twin

    def entities(self) -> dict[str, Any]:
        """Configurations of what the scene consists of, by name, in order; what is None is not."""
        names = dict.fromkeys((*_declared(type(self)), *vars(self)))
        found = {n: getattr(self, n, None) for n in names if n not in self._OWN}
        return {n: v for n, v in found.items() if v is not None and not n.startswith("_")}

    def validate(self) -> None:
        """Check the values of the scene itself; assets check their own.

        Raises:
            InvalidValueError: a value is missing, or outside what is allowed.
            UnsupportedError: environments are to collide with one another.
        """
        title = type(self).__name__
        for name, value in vars(self).items():
            if isinstance(value, type(MISSING)):
                raise InvalidValueError(f"{title}.{name}", "missing", "a value", "Set it.")
        count = self.num_envs
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InvalidValueError(f"{title}.num_envs", count, "an integer >= 1")
        try:
            spacing = float(self.env_spacing)
        except (TypeError, ValueError):
            spacing = float("nan")
        if not 0.0 <= spacing < float("inf"):
            raise InvalidValueError(f"{title}.env_spacing", self.env_spacing, "0 m or more")
        if not self.filter_collisions and count > 1:
            raise UnsupportedError(
                f"{title}.filter_collisions is False, but {count} environments are simulated in "
                "worlds of their own and cannot collide. Set it to True, or put everything into "
                "one environment."
            )


def _declared(cls: type) -> dict[str, Any]:
    """Attributes of a class and its bases, in order, with functions that make their values."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base is object:
            continue
        fields = base.__dict__.get("__dataclass_fields__", {})
        hints = inspect.get_annotations(base)
        for name in dict.fromkeys((*hints, *vars(base))):
            hint = str(hints.get(name, ""))
            if name.startswith("_") or "ClassVar" in hint:
                continue
            value = vars(base).get(name, fields.get(name, MISSING))
            if not _is_method(value):
                found[name] = _maker(value)
    return _in_source_order(cls, found)


def _in_source_order(cls: type, found: dict[str, Any]) -> dict[str, Any]:
    """Annotated and plain attributes of each class as they stand in its body."""
    order: list[str] = []
    for base in reversed(cls.__mro__):
        hints = list(inspect.get_annotations(base))
        body = [name for name in vars(base) if name in found]
        # Names with a value are in the order of the body; the others go before their successor.
        for name in hints:
            if name in found and name not in body:
                later = [n for n in hints[hints.index(name) + 1 :] if n in body]
                body.insert(body.index(later[0]) if later else len(body), name)
        order += body
    return {name: found[name] for name in dict.fromkeys(order)}


def _is_method(value: Any) -> bool:
    kinds = (property, classmethod, staticmethod)
    return inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, kinds)


def _maker(value: Any) -> Any:
    if isinstance(value, dataclasses.Field):
        if value.default_factory is not MISSING:
            return value.default_factory
        value = value.default
    return lambda: value if value is MISSING else copy.deepcopy(value)
