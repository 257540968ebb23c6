"""Arrays under the names of Isaac Lab: a Warp array that is a torch tensor as well."""

from __future__ import annotations

from usdsim.views.usable import UsableArray

__all__ = ["ProxyArray"]

ProxyArray = UsableArray
"""Type of quantities of assets and sensors."""
