"""Work on several threads."""

import threading

import pytest

from usdsim.core import processors
from usdsim.core.processors import side_by_side


def test_results_are_in_order_and_errors_come_through(monkeypatch):
    monkeypatch.setattr(processors, "_threads", 2)
    both = threading.Barrier(2, timeout=20.0)

    def work(item):
        both.wait()
        return item * item

    assert side_by_side(work, [3, 1]) == [9, 1]
    assert side_by_side(str, [7]) == ["7"] and side_by_side(str, []) == []
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda item: 1 / item, [1, 0, 2])


def test_one_thread_needs_no_other(monkeypatch):
    monkeypatch.setattr(processors, "_threads", 1)
    found = side_by_side(lambda _: threading.current_thread(), [0, 1])
    assert found == [threading.main_thread()] * 2
