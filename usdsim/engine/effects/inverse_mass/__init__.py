"""Inverse of the mass matrix for some degrees of freedom, on a Warp device."""
