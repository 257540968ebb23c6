"""Sender of a view: the last of what is posted arrives, in order, and failures are told."""

from __future__ import annotations

import threading

import numpy as np
import pytest

pytest.importorskip("viser")
from usdsim.viewer.sending import Sender


@pytest.fixture
def received():
    return []


def test_what_is_posted_while_sending_replaces_what_waits(received):
    begun, go = threading.Event(), threading.Event()

    def send(values):
        received.append(float(values))
        begun.set()
        go.wait(10.0)

    sender = Sender(send)
    sender.post(np.array(1.0))
    assert begun.wait(10.0), "post does not wait"
    for value in (2.0, 3.0, 4.0):
        sender.post(np.array(value))
    go.set()
    sender.finish()
    assert received == [1.0, 4.0]
    sender.close()


def test_what_is_dropped_is_not_sent(received):
    sender = Sender(received.append)
    with sender.lock:
        sender.post(np.array(1.0))
        sender.drop()
    sender.finish()
    sender.close()
    assert received == []


def test_failures_are_raised_by_the_next_post():
    def send(values):
        raise ValueError("gone")

    sender = Sender(send)
    sender.post(np.array(1.0))
    sender.finish()
    with pytest.raises(ValueError, match="gone"):
        sender.post(np.array(2.0))
    sender.finish()
    sender.close()
    sender.close()
