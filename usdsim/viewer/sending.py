"""Sender: the last poses of worlds, brought to the page by a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, RLock, Thread

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sender"]

Array = NDArray[np.float64]


class Sender:
    """Passes arrays to a function in a thread, so that a loop of steps does not wait for it.

    While the function runs, what is posted replaces what was posted before.

    Args:
        send: the function.

    Attributes:
        lock: held while the function runs; take it to change what the function uses.
    """

    def __init__(self, send: Callable[[Array], None]):
        self._send = send
        self.lock = RLock()
        self._changed = Condition()
        self._waiting: Array | None = None
        self._busy = self._over = False
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run, name="usdsim-viewer", daemon=True)
        self._thread.start()

    def post(self, values: Array) -> None:
        """Queue values to be sent; the caller does not change them any more.

        Raises:
            Exception: what the function raised the last time.
        """
        with self._changed:
            failure, self._failure = self._failure, None
            self._waiting = values
            self._changed.notify_all()
        if failure is not None:
            raise failure

    def finish(self) -> None:
        """Wait until everything was sent."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._over or not (self._busy or self._waiting is not None)
            )

    def drop(self) -> None:
        """Forget what was not sent."""
        with self._changed:
            self._waiting = None

    def close(self) -> None:
        """End the thread; what was not sent is dropped."""
        with self._changed:
            self._over, self._waiting = True, None
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._over or self._waiting is not None)
                if self._over:
                    return
                self._busy = True
            with self.lock:
                with self._changed:
                    values, self._waiting = self._waiting, None
                if values is not None:
                    try:
                        self._send(values)
                    except Exception as error:
                        self._failure = error
