"""Velocity limits of joints, on the CPU and on Warp devices."""
