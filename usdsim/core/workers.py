"""Worker processes: requests and answers as lines of JSON, apart from the process that asks.

A request that crashes or hangs costs its worker, which is replaced; nothing else is lost.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

__all__ = ["WorkerProcess", "ask_all", "serve"]


class WorkerProcess:
    """A process that answers one request at a time, started when first needed.

    Args:
        module: module to run, whose ``__main__`` calls `serve`.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Have one request answered; a worker that dies or is late is replaced.

        Args:
            request: JSON values.
            timeout: longest time it may take [s].

        Returns:
            The answer, or ``status`` "timeout" or "crashed" with a ``message``.
        """
        process = self._running()
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(timeout, give_up)
        timer.start()
        try:
            answer = self._exchange(process, request)
        finally:
            timer.cancel()
        if answer:
            outcome: dict[str, Any] = json.loads(answer)
            return outcome
        code = process.wait()
        self._process = None
        if late.is_set():
            return {"status": "timeout", "message": f"took longer than {timeout:g} s"}
        return {"status": "crashed", "message": f"the worker process ended with code {code}"}

    def stop(self) -> None:
        """End the process."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process

    @staticmethod
    def _exchange(process: subprocess.Popen[str], request: dict[str, Any]) -> str:
        if process.stdin is None or process.stdout is None:
            return ""
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return ""
        return process.stdout.readline()


def ask_all(
    module: str, requests: Sequence[dict[str, Any]], workers: int, timeout: float
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Have requests answered by several processes; whoever is free takes the next.

    Args:
        module: module the processes run; see `WorkerProcess`.
        requests: JSON values.
        workers: largest number of processes.
        timeout: longest time one request may take [s].

    Yields:
        Place among the requests and answer of each, as it is done; see `WorkerProcess.ask`. Who
        stops asking for more waits for what runs, and the rest is not begun.
    """
    count = max(1, min(workers, len(requests)))
    free: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()
    for _ in range(count):
        free.put(WorkerProcess(module))

    def ask(place: int) -> tuple[int, dict[str, Any]]:
        worker = free.get()
        try:
            return place, worker.ask(requests[place], timeout)
        finally:
            free.put(worker)

    threads = ThreadPoolExecutor(count)
    try:
        for done in as_completed([threads.submit(ask, place) for place in range(len(requests))]):
            yield done.result()
    finally:
        threads.shutdown(cancel_futures=True)
        while not free.empty():
            free.get().stop()


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer the parent's requests until there are no more."""
    answers = sys.stdout
    # Libraries that print must not write into the answers.
    sys.stdout = sys.stderr
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()
