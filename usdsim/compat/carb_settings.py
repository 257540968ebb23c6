"""Settings and log of ``carb``: settings are kept by path, and log lines go to our logger."""

from __future__ import annotations

import logging
import sys
from typing import Any

__all__ = [
    "Settings",
    "SettingsManager",
    "get_settings",
    "get_settings_manager",
    "initialize_carb_settings",
    "settings",
]

_log = logging.getLogger("usdsim")


class Settings:
    """Values by path; what was never set is None."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def get(self, path: str, default: Any = None) -> Any:
        """A value, or the default."""
        return self._values.get(path, default)

    def set(self, path: str, value: Any) -> None:
        """Keep a value; nothing reads it but programs."""
        self._values[path] = value

    get_as_bool = get_as_int = get_as_float = get_as_string = get
    set_bool = set_int = set_float = set_string = set_default = set

    def destroy_item(self, path: str) -> None:
        """Forget a value."""
        self._values.pop(path, None)


SettingsManager = Settings
"""The same, by the name that it has in Isaac Lab 3.0."""

_SETTINGS = Settings()


def initialize_carb_settings() -> None:
    """Nothing: settings are kept from the start."""


def get_settings() -> Settings:
    """The settings of the process."""
    return _SETTINGS


def get_settings_manager() -> Settings:
    """The settings of the process."""
    return _SETTINGS


settings = sys.modules[__name__]
"""This module, as ``carb.settings``."""
log_info = info = verbose = log_verbose = _log.info
log_warn = warn = _log.warning
log_error = error = _log.error
