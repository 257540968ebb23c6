"""Asset part: the base of the classes that an asset is composed of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usdsim.views import AssetView

__all__ = ["AssetPart"]


class AssetPart:
    """Methods over the view and the data that `AssetBase` owns."""

    if TYPE_CHECKING:

        @property
        def _view(self) -> AssetView:
            """The asset's view of the engine."""

        @property
        def data(self) -> Any:
            """What the asset is and does."""
