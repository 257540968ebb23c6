"""Restitution by impulses between steps, on the CPU and on Warp devices."""
