"""Memory of recordings goes round: what was given back is handed out again."""

from __future__ import annotations

import pytest
import warp as wp

warp_memory = pytest.importorskip("usdsim.engine.warp.memory")


class Source:
    """Allocator that counts addresses up and notes what comes back."""

    def __init__(self):
        self.given, self.back = [], []

    def allocate(self, size_in_bytes):
        self.given.append(size_in_bytes)
        return 1000 + len(self.given)

    def deallocate(self, ptr, size_in_bytes):
        self.back.append((ptr, size_in_bytes))


class Device:
    """Device that may be recording."""

    is_cuda, is_capturing = True, False


@pytest.fixture
def kept():
    return warp_memory.KeptMemory(Device(), Source())


def test_what_was_given_back_is_handed_out_again_by_its_size(kept):
    first, second, other = kept.allocate(64), kept.allocate(64), kept.allocate(8)
    assert len({first, second, other}) == 3
    kept.deallocate(first, 64)
    assert kept.allocate(8) not in (first, second, other)
    assert kept.allocate(64) == first
    assert kept._source.given == [64, 64, 8, 8] and not kept._source.back


def test_a_recording_gets_all_it_needs_from_what_a_first_run_left(kept):
    def run():
        inputs, scratch = kept.allocate(64), kept.allocate(32)
        kept.deallocate(scratch, 32)
        again = kept.allocate(32)
        for address, size in ((inputs, 64), (again, 32)):
            kept.deallocate(address, size)

    run()
    kept._device.is_capturing = True
    run()
    assert kept._source.given == [64, 32] and not kept._source.back


def test_what_only_a_recording_asked_for_is_not_kept(kept):
    kept._device.is_capturing = True
    address = kept.allocate(16)
    kept.deallocate(address, 16)
    assert kept._source.back == [(address, 16)]
    assert kept.allocate(16) != address


def test_clearing_gives_back_what_nothing_uses(kept):
    used, unused = kept.allocate(64), kept.allocate(64)
    kept.deallocate(unused, 64)
    kept.clear()
    assert kept._source.back == [(unused, 64)]
    assert kept.allocate(64) not in (used, unused)
    kept.deallocate(used, 64)
    assert kept.allocate(64) == used


def test_a_device_without_recordings_of_its_own_keeps_its_allocator():
    with warp_memory.KeptMemory(wp.get_device("cpu")).in_use() as nothing:
        assert nothing is None
