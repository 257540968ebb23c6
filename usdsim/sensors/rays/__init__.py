"""Ray casters, on the host and on Warp devices."""
