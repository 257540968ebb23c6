"""Memory of recordings on a GPU: what launches need for a while, kept from one to the next."""

from __future__ import annotations

import weakref
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import warp as wp

__all__ = ["KeptMemory"]


class KeptMemory:
    """Allocator that hands out memory again once it was given back; see `wp.Allocator`.

    The solver makes room for what it needs within a step, and branches of a CUDA graph must not.
    The first run of a sequence, launch by launch, gets that room from the device. The recording of
    it, which asks for the same, gets it from here, and so do all branches in it.

    Args:
        device: the Warp device; on others than GPUs nothing is kept.
        source: allocator that memory comes from; None: the device's.
    """

    def __init__(self, device: wp.Device, source: Any = None):
        self._device = device
        self._source: Any = source or wp.get_device_allocator(device)
        self.memory_kind = getattr(self._source, "memory_kind", None)
        self._sizes: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        weakref.finalize(self, _give_back, self._source, self._sizes).atexit = False

    def in_use(self) -> AbstractContextManager[Any]:
        """Context in which arrays on the device get their memory from here."""
        return wp.ScopedAllocator(self._device, self) if self._device.is_cuda else nullcontext()

    def allocate(self, size_in_bytes: int) -> int:
        """Address of memory that nothing uses, of the device where none of that size is left."""
        left = self._free.get(size_in_bytes)
        if left:
            return left.pop()
        address = int(self._source.allocate(size_in_bytes))
        # What a recording asks the device for lives as long as it runs, and only there.
        if not self._device.is_capturing:
            self._sizes[address] = size_in_bytes
        return address

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        """Keep memory that nothing uses any longer for the next allocation."""
        if ptr in self._sizes:
            self._free.setdefault(size_in_bytes, []).append(ptr)
        else:
            self._source.deallocate(ptr, size_in_bytes)

    def clear(self) -> None:
        """Free memory that nothing uses; no recording may refer to it."""
        unused = {address: size for size, left in self._free.items() for address in left}
        self._free.clear()
        for address in unused:
            del self._sizes[address]
        _give_back(self._source, unused)


def _give_back(source: Any, sizes: dict[int, int]) -> None:
    for address, size in sizes.items():
        source.deallocate(address, size)
