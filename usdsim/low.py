"""Low level of data: its engine by the public order, contacts by index, and single rays."""

from usdsim.scene.data import low
from usdsim.scene.data.low import *

__all__ = [*low.__all__]
