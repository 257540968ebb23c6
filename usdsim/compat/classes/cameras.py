"""Camera configurations as Isaac Lab has them: segmentations in colours, settings of renderers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from usdsim import sensors
from usdsim.compat.settings import RendererCfg

__all__ = ["CameraCfg"]

_SETTINGS = (
    "depth_clipping_behavior",
    "semantic_segmentation_mapping",
    "colorize_semantic_segmentation",
    "colorize_instance_segmentation",
    "colorize_instance_id_segmentation",
)


def _unset() -> RendererCfg:
    """Settings of a renderer that say nothing yet."""
    made = RendererCfg()
    vars(made).update(dict.fromkeys(_SETTINGS))
    return made


@dataclass(kw_only=True)
class CameraCfg(sensors.CameraCfg):
    """Cameras whose segmentations are colours unless told otherwise."""

    colorize_semantic_segmentation: bool = True
    """See `usdsim.sensors.CameraCfg`."""
    colorize_instance_segmentation: bool = True
    """Likewise."""
    colorize_instance_id_segmentation: bool = True
    """Likewise."""
    renderer_cfg: Any = field(default_factory=_unset)
    """Settings that programs change; see `usdsim.sensors.CameraCfg`."""
    isp_cfg: Any = None
    """Setting of renderers that process signals of a sensor, without effect here."""
