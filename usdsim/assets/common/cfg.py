"""Asset configuration: place, spawner and initial state."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import table
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError
from usdsim.math.quaternion_order import identity_rot, quaternion_order, rot_quat
from usdsim.math.rotations import UNIT_TOLERANCE, quat_normalize
from usdsim.spawners import SpawnerCfg
from usdsim.spawners.place import check_path

__all__ = ["AssetBaseCfg", "BodyAssetCfg", "root_states"]

logger = logging.getLogger("usdsim")

C = TypeVar("C", bound="AssetBaseCfg")


@dataclass(kw_only=True)
class AssetBaseCfg(Configuration):
    """Base of the configurations of assets. Assets work on a copy and never change yours."""

    @dataclass(kw_only=True)
    class InitialStateCfg(Configuration):
        """Initial pose of an asset."""

        vectors: ClassVar[tuple[str, ...]] = ("pos",)
        """Fields of three numbers."""

        pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """Position in the environment's frame, or in world outside environments [m]."""
        rot: tuple[float, float, float, float] = field(default_factory=identity_rot)
        """Orientation in the same frame, a quaternion of any length in the order x, y, z, w, unless
        `usdsim.math.quaternion_order.set_quaternion_order` chose another. Convert one in the order
        w, x, y, z by `usdsim.math.rotations.quat_from_wxyz`."""

        def validate(self, where: str) -> None:
            """Check every value.

            Raises:
                InvalidValueError: a value is not finite, or the quaternion is zero.
                ShapeError: there are too many numbers, or too few.
            """
            for name in self.vectors:
                table(f"{where}.{name}", getattr(self, name), (3,))
            quat = table(f"{where}.rot", self.rot, (4,))
            length = float(np.linalg.norm(quat))
            if length == 0.0:
                order = ", ".join(quaternion_order())
                raise InvalidValueError(
                    f"{where}.rot", self.rot, f"a quaternion in the order {order}, not all zero"
                )
            if abs(length - 1.0) > UNIT_TOLERANCE:
                logger.warning(
                    "%s.rot has length %.4g; taken as %s", where, length, self.unit_rot.tolist()
                )

        @property
        def unit_rot(self) -> NDArray[np.float64]:
            """Orientation, xyzw, scaled to unit length, as PhysX takes it, shape (4,)."""
            return quat_normalize(rot_quat(self.rot))

    class_type: type[Any] | None = None
    """Class of the asset; None: nothing but what is spawned."""
    prim_path: str = field(default_factory=lambda: MISSING)  # type: ignore[assignment]
    """Prim path, or an expression with a regular expression for each name between slashes.
    ``{ENV_REGEX_NS}`` stands for every environment: ``{ENV_REGEX_NS}/Robot``."""
    spawn: SpawnerCfg | None = None
    """Spawner of the prims; None: the prims are there already."""
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Initial state."""
    collision_group: int = 0
    """-1 for what collides with the assets of all environments, such as the ground; 0 for what
    belongs to its environment. It says which prims an interactive scene excepts from filtering."""
    debug_vis: bool = False
    """Whether frames of the links are drawn on the stage from the start."""

    def validate(self) -> None:
        """Check every value.

        Raises:
            StageError: there is no prim path, or it is not absolute.
            InvalidValueError: a value is outside what is allowed.
        """
        title = type(self).__name__
        hint = "; cfg.replace(prim_path=...) makes a configuration with it"
        check_path(f"{title}.prim_path", self.prim_path, "Robot", hint)
        if self.collision_group not in (0, -1):
            raise InvalidValueError(f"{title}.collision_group", self.collision_group, "0 or -1")
        state: Any = self.init_state
        needed = ("validate", *(field.name for field in fields(type(self).InitialStateCfg)))
        if not all(hasattr(state, name) for name in needed):
            raise InvalidValueError(f"{title}.init_state", state, f"a {title}.InitialStateCfg")
        state.validate(f"{title}.init_state")


@dataclass(kw_only=True)
class BodyAssetCfg(AssetBaseCfg):
    """Base of the configurations of articulations and rigid objects."""

    @dataclass(kw_only=True)
    class InitialStateCfg(AssetBaseCfg.InitialStateCfg):
        """Initial pose and velocity of the root."""

        vectors: ClassVar[tuple[str, ...]] = ("pos", "lin_vel", "ang_vel")

        lin_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """Velocity of the root's centre of mass in the environment's axes [m/s]."""
        ang_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """Angular velocity of the root in the same axes [rad/s]."""

    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Default state."""
    randomize_materials: bool = False
    """Whether friction may be written while it is simulated even in a large scene, which takes time
    in every step: the engine gets a contact pair for each two shapes that may touch."""


def root_states(starts: Iterable[Any]) -> NDArray[np.float64]:
    """Initial states of roots: pose [m, xyzw] and velocity [m/s, rad/s], shape (n, 13).

    Args:
        starts: configurations of initial states that have velocities.
    """
    return np.array(
        [[*start.pos, *start.unit_rot, *start.lin_vel, *start.ang_vel] for start in starts],
        np.float64,
    )
