"""Log lines in colours, and warnings that are not repeated at every step."""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import ClassVar

__all__ = ["ColoredFormatter", "RateLimitFilter", "configure_logging"]

_LINE = "%(asctime)s [%(filename)s] %(levelname)s: %(message)s"
_FILE_LINE = "%(asctime)s [%(name)s %(filename)s:%(lineno)d] %(levelname)s: %(message)s"


class ColoredFormatter(logging.Formatter):
    """Lines in the colour of their level."""

    COLORS: ClassVar[dict[str, str]] = {
        "DEBUG": "\033[0m",
        "INFO": "\033[0m",
        "WARNING": "\033[33m",
        "ERROR": "\033[31m",
        "CRITICAL": "\033[1;31m",
    }
    """ANSI sequences by level."""
    RESET: ClassVar[str] = "\033[0m"
    """ANSI sequence that ends a colour."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record; see `logging.Formatter.format`."""
        return f"{self.COLORS.get(record.levelname, '')}{super().format(record)}{self.RESET}"


class RateLimitFilter(logging.Filter):
    """Lets a warning pass once per interval; other levels always pass.

    Args:
        interval_seconds: time in which a warning is not repeated [s].
    """

    def __init__(self, interval_seconds: float = 5):
        super().__init__()
        self.interval = interval_seconds
        self.last_emitted: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record passes."""
        if record.levelno != logging.WARNING:
            return True
        text, now = record.getMessage(), time.monotonic()
        last = self.last_emitted.get(text)
        if last is not None and now - last < self.interval:
            return False
        self.last_emitted[text] = now
        return True


def configure_logging(
    logging_level: str = "WARNING", save_logs_to_file: bool = True, log_dir: str | None = None
) -> logging.Logger:
    """Let the root logger write lines in colours, and all levels to a file.

    Handlers that it has are removed.

    Args:
        logging_level: name of the least level.
        save_logs_to_file: whether there is a file.
        log_dir: its folder; None: ``isaaclab/logs`` in the system's temporary folder.

    Returns:
        The root logger.
    """
    root = logging.getLogger()
    root.setLevel(logging_level)
    for handler in list(root.handlers):
        root.removeHandler(handler)
    shown = logging.StreamHandler(sys.stdout)
    shown.setLevel(logging_level)
    shown.setFormatter(ColoredFormatter(_LINE, datefmt="%H:%M:%S"))
    shown.addFilter(RateLimitFilter())
    root.addHandler(shown)
    if save_logs_to_file:
        folder = Path(log_dir or Path(tempfile.gettempdir(), "isaaclab", "logs"))
        folder.mkdir(parents=True, exist_ok=True)
        name = f"isaaclab_{datetime.now():%Y-%m-%d_%H-%M-%S}.log"
        written = logging.FileHandler(folder / name, encoding="utf-8")
        written.setLevel(logging.DEBUG)
        written.setFormatter(logging.Formatter(_FILE_LINE))
        root.addHandler(written)
    return root
