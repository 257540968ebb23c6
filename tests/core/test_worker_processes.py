"""Answers of worker processes: few wait in memory, however slow they are taken."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import tracemalloc

import pytest

from usdsim.core.workers import WorkerProcess, ask_all

_MEGABYTE = 2**20


@pytest.mark.parametrize("workers", [1, 3])
def test_memory_stays_bounded_however_slow_answers_are_taken(monkeypatch, workers):
    monkeypatch.setattr(WorkerProcess, "ask", lambda self, request, timeout: {"x": "x" * _MEGABYTE})
    tracemalloc.start()
    try:
        places = []
        for place, answer in ask_all("nothing", [{}] * 40, workers, timeout=1.0):
            places.append(place)
            time.sleep(0.005)
            del answer
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sorted(places) == list(range(40))
    assert peak < (2 * workers + 3) * _MEGABYTE, "of 40 that were answered"


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """A module whose worker takes half a minute, and the file that it makes then."""
    done = tmp_path / "done"
    (tmp_path / "slow_worker.py").write_text(
        "import signal, time\n"
        "from pathlib import Path\n"
        "from usdsim.core.workers import serve\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"serve(lambda request: time.sleep(30) or Path({str(done)!r}).touch() or {{}})\n"
    )
    paths = [str(tmp_path), *sys.path]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return done


@pytest.fixture
def interruptible():
    """A process that interrupts reach, also where its shell started it to ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def one_answer():
    worker = WorkerProcess("slow_worker")
    try:
        worker.ask({}, timeout=300.0)
    finally:
        worker.stop()


def many_answers():
    list(ask_all("slow_worker", [{}] * 4, 2, timeout=300.0))


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals to threads")
@pytest.mark.parametrize("ask", [one_answer, many_answers])
def test_who_is_interrupted_waits_for_no_answer(slow, interruptible, ask):
    thread = threading.main_thread().ident
    timer = threading.Timer(2.0, signal.pthread_kill, (thread, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ask()
    timer.join()
    assert not slow.exists()
