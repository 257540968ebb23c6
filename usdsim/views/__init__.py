"""Asset views of the engine: quantities that are always fresh, writers that really act."""

from usdsim.views.fields.table import FIELDS, FieldSpec

from .binding import writers
from .layout import AssetLayout
from .quantity import Quantity
from .view import AssetView

__all__ = ["FIELDS", "AssetLayout", "AssetView", "FieldSpec", "Quantity", "writers"]
