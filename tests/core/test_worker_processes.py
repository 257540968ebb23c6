"""Answers of worker processes: few wait in memory, however slow they are taken."""

from __future__ import annotations

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
