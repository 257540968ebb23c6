"""Devices of arrays of assets as torch takes them, too, while the layer is installed."""

from __future__ import annotations

from functools import cache
from typing import Any

import warp as wp

__all__ = ["ArrayDevice"]


class DeviceName(str):
    """Name of a device, ``cpu`` or ``cuda:0``, with what Warp's devices and torch's have."""

    warp_device: wp.Device

    def __getattr__(self, name: str) -> Any:
        """Return what Warp's device has."""
        return getattr(self.warp_device, name)

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        return str(self) != str(other)

    __hash__ = str.__hash__

    @property
    def type(self) -> str:
        """Kind of the device, ``cpu`` or ``cuda``."""
        return self.partition(":")[0]


@cache
def _named(alias: str) -> DeviceName:
    name = DeviceName(alias)
    name.warp_device = wp.get_device(alias)
    return name


class ArrayDevice:
    """Attribute `device` of arrays, which holds Warp's device and tells a `DeviceName`."""

    def __get__(self, array: Any, kind: type | None = None) -> Any:
        if array is None:
            return self
        device = array.__dict__["device"]
        return _named(device.alias) if isinstance(device, wp.Device) else device

    def __set__(self, array: Any, device: Any) -> None:
        array.__dict__["device"] = getattr(device, "warp_device", device)
