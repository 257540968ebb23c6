"""Settings of other engines and renderers: accepted, told of, and without effect here.

The engine's options are those of the stage; see `SimulationCfg`.
"""

from __future__ import annotations

import logging
from typing import Any, Self

from usdsim.core.configuration import Configuration, plain

__all__ = [
    "FeatherstoneSolverCfg",
    "IsaacRtxRendererCfg",
    "KaminoSolverCfg",
    "MJWarpSolverCfg",
    "NewtonCfg",
    "NewtonModelCfg",
    "NewtonWarpRendererCfg",
    "OVRTXRendererCfg",
    "OvPhysxCfg",
    "PhysicsCfg",
    "PhysxCfg",
    "RenderCfg",
    "RendererCfg",
    "Settings",
    "VBDSolverCfg",
    "XPBDSolverCfg",
]

logger = logging.getLogger("usdsim")


class Settings(Configuration):
    """Named settings, all of which are kept and none of which acts.

    Args:
        **settings: any settings by name.
    """

    def __init__(self, **settings: Any):
        if settings:
            names = ", ".join(sorted(settings))
            logger.info("%s: %s have no effect here.", type(self).__name__, names)
        self.__dict__.update(settings)

    def replace(self, **settings: Any) -> Self:
        """A copy with other settings."""
        return type(self)(**{**self.__dict__, **settings})

    def to_dict(self) -> dict[str, Any]:
        """Settings by name, as plain values."""
        return {name: plain(value) for name, value in self.__dict__.items()}

    def validate(self) -> None:
        """Nothing: no setting acts."""


class PhysicsCfg(Settings):
    """Settings of another engine."""


class PhysxCfg(PhysicsCfg):
    """Settings of PhysX."""


class OvPhysxCfg(PhysicsCfg):
    """Settings of PhysX without Kit."""


class NewtonCfg(PhysicsCfg):
    """Settings of Newton."""


class NewtonModelCfg(Settings):
    """Settings of Newton's model that all its solvers share."""


class MJWarpSolverCfg(PhysicsCfg):
    """Settings of Newton's MuJoCo solver."""


class FeatherstoneSolverCfg(PhysicsCfg):
    """Settings of Newton's Featherstone solver."""


class XPBDSolverCfg(PhysicsCfg):
    """Settings of Newton's position-based solver."""


class KaminoSolverCfg(PhysicsCfg):
    """Settings of Newton's Kamino solver."""


class VBDSolverCfg(PhysicsCfg):
    """Settings of Newton's vertex block descent."""


class RendererCfg(Settings):
    """Settings of a renderer."""

    renderer_type: str = "default"
    """Name of the renderer."""


class RenderCfg(RendererCfg):
    """Settings of the viewport's renderer."""


class IsaacRtxRendererCfg(RendererCfg):
    """Settings of the RTX renderer."""

    renderer_type: str = "isaac_rtx"
    """See `RendererCfg`."""


class NewtonWarpRendererCfg(RendererCfg):
    """Settings of Newton's renderer."""

    renderer_type: str = "newton_warp"
    """See `RendererCfg`."""


class OVRTXRendererCfg(RendererCfg):
    """Settings of the RTX renderer without Kit."""

    renderer_type: str = "ovrtx"
    """See `RendererCfg`."""
