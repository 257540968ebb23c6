"""Settings of other simulators that configurations may state: kept, told of, without effect."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, fields
from types import SimpleNamespace
from typing import Any

__all__ = ["UnusedSettings"]

logger = logging.getLogger("usdsim")

_UNSET = (None, SimpleNamespace())


@dataclass(kw_only=True)
class UnusedSettings:
    """Settings for renderers, loggers and other engines, so that their programs need no change."""

    physics: Any = None
    """Options of another engine."""
    physx: Any = field(default_factory=SimpleNamespace)
    """Options of PhysX, which may be set one by one."""
    render: Any = field(default_factory=SimpleNamespace)
    """Options of a viewport's renderer, likewise."""
    visualizer_cfgs: Any = None
    """Windows to open."""
    use_fabric: bool | None = None
    """Whether poses bypass the stage, as they always do here."""
    use_newton_actuators: bool | None = None
    """Whether actuators are those of another engine."""
    disable_contact_processing: bool | None = None
    """Whether contacts are reported; sensors decide that here."""
    enable_scene_query_support: bool | None = None
    """Whether rays can be cast, as they always can here."""
    create_stage_in_memory: bool | None = None
    """Whether the stage is in memory, as it is unless one is given."""
    logging_level: str | None = None
    """Level of messages; see `usdsim.core.logging`."""
    save_logs_to_file: bool | None = None
    """Whether messages are written to a file."""
    log_dir: str | None = None
    """Folder of that file."""

    def tell_unused(self) -> None:
        """Log which of them are set."""
        names = [setting.name for setting in fields(UnusedSettings)]
        told = ", ".join(name for name in names if getattr(self, name) not in _UNSET)
        if told:
            logger.info("%s: %s have no effect here.", type(self).__name__, told)
