"""Sensor base configuration: place and sampling period."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar, TypeVar

import numpy as np

from usdsim.core.arguments import number, table, whole
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError
from usdsim.math.quaternion_order import identity_rot, quaternion_order, rot_quat
from usdsim.math.rotations import UNIT_TOLERANCE
from usdsim.math.transforms import Pose
from usdsim.spawners.place import check_path

__all__ = ["MarkerSettings", "OffsetCfg", "SensorBaseCfg"]

C = TypeVar("C", bound="SensorBaseCfg")


@dataclass(kw_only=True)
class OffsetCfg(Configuration):
    """Pose of a sensor's frame in the frame of the prim it is attached to."""

    pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Position [m]."""
    rot: tuple[float, float, float, float] = field(default_factory=identity_rot)
    """Orientation, as a unit quaternion in the order x, y, z, w, unless
    `usdsim.math.quaternion_order.set_quaternion_order` chose another."""

    def pose(self, where: str) -> Pose:
        """The offset as a pose.

        Args:
            where: the field that holds it, for messages.

        Raises:
            InvalidValueError: a value is not finite, or the quaternion has not unit length.
            ShapeError: there are too many numbers, or too few.
        """
        pos, quat = table(f"{where}.pos", self.pos, (3,)), table(f"{where}.rot", self.rot, (4,))
        length = float(np.linalg.norm(quat))
        if abs(length - 1.0) > UNIT_TOLERANCE:
            raise InvalidValueError(
                f"{where}.rot",
                self.rot,
                f"a unit quaternion in the order {', '.join(quaternion_order())}",
            )
        return Pose(pos, rot_quat(quat) / length)


class _Shapes(dict[str, Any]):
    """Settings of shapes by name: any name has some, to be set as attributes."""

    def __missing__(self, name: str) -> SimpleNamespace:
        return self.setdefault(name, SimpleNamespace())


@dataclass(kw_only=True)
class MarkerSettings(Configuration):
    """Settings of markers that nothing reads."""

    prim_path: str = "/Visuals/markers"
    """Prim path that they would have."""
    markers: dict[str, Any] = field(default_factory=_Shapes)
    """Settings of shapes by name."""


@dataclass(kw_only=True)
class SensorBaseCfg(Configuration):
    """Base of the configurations of sensors. Sensors work on a copy and never change yours."""

    OffsetCfg: ClassVar[type[OffsetCfg]] = OffsetCfg

    class_type: type[Any] | None = None
    """Class of the sensor."""
    prim_path: str = field(default_factory=lambda: MISSING)  # type: ignore[assignment]
    """Prim path, or an expression with a regular expression for each name between slashes.
    ``{ENV_REGEX_NS}`` stands for every environment: ``{ENV_REGEX_NS}/Robot/base``."""
    update_period: float = 0.0
    """Time between samples [s]; 0: the data always describe the present state."""
    history_length: int = 0
    """Number of samples kept, by the sensors that have a history."""
    debug_vis: bool = False
    """Whether frames of the bodies the sensor is on are drawn on the stage from the start."""
    visualizer_cfg: Any = field(default_factory=MarkerSettings)
    """Markers that programs of others configure; frames are drawn as they are whatever it says."""

    def validate(self) -> None:
        """Check every value.

        Raises:
            StageError: there is no prim path, or it is not absolute.
            InvalidValueError: a value is outside what is allowed.
        """
        title = type(self).__name__
        check_path(f"{title}.prim_path", self.prim_path)
        number(f"{title}.update_period", self.update_period, above=False, unit="s")
        whole(f"{title}.history_length", self.history_length)
