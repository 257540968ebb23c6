"""Windows of assets on the engine: quantities that are always fresh, writers that really act."""

from .binding import writes
from .fields import FIELDS, FieldSpec
from .layout import AssetLayout
from .quantity import Quantity
from .view import AssetView

__all__ = ["FIELDS", "AssetLayout", "AssetView", "FieldSpec", "Quantity", "writes"]
