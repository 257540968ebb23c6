"""Repeated launches: the same results by launch, by recording, and within other recordings."""

from __future__ import annotations

import numpy as np
import warp as wp

from usdsim.engine.graphs import Replay


@wp.kernel
def doubled(values: wp.array(dtype=wp.float32), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    out[i] = 2.0 * values[i]


def launched(count: int) -> tuple[Replay, wp.array, wp.array]:
    values = wp.zeros(count, dtype=wp.float32, device="cpu")
    out = wp.zeros(count, dtype=wp.float32, device="cpu")
    launch = wp.launch(
        doubled, dim=count, inputs=[values], outputs=[out], device="cpu", record_cmd=True
    )
    return Replay(launch), values, out


def test_each_launch_sees_the_values_of_its_time():
    replay, values, out = launched(3)
    for k in range(5):
        values.fill_(float(k))
        assert (out.numpy() == 2.0 * max(k - 1, 0)).all()
        replay.launch()
        assert (out.numpy() == 2.0 * k).all()


def test_it_is_a_part_of_somebody_elses_recording():
    replay, values, out = launched(2)
    replay.launch()
    with wp.ScopedCapture(device="cpu") as capture:
        replay.launch()
    values.fill_(4.0)
    out.zero_()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(out.numpy(), [8.0, 8.0])
