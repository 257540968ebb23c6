"""Interactive scene configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from usdsim.core.arguments import whole
from usdsim.core.declared import DeclaredConfiguration, declared_attributes
from usdsim.core.errors import InvalidValueError, UnsupportedError

__all__ = ["InteractiveSceneCfg"]


@dataclass(kw_only=True, init=False)
class InteractiveSceneCfg(DeclaredConfiguration):
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
    of them, so that spawners can make them differ in numbers. A scene that chooses among shapes of
    one kind, or among variants of one file, is made so in any case."""
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

    def entities(self) -> dict[str, Any]:
        """Configurations of what the scene consists of, by name, in order; what is None is not."""
        names = dict.fromkeys((*declared_attributes(type(self)), *vars(self)))
        found = {n: getattr(self, n, None) for n in names if n not in self._OWN}
        return {n: v for n, v in found.items() if v is not None and not n.startswith("_")}

    def validate(self) -> None:
        """Check the values of the scene itself; assets check their own.

        Raises:
            InvalidValueError: a value is missing, or outside what is allowed.
            UnsupportedError: environments are to collide with one another.
        """
        title = type(self).__name__
        self.require_values()
        count = whole(f"{title}.num_envs", self.num_envs, 1)
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
