"""Contact sensor configuration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from usdsim.core.arguments import number, whole
from usdsim.core.errors import InvalidValueError
from usdsim.sensors.common.cfg import SensorBaseCfg
from usdsim.spawners.place import check_path

from .sensor import ContactSensor

__all__ = ["ContactSensorCfg"]


@dataclass(kw_only=True)
class ContactSensorCfg(SensorBaseCfg):
    """Contact forces on bodies.

    The last part of the prim path is matched with names of bodies, at any depth if it is a
    pattern: ``{ENV_REGEX_NS}/Robot/.*_foot``.
    """

    class_type: type[Any] | None = ContactSensor
    """Class of the sensor."""
    track_pose: bool = False
    """Whether there are poses of the bodies in the data."""
    track_air_time: bool = False
    """Whether there are times in contact and in the air in the data."""
    track_contact_points: bool = False
    """Whether there are the points where the bodies touch the filters in the data."""
    track_friction_forces: bool = False
    """Whether there are the friction forces of the filters in the data."""
    max_contact_data_count_per_prim: int | None = None
    """Contacts of a body with a body or shape of a filter that these two take into account, the
    strongest if there are more, of which a warning tells on the CPU; None: 16."""
    force_threshold: float | None = 1.0
    """Force from which on a body counts as in contact, for those times [N]; None: 1."""
    filter_prim_paths_expr: list[str] = field(default_factory=list)
    """Expressions for what contact forces are told apart by: bodies, or prims with fixed colliders
    such as the ground. Each match is one filter."""

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        if self.force_threshold is not None:
            number(f"{title}.force_threshold", self.force_threshold, above=False, unit="N")
        what, paths = f"{title}.filter_prim_paths_expr", self.filter_prim_paths_expr
        if isinstance(paths, str) or not isinstance(paths, Iterable):
            raise InvalidValueError(what, paths, "a list of expressions", "Put it in a list.")
        for index, path in enumerate(paths):
            check_path(f"{what}[{index}]", path)
        self._check_details(title)

    def _check_details(self, title: str) -> None:
        room = self.max_contact_data_count_per_prim
        if room is not None:
            whole(f"{title}.max_contact_data_count_per_prim", room, 1)
        for name in ("track_contact_points", "track_friction_forces"):
            if getattr(self, name) and not self.filter_prim_paths_expr:
                raise InvalidValueError(
                    f"{title}.{name}",
                    True,
                    "False without filters",
                    "Say in filter_prim_paths_expr what is touched.",
                )

    @property
    def contact_slots(self) -> int:
        """Contacts that there is room for; 0: single contacts are not wanted."""
        if not (self.track_contact_points or self.track_friction_forces):
            return 0
        return self.max_contact_data_count_per_prim or 16
