"""Copies between arrays of the engine and of assets, on the host and on devices."""
