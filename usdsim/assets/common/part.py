"""Asset part: the base of the objects that an asset is composed of."""

from __future__ import annotations

from typing import Any

from usdsim.views import AssetView

__all__ = ["AssetPart"]


class AssetPart:
    """Members of an asset on one subject.

    Args:
        owner: the asset, whose view and data raise `StageError` before the simulation was started.
    """

    def __init__(self, owner: Any):
        self._owner = owner

    @property
    def _view(self) -> AssetView:
        view: AssetView = self._owner._view
        return view

    @property
    def _data(self) -> Any:
        return self._owner.data
