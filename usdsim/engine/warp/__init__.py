"""Warp engine: worlds stepped by recorded kernels on a device."""
