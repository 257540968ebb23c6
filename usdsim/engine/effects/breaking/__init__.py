"""Breakable joints, on the CPU and on Warp devices."""
