"""Asset part: the base of the objects that an asset is composed of."""

from __future__ import annotations

from typing import Any, Protocol

from usdsim.views import AssetView

__all__ = ["AssetPart", "PartOwner"]


class PartOwner(Protocol):
    """Owner of a part; both members raise `StageError` before the simulation was started."""

    @property
    def _view(self) -> AssetView:
        """The asset's window on the engine."""
        ...

    @property
    def data(self) -> Any:
        """State and parameters of the asset."""
        ...


class AssetPart:
    """Members of an asset on one subject.

    Args:
        owner: the asset.
    """

    def __init__(self, owner: PartOwner):
        self._owner = owner

    @property
    def _view(self) -> AssetView:
        return self._owner._view

    @property
    def _data(self) -> Any:
        return self._owner.data
