"""The package's log: everything usdsim has to say goes to the logger ``usdsim``."""

from __future__ import annotations

import logging

__all__ = ["get_logger", "set_verbosity"]

_ROOT = "usdsim"


def get_logger(name: str = _ROOT) -> logging.Logger:
    """The logger of a module of usdsim; pass ``__name__``."""
    return logging.getLogger(
        name if name == _ROOT or name.startswith(f"{_ROOT}.") else f"{_ROOT}.{name}"
    )


def set_verbosity(level: int | str) -> None:
    """Choose what reaches the terminal: ``"DEBUG"``, ``"INFO"``, ``"WARNING"``, ``"ERROR"``.

    Applications that configure `logging` themselves need not call this.
    """
    logger = get_logger()
    logger.setLevel(level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False
