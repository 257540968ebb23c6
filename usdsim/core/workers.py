"""Worker processes: requests and answers as lines of JSON, apart from the process that asks.

A request that crashes or hangs costs its worker, which is replaced; nothing else is lost.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from typing import Any

from .errors import InvalidValueError
from .processors import share_processors

__all__ = ["WorkerProcess", "ask_all", "check_limit", "limit_process", "serve"]

_AHEAD = 2
"""Requests that are handed out per worker, which bounds the answers that wait in memory."""


class WorkerProcess:
    """A process that answers one request at a time, started when first needed.

    Args:
        module: module to run, whose ``__main__`` calls `serve`.
        memory_limit: most memory it may take [MiB]; None: what there is.
        threads: number of threads for linear algebra; 0: as many as its libraries take.
    """

    def __init__(self, module: str, memory_limit: float | None = None, threads: int = 0) -> None:
        self._command = [sys.executable, "-m", module]
        self._environment = dict(os.environ)
        if threads:
            # Libraries read it once, when they are imported.
            self._environment.setdefault("OMP_NUM_THREADS", str(threads))
        if memory_limit is not None:
            self._command.append(str(memory_limit))
        self._memory_limit = memory_limit
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Answer to one request; a worker that dies or is late is replaced.

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
        except BaseException:
            # Nobody waits for the answer any more, however long it would take.
            self.kill()
            raise
        finally:
            timer.cancel()
        if answer:
            outcome: dict[str, Any] = json.loads(answer)
            return outcome
        self.stop()
        code = process.returncode
        if late.is_set():
            return {"status": "timeout", "message": f"took longer than {timeout:g} s"}
        message = f"the worker process ended with code {code}"
        if self._memory_limit is not None:
            message += f"; it may need more than the {self._memory_limit:g} MiB it was given"
        return {"status": "crashed", "message": message}

    def stop(self) -> None:
        """End the process, after what it does now."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(BrokenPipeError), process:  # closes its pipes, and waits
                pass

    def kill(self) -> None:
        """End the process at once; who waits for its answer is told that it crashed."""
        process = self._process
        if process is not None:
            process.kill()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
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
    module: str,
    requests: Sequence[dict[str, Any]],
    workers: int,
    timeout: float,
    memory_limit: float | None = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Answers to requests by several processes, which share this machine's processors.

    Whoever is free takes the next.

    Args:
        module: module the processes run; see `WorkerProcess`.
        requests: JSON values.
        workers: largest number of processes.
        timeout: longest time one request may take [s].
        memory_limit: most memory one process may take [MiB]; None: what there is.

    Yields:
        Place among the requests and answer of each, as it is done; see `WorkerProcess.ask`. Who
        is slow to take answers slows the workers: few wait in memory. Who stops asking for more
        waits for what runs, and the rest is not begun; who is interrupted waits for nothing.
    """
    count = max(1, min(workers, len(requests)))
    threads = share_processors(count)
    crew = [WorkerProcess(module, memory_limit, threads) for _ in range(count)]
    free: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()
    for worker in crew:
        free.put(worker)

    def ask(place: int) -> tuple[int, dict[str, Any]]:
        worker = free.get()
        try:
            return place, worker.ask(requests[place], timeout)
        finally:
            free.put(worker)

    pool, places = ThreadPoolExecutor(count), iter(range(len(requests)))
    running: set[Future[tuple[int, dict[str, Any]]]] = set()
    try:
        while True:
            more = islice(places, _AHEAD * count - len(running))
            running.update(pool.submit(ask, place) for place in more)
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                running.remove(done)
                yield done.result()
    except KeyboardInterrupt:
        for worker in crew:
            worker.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        for worker in crew:
            worker.stop()


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer the parent's requests until there are no more."""
    if len(sys.argv) > 1:
        limit_process(megabytes=float(sys.argv[1]))
    answers = sys.stdout
    # Libraries that print must not write into the answers.
    sys.stdout = sys.stderr
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


def check_limit(what: str, limit: float | None) -> None:
    """Refuse a limit that limits nothing, or everything.

    Raises:
        InvalidValueError: it is neither None nor a positive finite number.
    """
    if limit is not None and not 0.0 < limit < float("inf"):
        raise InvalidValueError(what, limit, "a positive finite number, or None")


def limit_process(*, seconds: float | None = None, megabytes: float | None = None) -> None:
    """Limit the time and memory of this process; without effect on Windows.

    Args:
        seconds: processor time [s]; None: as before.
        megabytes: address space [MiB]; None: as before.
    """
    try:
        import resource
    except ImportError:
        return
    wanted = [
        (resource.RLIMIT_CPU, None if seconds is None else max(1, round(seconds))),
        (resource.RLIMIT_AS, None if megabytes is None else round(megabytes * 2**20)),
    ]
    for kind, most in wanted:
        if most is not None:
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, hard))
