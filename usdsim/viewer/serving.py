"""Serving of a view: the library for it, and the port."""

from __future__ import annotations

import socket
from typing import Any

from usdsim.core.errors import InvalidValueError, UnsupportedError

__all__ = ["check_port", "import_viser"]


def import_viser() -> Any:
    """The library that serves pages.

    Raises:
        UnsupportedError: it is not installed.
    """
    try:
        import viser
    except ImportError as error:
        raise UnsupportedError(
            "The viewer needs viser. Install it with pip install 'usdsim[view]'."
        ) from error
    return viser


def check_port(host: str, port: int) -> None:
    """Raise where nobody can listen: the library would take another port without a word.

    Raises:
        InvalidValueError: the port is taken, or out of range.
    """
    if isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 2**16:
        raise InvalidValueError("port", port, "1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InvalidValueError(
                "port", port, "one that is free", f"{error.strerror}. Choose another."
            ) from error
