"""Serving of a view: the library for it, and the port."""

from __future__ import annotations

import errno
import socket
import sys
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library

__all__ = ["aside", "check_port", "colour_bytes", "import_viser", "move_instances", "stop"]

_LAST_WORDS = 12.0
"""Longest time that the library waits for browsers to say goodbye, and a little more [s]."""


def import_viser() -> Any:
    """The library that serves pages.

    Raises:
        UnsupportedError: it is not installed.
    """
    return library("viser", "The viewer")


def aside() -> redirect_stdout[Any]:
    """Context in which what the library prints goes to stderr: stdout is the program's own."""
    return redirect_stdout(sys.stderr)


def stop(server: Any) -> None:
    """Stop serving; what the library then says on stdout, it says late if a browser hangs."""
    with aside():
        server.stop()
        thread = server._websock_server._server_thread
        if thread is not None:
            thread.join(_LAST_WORDS)


def check_port(host: str, port: int) -> None:
    """Raise where nobody can listen: the library would take another port without a word.

    Raises:
        InvalidValueError: the port is taken, or out of range; the host is not this machine.
    """
    if isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 2**16:
        raise InvalidValueError("port", port, "1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
                raise InvalidValueError(
                    "host", host, "a name or address of this machine", f"{error.strerror}."
                ) from error
            raise InvalidValueError(
                "port", port, "one that is free", f"{error.strerror}. Choose another."
            ) from error


def colour_bytes(colours: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    """Colours from 0 to 1 as the page takes them, of the same shape."""
    return (colours.clip(0.0, 1.0) * 255.0).round().astype(np.uint8)


def move_instances(handle: Any, poses: NDArray[np.float32]) -> None:
    """Move the instances of a mesh on the pages.

    One message has positions and orientations. Assigned one after the other, they are compared,
    cast and queued each, which takes four times as long.

    Args:
        handle: of the mesh.
        poses: positions [m] and wxyz of its instances, shape (n, 7).
    """
    from viser._messages import SceneNodeUpdateMessage

    node = handle._impl
    changed = {
        "batched_positions": np.ascontiguousarray(poses[:, :3]),
        "batched_wxyzs": np.ascontiguousarray(poses[:, 3:]),
    }
    vars(node.props).update(changed)
    node.api._queue_scene_message(SceneNodeUpdateMessage(node.name, changed))
